// The picture of a cluster, which C has drawn: zoom, tips, search, and what single devices, switches
// and links are. Parts and labels are buttons; what they say is their title.

class Topology {
  constructor(section, json) {
    Object.assign(this, {section, json});
    this.picture = section.querySelector(".picture");
    this.svg = this.picture.querySelector("svg");
    const [, , width, height] = this.svg.getAttribute("viewBox").split(" ").map(Number);
    this.whole = [0, 0, width, height];
    this.view = [...this.whole];
    this.tip = element("div", {class: "tip", hidden: true});
    this.details = element("div", {class: "details", "aria-live": "polite"});
    this.list = element("datalist", {id: "cluster-names"}, json.arrays.map(a => element("option", {value: a[0]})));
    this.input = element("input", {type: "search", id: "cluster-search", list: "cluster-names",
      placeholder: this.example(), "aria-label": "Device, switch or rank"});
    const button = (name, text, act) => element("button", {type: "button", "aria-label": name, title: name, onclick: act}, text);
    section.insertBefore(element("div", {class: "tools"},
      element("form", {role: "search", onsubmit: e => { e.preventDefault(); this.search(this.input.value); }},
        this.input, element("button", {}, "Find")),
      element("span", {class: "buttons"}, button("Closer", "+", () => this.zoom(1.4)),
        button("Farther", "\u2212", () => this.zoom(1 / 1.4)), button("All of it", "Fit", () => this.show(this.whole))),
      this.list), this.picture);
    this.picture.after(this.details);
    section.append(this.tip);
    this.links = this.decode();
    this.prepare();
    this.listen();
  }

  example() {
    const rank = this.json.ranks.length ? "rank 0, " : "", a = this.json.arrays.find(a => a[1]);
    return rank + (a ? this.nameOf(a[2]) : "");
  }

  // ---- What there is ----

  decode() {
    const {steps, order, use} = this.json, tokens = expand(order), links = [];
    let from = 0, to = 0;
    for (const t of tokens) {
      from += steps[3 * t];
      to += steps[3 * t + 1];
      links.push([from, to, steps[3 * t + 2]]);
    }
    this.use = use ? expand(use) : null;
    let vertex = 0;
    this.vertexOf = expand(this.json.ranks).map(step => vertex += step);
    return links;
  }

  arrayOf(vertex) { return this.json.arrays.find(a => vertex >= a[2] && vertex < a[2] + a[3]); }

  nameOf(vertex) {
    const a = this.arrayOf(vertex), index = [];
    let rest = vertex - a[2];
    for (const n of [...a[4]].reverse()) { index.unshift(rest % n); rest = Math.floor(rest / n); }
    return a[0] + (index.length ? `[${index.join(", ")}]` : "");
  }

