// All plans that the filter lets through, sorted by any column, a hundred at a time.

const ROWS = 100;

class Table {
  constructor(sweep, section) {
    this.sweep = sweep;
    this.rows = ROWS;
    this.columns = [
      {title: "plan", key: i => i, text: i => String(i + 1)},
      ...sweep.parameters.map(p => ({title: p.title, key: i => p.place(i), text: i => sweep.text(p, i)})),
      ...sweep.measures.map(m => ({title: m.title, key: i => m.of[i], text: i => m.of[i] === null ? "" : m.text(m.of[i]), better: m.better})),
      {title: "state", key: i => sweep.stateText(i), text: i => sweep.stateText(i)},
    ];
    this.by = this.columns[0];
    this.up = true;
    this.heads = this.columns.map(c => element("th", {scope: "col"}, element("button", {class: "sort", onclick: () => this.sort(c)}, c.title)));
    this.body = element("tbody");
    this.more = element("button", {onclick: () => { this.rows += 10 * ROWS; this.draw(); }}, "Show more");
    section.append(element("h2", {}, "Plans"), element("div", {class: "wide"}, element("table", {class: "plans"},
      element("thead", {}, element("tr", {}, this.heads)), this.body)), this.more);
    sweep.listeners.push(() => this.draw());
    this.draw();
  }

  sort(column) {
    this.up = this.by === column ? !this.up : true;
    this.by = column;
    this.draw();
  }

  draw() {
    const {sweep: s, by} = this, direction = this.up ? 1 : -1;
    const list = s.shown.slice();
    if (by !== this.columns[0] || !this.up)
      list.sort((a, b) => {
        const x = by.key(a), y = by.key(b);
        if (x === null || y === null) return (x === null) - (y === null) || a - b; // unknown last
        return direction * (typeof x === "string" ? compareText(x, y) : x - y) || a - b;
      });
    this.heads.forEach((h, k) => h.setAttribute("aria-sort", this.columns[k] !== by ? "none" : this.up ? "ascending" : "descending"));
    this.body.replaceChildren(...list.slice(0, this.rows).map(i => element("tr", {class: i === s.at ? "chosen" : s.state[i] === s.ok ? null : "unfit", "data-plan": i, onclick: () => s.choose(i)},
      this.columns.map((c, k) => k ? element("td", {}, c.text(i)) : element("th", {scope: "row"},
        element("button", {class: "link", "aria-label": `Plan ${i + 1}: ${s.point(i)}`, "aria-pressed": i === s.at ? "true" : "false"}, c.text(i)))))));
    this.more.hidden = list.length <= this.rows;
  }
}
