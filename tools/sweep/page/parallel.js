// Parallel coordinates: an axis for each parameter and figure, a line for each plan. Dragging along
// an axis keeps the plans that cross it there; a click on its name takes that back.

const EDGE = {top: 42, bottom: 16, least: 40, most: 130}, HANDLE = 9;

class Parallel extends Picture {
  constructor(sweep, section) {
    const place = element("div");
    section.append(element("h2", {}, "All parameters"),
      element("p", {class: "hint"}, "Drag along an axis to keep the plans that cross it there; click its name for all. By keyboard: left and right choose an axis, up and down a value, Escape all."),
      place);
    super(place, "", 320);
    this.sweep = sweep;
    this.axes = [...sweep.parameters.filter(p => p.values.length > 1), ...sweep.measures.slice(0, 6)];
    this.axis = 0;
    this.canvas.addEventListener("pointerdown", e => this.down(e));
    this.canvas.addEventListener("pointermove", e => this.drag(e));
    this.canvas.addEventListener("pointerup", () => { this.dragged = null; });
    this.canvas.addEventListener("keydown", e => this.key(e));
    this.canvas.addEventListener("focus", () => this.draw());
    this.canvas.addEventListener("blur", () => this.draw());
    for (const a of this.axes) this.measureOf(a);
    sweep.listeners.push(() => this.draw());
    this.draw();
  }