  // "gpu[3, 5]", "gpu 3 5", "rank 37": the number of a vertex, or -1.
  vertexNamed(text) {
    const numbers = (text.match(/\d+/g) || []).map(Number), rank = /^\s*rank\s+\d+\s*$/i.test(text);
    if (rank) return this.vertexOf[numbers[0]] ?? -1;
    const a = this.json.arrays.find(a => text.trim().toLowerCase().replace(/[\s[(].*$/s, "") === a[0].toLowerCase());
    const index = a ? (text.trim().slice(a[0].length).match(/\d+/g) || []).map(Number) : [];
    if (!a || index.length !== a[4].length || index.some((i, d) => i >= a[4][d])) return -1;
    return a[2] + index.reduce((sum, i, d) => sum * a[4][d] + i, 0);
  }

  linksOf(vertex) {
    const found = [];
    this.links.forEach(([from, to, kind], l) => {
      if (from !== vertex && to !== vertex) return;
      const out = from === vertex ? 0 : 1, use = this.use ? [this.use[2 * l + out], this.use[2 * l + 1 - out]] : null;
      found.push({to: out ? from : to, kind: this.json.links[kind], use});
    });
    return found;
  }

  // ---- What one sees of it ----

  // Titles become tips of the page's own, and names for those who do not see the picture.
  prepare() {
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", this.svg.querySelector("title").textContent);
    this.svg.querySelector("title").remove();
    this.buttons = [...this.svg.querySelectorAll(".part, .bundle")];
    for (const g of this.buttons) {
      const title = g.querySelector("title");
      g.text = title.textContent.trim();
      title.remove();
      g.setAttribute("role", "button");
      g.setAttribute("tabindex", "0");
      g.setAttribute("aria-label", g.text);
    }
  }

  lines(target) {
    const cell = target.closest && target.closest("[data-v]"), g = target.closest && target.closest(".part, .bundle");
    if (cell) return [this.nameOf(+cell.dataset.v), ...this.rankText(+cell.dataset.v)];
    return g ? g.text.split("; ") : null;
  }

  rankText(vertex) {
    const rank = this.vertexOf.indexOf(vertex);
    return rank < 0 ? [] : [`rank ${rank}`];
  }

  linkText(link) {
    const [rate, latency, tier] = link.kind;
    return `${rateText(rate, "B/s")}, ${timeText(latency)}, tier ${tier}` +
      (link.use ? `, used ${shareText(link.use[0] / 1000)} from here, ${shareText(link.use[1] / 1000)} to here` : "");
  }

  // Links of one vertex; where it has many to an array, those that are alike are one line.
  showVertex(vertex) {
    const links = this.linksOf(vertex), groups = new Map();
    for (const l of links) {
      const key = links.length > 24 ? `${this.arrayOf(l.to)[0]} ${l.kind}` : l.to + " " + l.kind;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(l);
    }
    const line = list => {
      const most = list.reduce((a, b) => b.use && Math.max(...b.use) > Math.max(...a.use) ? b : a);
      const to = element("button", {type: "button", class: "link", onclick: () => this.choose(most.to)}, this.nameOf(most.to));
      return element("li", {}, list.length > 1 ? `${countText(list.length)} of ${this.arrayOf(most.to)[0]}, such as ` : "", to, `: ${this.linkText(most)}`);
    };
    this.details.replaceChildren(element("div", {}, element("h3", {}, [this.nameOf(vertex), ...this.rankText(vertex)].join(", ")),
      element("ul", {}, [...groups.values()].map(line))));
    this.mark(this.svg.querySelector(`[data-v="${vertex}"]`), this.partOf(vertex));
  }

  showText(g) {
    this.details.replaceChildren(element("div", {}, g.text.split("; ").map(t => element("p", {}, t))));
    this.mark(null, g);
  }

  partOf(vertex) {
    const array = this.json.arrays.indexOf(this.arrayOf(vertex));
    return this.svg.querySelector(`.part[data-array="${array}"]`);
  }

  mark(cell, part) {
    for (const e of this.svg.querySelectorAll(".chosen")) e.classList.remove("chosen");
    for (const e of [cell, part]) if (e) e.classList.add("chosen");
  }

  choose(vertex) {
    this.chosen = vertex;
    this.showVertex(vertex);
  }

  search(text) {
    const vertex = this.vertexNamed(text);
    const array = this.json.arrays.findIndex(a => a[0].toLowerCase() === text.trim().toLowerCase());
    const part = this.svg.querySelector(`.part[data-array="${array}"]`);
    if (vertex >= 0) this.choose(vertex);
    else if (part) this.showText(part);
    else this.details.replaceChildren(element("p", {}, `Nothing is called \u201c${text}\u201d here; there are ` +
      this.json.arrays.map(a => this.nameOf(a[2] + a[3] - 1)).join(", ") + (this.vertexOf.length ? `, rank ${this.vertexOf.length - 1}` : "")));
  }

  // ---- Zoom ----

  show(view) {
    const [, , width, height] = this.whole, w = Math.min(width, Math.max(60, view[2])), h = w * height / width;
    this.view = [Math.max(0, Math.min(width - w, view[0])), Math.max(0, Math.min(height - h, view[1])), w, h];
    this.svg.setAttribute("viewBox", this.view.map(v => v.toFixed(2)).join(" "));
  }

  // By a factor; x, y: the point that stays, in pixels.
  zoom(factor, x, y) {
    const box = this.svg.getBoundingClientRect(), [left, top, w, h] = this.view;
    const at = [x === undefined ? 0.5 : (x - box.left) / box.width, y === undefined ? 0.5 : (y - box.top) / box.height];
    const wide = Math.min(this.whole[2], Math.max(60, w / factor)), high = wide * h / w;
    this.show([left + at[0] * (w - wide), top + at[1] * (h - high), wide, high]);
  }

  move(dx, dy) { this.show([this.view[0] + dx, this.view[1] + dy, this.view[2], this.view[3]]); }

  listen() {
    const svg = this.svg, down = new Map();
    svg.addEventListener("wheel", e => {
      const all = this.view[2] >= this.whole[2] - 1e-6;
      if (all && e.deltaY > 0) return; // the page scrolls on
      e.preventDefault();
      this.zoom(Math.exp(-e.deltaY * (e.ctrlKey ? 0.01 : 0.0015)), e.clientX, e.clientY);
    }, {passive: false});
    svg.addEventListener("pointerdown", e => { down.set(e.pointerId, [e.clientX, e.clientY]); this.dragged = 0; });
    svg.addEventListener("pointermove", e => {
      const before = down.get(e.pointerId), lines = this.lines(e.target);
      this.showTip(e, before && this.dragged > 4 ? null : lines);
      if (!before) return;
      const others = [...down].filter(([id]) => id !== e.pointerId), scale = this.view[2] / svg.getBoundingClientRect().width;
      down.set(e.pointerId, [e.clientX, e.clientY]);
      this.dragged += Math.abs(e.clientX - before[0]) + Math.abs(e.clientY - before[1]);
      if (others.length) {
        const [ox, oy] = others[0][1], far = ([x, y]) => Math.hypot(x - ox, y - oy) || 1;
        this.zoom(far([e.clientX, e.clientY]) / far(before), ox, oy);
      } else if (this.dragged > 4) {
        svg.classList.add("dragged");
        this.move((before[0] - e.clientX) * scale, (before[1] - e.clientY) * scale);
      }
    });
    const up = e => { down.delete(e.pointerId); svg.classList.remove("dragged"); };
    addEventListener("pointerup", up);
    addEventListener("pointercancel", up);
    svg.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    svg.addEventListener("click", e => { if (!(this.dragged > 4)) this.press(e.target); });
    svg.addEventListener("keydown", e => this.key(e));
    for (const g of this.buttons) g.addEventListener("focus", () => this.reveal(g));
  }

  press(target) {
    const cell = target.closest("[data-v]"), g = target.closest(".part, .bundle");
    if (cell) this.choose(+cell.dataset.v);
    else if (g) this.showText(g);
  }

  key(e) {
    const step = this.view[2] / 8;
    const act = {Enter: () => this.press(e.target), " ": () => this.press(e.target), "+": () => this.zoom(1.4), "=": () => this.zoom(1.4),
      "-": () => this.zoom(1 / 1.4), 0: () => this.show(this.whole), ArrowLeft: () => this.move(-step, 0), ArrowRight: () => this.move(step, 0),
      ArrowUp: () => this.move(0, -step), ArrowDown: () => this.move(0, step)}[e.key];
    if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    act();
  }

  // What has the focus is in sight.
  reveal(g) {
    const b = g.getBBox(), [x, y, w, h] = this.view;
    if (b.x < x || b.y < y || b.x + b.width > x + w || b.y + b.height > y + h)
      this.show([b.x + b.width / 2 - w / 2, b.y + b.height / 2 - h / 2, w, h]);
  }

  showTip(event, lines) {
    this.tip.hidden = !lines;
    if (!lines) return;
    this.tip.replaceChildren(...lines.map(l => element("div", {}, l)));
    const box = this.tip.getBoundingClientRect();
    this.tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
    this.tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - box.height - 8)) + "px";
  }
}

function clusterOf(document) {
  const data = document.querySelector("script.cluster");
  return data ? new Topology(document.getElementById("cluster"), JSON.parse(data.textContent)) : null;
}
