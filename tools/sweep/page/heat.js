// The best of a figure for each pair of values of two parameters, as a table: each cell is a button
// that chooses its plan.

class Heat {
  constructor(sweep, section) {
    const several = sweep.parameters.filter(p => p.values.length > 1);
    if (several.length < 2) return;
    this.sweep = sweep;
    [this.across, this.down] = several;
    this.measure = sweep.measures[0];
    this.place = element("div", {class: "wide"});
    section.append(element("h2", {}, "Two parameters"), element("div", {class: "tools"},
      selectOf("best", sweep.measures, this.measure, m => { this.measure = m; this.draw(); }),
      selectOf("across", several, this.across, p => { this.across = p; this.draw(); }),
      selectOf("down", several, this.down, p => { this.down = p; this.draw(); })), this.place);
    sweep.listeners.push(() => this.draw());
    this.draw();
  }

  draw() {
    const {sweep: s, across, down, measure: m} = this, best = new Map();
    for (const i of s.ranked) {
      const key = down.place(i) * across.values.length + across.place(i), other = best.get(key);
      if (m.of[i] !== null && (other === undefined || m.better * (m.of[i] - m.of[other]) > 0)) best.set(key, i);
    }
    const values = [...best.values()].map(i => m.of[i]);
    const low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    const share = v => high > low ? (m.better > 0 ? v - low : high - v) / (high - low) : 1;
    const cell = (a, d) => {
      const i = best.get(d * across.values.length + a);
      if (i === undefined) return element("td", {class: "none"}, "\u2013");
      const colour = css(mix([242, 240, 230], [86, 180, 233], share(m.of[i])));
      return element("td", {}, element("button", {class: "cell", style: {background: colour}, title: s.point(i), "aria-pressed": i === s.at ? "true" : "false",
        onclick: () => s.choose(i)}, m.text(m.of[i])));
    };
    this.place.replaceChildren(element("p", {class: "hint"}, `Best ${m.title} for each pair of values; darker blue is better.`),
      element("table", {class: "heat", "aria-label": `The best ${m.title} by ${down.title} and ${across.title}`},
      element("thead", {}, element("tr", {}, element("th", {scope: "col"}, `${down.title} \\ ${across.title}`), across.values.map(v => element("th", {scope: "col"}, v)))),
      element("tbody", {}, down.values.map((v, d) => element("tr", {}, element("th", {scope: "row"}, v), across.values.map((_, a) => cell(a, d)))))));
  }
}