  // Where an axis begins and ends: of all plans, so that it stays when some are left out.
  measureOf(axis) {
    if (axis.place) { axis.range = [0, axis.values.length - 1]; return; }
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < this.sweep.count; i++) {
      const v = axis.of[i];
      if (this.sweep.state[i] === this.sweep.ok && v !== null) { low = Math.min(low, v); high = Math.max(high, v); }
    }
    axis.range = low <= high ? [low, high] : [0, 1];
  }

  x(k) { return this.left + (this.width - this.left - this.right) * (this.axes.length > 1 ? k / (this.axes.length - 1) : 0.5); }
  span() { return this.height - EDGE.top - EDGE.bottom; }
  // What is better is up.
  y(axis, v) {
    const [low, high] = axis.range, share = high > low ? (v - low) / (high - low) : 0.5;
    return EDGE.top + this.span() * (axis.better < 0 ? share : 1 - share);
  }
  value(axis, y) {
    const [low, high] = axis.range, share = Math.max(0, Math.min(1, (y - EDGE.top) / this.span()));
    return low + (high - low) * (axis.better < 0 ? share : 1 - share);
  }
  at(axis, i) { return axis.place ? axis.place(i) : axis.of[i]; }

  // What stands beside an axis.
  labels(axis) {
    return axis.place ? axis.values.map((v, p) => [p, v]) :
      [axis.range[0], (axis.range[0] + axis.range[1]) / 2, axis.range[1]].map(v => [v, axis.text(v)]);
  }
  roomFor(c, axis) {
    const widest = this.labels(axis).reduce((w, l) => Math.max(w, c.measureText(l[1]).width), c.measureText(axis.title).width / 2);
    return Math.min(EDGE.most, Math.max(EDGE.least, widest + 10));
  }

  draw() {
    const c = this.begin(), s = this.sweep, {ink, faint, line, best, mark, busy} = this.colours;
    this.left = this.roomFor(c, this.axes[0]);
    this.right = this.roomFor(c, this.axes[this.axes.length - 1]);
    const stroke = i => {
      c.beginPath();
      this.axes.forEach((axis, k) => {
        const v = this.at(axis, i), y = this.y(axis, v === null ? axis.range[0] : v);
        c[k ? "lineTo" : "moveTo"](this.x(k), y);
      });
      c.stroke();
    };
    const list = s.ranked.slice(0, SHOWN_LINES), many = list.length;
    c.lineWidth = 1; c.strokeStyle = busy; c.globalAlpha = Math.max(0.12, Math.min(0.7, 40 / many));
    for (let k = many - 1; k >= 0; k--) stroke(list[k]);
    c.globalAlpha = 1;
    if (many) { c.strokeStyle = best; c.lineWidth = 1.8; stroke(list[0]); }
    if (s.at >= 0 && s.state[s.at] === s.ok) { c.strokeStyle = mark; c.lineWidth = 2.6; stroke(s.at); }
    this.axes.forEach((axis, k) => {
      const x = this.x(k), focus = document.activeElement === this.canvas && k === this.axis, range = s.ranges.get(axis);
      c.strokeStyle = focus ? mark : line; c.lineWidth = focus ? 2 : 1;
      c.beginPath(); c.moveTo(x, EDGE.top); c.lineTo(x, EDGE.top + this.span()); c.stroke();
      if (range) {
        const from = this.y(axis, range[0]), to = this.y(axis, range[1]);
        c.fillStyle = mark; c.globalAlpha = 0.35;
        c.fillRect(x - 6, Math.min(from, to) - 3, 12, Math.abs(from - to) + 6);
        c.globalAlpha = 1;
      }
      c.textAlign = "center"; c.fillStyle = range ? mark : ink;
      c.fillText(this.short(c, axis.title), x, k % 2 && this.tight() ? 12 : 26);
      c.fillStyle = faint;
      const room = this.span() / 16, labels = this.labels(axis);
      const every = Math.ceil(labels.length / room), last = k === this.axes.length - 1;
      c.textAlign = last ? "left" : "right";
      labels.forEach(([v, text], n) => { if (n % every === 0) this.label(c, this.short(c, text, EDGE.most - 10), x + (last ? 6 : -6), this.y(axis, v) + 4); });
    });
    this.canvas.setAttribute("aria-label", `Parallel coordinates of ${many} plans over ${this.axes.map(a => a.title).join(", ")}`);
  }

  tight() { return (this.width - this.left - this.right) / this.axes.length < 120; }
  short(c, text, room = this.tight() ? 150 : 118) {
    while (text.length > 4 && c.measureText(text).width > room) text = text.slice(0, -2) + "\u2026";
    return text;
  }
  // Readable above the lines.
  label(c, text, x, y) {
    c.lineWidth = 5; c.lineJoin = "round"; c.strokeStyle = css(this.colours.paper);
    c.strokeText(text, x, y);
    c.fillText(text, x, y);
  }

  nearestAxis(px) {
    let best = 0;
    this.axes.forEach((_, k) => { if (Math.abs(this.x(k) - px) < Math.abs(this.x(best) - px)) best = k; });
    return best;
  }

  keep(axis, from, to) {
    let low = Math.min(from, to), high = Math.max(from, to);
    if (axis.place) { low = Math.round(low); high = Math.round(high); }
    this.sweep.ranges.set(axis, [low, high]);
    this.sweep.filter();
  }

  down(event) {
    const [x, y] = this.where(event);
    this.axis = this.nearestAxis(x);
    const axis = this.axes[this.axis];
    if (Math.abs(this.x(this.axis) - x) > 40) return;
    if (y < EDGE.top - HANDLE) { this.sweep.ranges.delete(axis); this.sweep.filter(); return; }
    this.dragged = {axis, from: this.value(axis, y), at: y};
    this.canvas.setPointerCapture(event.pointerId);
    const near = axis.place ? 0 : (axis.range[1] - axis.range[0]) * 0.02;
    this.keep(axis, this.dragged.from - near, this.dragged.from + near);
  }

  drag(event) {
    const [x, y] = this.where(event);
    this.canvas.style.cursor = Math.abs(this.x(this.nearestAxis(x)) - x) < 40 ? (y < EDGE.top - HANDLE ? "pointer" : "ns-resize") : "default";
    if (!this.dragged || Math.abs(y - this.dragged.at) < 3) return;
    this.keep(this.dragged.axis, this.dragged.from, this.value(this.dragged.axis, y));
  }

  key(event) {
    const axis = this.axes[this.axis], range = this.sweep.ranges.get(axis);
    const steps = axis.place ? 1 : (axis.range[1] - axis.range[0]) / 10;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      this.axis = Math.max(0, Math.min(this.axes.length - 1, this.axis + (event.key === "ArrowLeft" ? -1 : 1)));
      this.draw();
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const up = (event.key === "ArrowUp" ? 1 : -1) * (axis.better < 0 ? -1 : 1);
      if (axis.place) {
        const v = range ? Math.max(0, Math.min(axis.range[1], range[0] + up)) : up > 0 ? 0 : axis.range[1];
        this.keep(axis, v, v);
      } else { // from the better end on
        const better = axis.better < 0 ? 0 : 1, [low, high] = range || axis.range;
        const edge = Math.max(axis.range[0], Math.min(axis.range[1], (better ? low : high) + up * steps));
        this.keep(axis, better ? edge : low, better ? high : edge);
      }
    } else if (event.key === "Escape") {
      this.sweep.ranges.delete(axis);
      this.sweep.filter();
    } else return;
    event.preventDefault();
  }
}
