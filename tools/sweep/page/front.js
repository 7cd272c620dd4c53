// Two figures of all plans that fit, and those that no other beats by both (the Pareto front). Of the
// step time its interval is drawn, too, where a plan is on the front, chosen, or can be as good as the
// best. Plans that do not fit are grey, where they lack little: the others would make the picture small.

const NEARLY = 1.2; // of the device's memory: what plans need that are shown though they do not fit
const AROUND = {left: 78, right: 16, top: 24, bottom: 40};

class Front extends Picture {
  constructor(sweep, section) {
    const tools = element("div", {class: "tools"}), place = element("div");
    section.append(element("h2", {}, "Front"), tools, place);
    super(place, "", 340);
    this.sweep = sweep;
    // Two goals; one goal against memory, which is against step time.
    const named = name => sweep.measures.find(m => m.name === name), [first, second] = sweep.measures;
    this.x = first;
    this.y = sweep.goals && sweep.goals.length > 1 ? second : first === named("peak_memory") ? named("step_time") : named("peak_memory");
    this.legend = element("span", {class: "status"});
    tools.append(selectOf("across", sweep.measures, this.x, m => { this.x = m; this.draw(); }),
      selectOf("up", sweep.measures, this.y, m => { this.y = m; this.draw(); }), this.legend);
    this.canvas.addEventListener("pointermove", e => this.point(e));
    this.canvas.addEventListener("pointerleave", e => this.showTip(e, null));
    this.canvas.addEventListener("click", e => { const i = this.nearest(...this.where(e)); if (i >= 0) sweep.choose(i); });
    // Along the front by arrows.
    this.canvas.addEventListener("keydown", e => {
      const step = {ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, Home: -Infinity, End: Infinity}[e.key];
      if (!step || !this.line.length) return;
      e.preventDefault();
      const at = this.line.indexOf(sweep.at), last = this.line.length - 1;
      sweep.choose(this.line[at < 0 ? 0 : Math.max(0, Math.min(last, at + step))]);
    });
    sweep.listeners.push(() => this.draw());
    this.draw();
  }

  scale(m, list, from, to) {
    let low = Infinity, high = -Infinity;
    for (const i of list) {
      const v = m.of[i];
      if (v === null) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
    if (low > high) { low = 0; high = 1; }
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    low -= room, high += room;
    return {low, high, at: v => from + (v - low) / (high - low) * (to - from)};
  }

  // Of the plans with an interval that the picture has room for: lines from its low to its high end.
  intervals(list, x, y) {
    const {sweep: s} = this, c = this.canvas.getContext("2d"), across = this.x.name === "step_time";
    if (!across && this.y.name !== "step_time") return;
    const along = across ? x : y, clamp = v => along.at(Math.max(along.low, Math.min(along.high, v)));
    for (const i of list) {
      if (!(s.high[i] > 0)) continue; // not known
      const from = clamp(s.low[i]), to = clamp(s.high[i]), at = across ? y.at(this.y.of[i]) : x.at(this.x.of[i]);
      c.beginPath();
      c.moveTo(...(across ? [from, at] : [at, from]));
      c.lineTo(...(across ? [to, at] : [at, to]));
      c.stroke();
    }
  }

  draw() {
    const c = this.begin(), s = this.sweep, {ink, faint, rail, best, mark, busy, paper} = this.colours;
    const out = css(mix(rgb(faint), paper, 0.3)); // of plans that do not fit
    const known = i => this.x.of[i] !== null && this.y.of[i] !== null;
    const list = s.ranked.filter(known), over = s.states.indexOf("out of memory"), unfit = s.shown.filter(i => s.state[i] === over && known(i));
    const right = this.width - AROUND.right, bottom = this.height - AROUND.bottom;
    const memory = s.measures.find(m => m.name === "peak_memory"), near = unfit.filter(i => memory && memory.of[i] < 8 * NEARLY * s.limit[i]);
    const x = this.scale(this.x, [...list, ...near], AROUND.left, right), y = this.scale(this.y, [...list, ...near], bottom, AROUND.top);
    this.line = s.front(list, this.x, this.y);
    const equals = list.filter(i => s.equalTo(i)), wide = list.length <= 200;
    const binary = m => m.name === "peak_memory", onFront = new Set(this.line);
    c.fillStyle = faint; c.strokeStyle = rail; c.lineWidth = 1; c.textAlign = "center";
    for (const v of ticks(x.low, x.high, Math.max(2, this.width / 110), binary(this.x))) {
      c.beginPath(); c.moveTo(x.at(v), AROUND.top); c.lineTo(x.at(v), bottom); c.stroke();
      c.fillText(this.x.text(v), x.at(v), bottom + 16);
    }
    c.textAlign = "right";
    for (const v of ticks(y.low, y.high, 7, binary(this.y))) {
      c.beginPath(); c.moveTo(AROUND.left, y.at(v)); c.lineTo(right, y.at(v)); c.stroke();
      c.fillText(this.y.text(v), AROUND.left - 6, y.at(v) + 4);
    }
    c.fillStyle = ink; c.textAlign = "center";
    c.fillText(this.x.title + (this.x.better < 0 ? " (less is better)" : " (more is better)"), (AROUND.left + right) / 2, this.height - 6);
    c.textAlign = "left";
    c.fillText(this.y.title + (this.y.better < 0 ? " (less is better)" : " (more is better)"), 4, 14);
    // The corner of each step is what two neighbours guarantee together.
    c.strokeStyle = best; c.lineWidth = 1.5; c.beginPath();
    this.line.forEach((i, k) => {
      const at = [x.at(this.x.of[i]), y.at(this.y.of[i])];
      if (k) c.lineTo(at[0], y.at(this.y.of[this.line[k - 1]]));
      c[k ? "lineTo" : "moveTo"](...at);
    });
    c.stroke();
    c.globalAlpha = 0.45;
    c.strokeStyle = busy; c.lineWidth = 1.2;
    if (wide) this.intervals(equals.filter(i => !onFront.has(i) && i !== s.at), x, y);
    c.strokeStyle = best;
    this.intervals(this.line.filter(i => i !== s.at), x, y);
    c.globalAlpha = 1;
    c.strokeStyle = mark; c.lineWidth = 2.4;
    if (list.includes(s.at)) this.intervals([s.at], x, y);
    const inside = unfit.map(i => [x.at(this.x.of[i]), y.at(this.y.of[i]), i])
      .filter(([px, py]) => px >= AROUND.left && px <= right && py >= AROUND.top && py <= bottom);
    c.fillStyle = out;
    for (const [px, py] of inside) { c.beginPath(); c.arc(px, py, 3.2, 0, 7); c.fill(); }
    this.places = list.map(i => [x.at(this.x.of[i]), y.at(this.y.of[i]), i]);
    const dots = (filter, size, colour) => {
      c.fillStyle = colour;
      for (const [px, py, i] of this.places) if (filter(i)) { c.beginPath(); c.arc(px, py, size, 0, 7); c.fill(); }
    };
    dots(i => !onFront.has(i), list.length > 3000 ? 1.6 : 3.2, busy);
    dots(i => onFront.has(i), 4.5, best);
    const chosen = this.places.find(p => p[2] === s.at);
    if (chosen) { c.strokeStyle = mark; c.lineWidth = 2.5; c.beginPath(); c.arc(chosen[0], chosen[1], 8, 0, 7); c.stroke(); }
    this.legend.replaceChildren(element("span", {class: "key"}, element("i", {style: {background: best}}), `front: ${countText(this.line.length)}`),
      element("span", {class: "key"}, element("i", {style: {background: busy}}), `others: ${countText(list.length - this.line.length)}`),
      inside.length ? element("span", {class: "key"}, element("i", {style: {background: out}}), `do not fit: ${countText(inside.length)} of ${countText(unfit.length)} in the picture`) : "",
      equals.length > 1 ? `${countText(equals.length - 1)} can be as good as the best` : "");
    this.places.push(...inside);
    this.canvas.setAttribute("aria-label", `${this.y.title} over ${this.x.title} of ${list.length} plans; ${this.line.length} on the front. Arrow keys go along it.`);
  }

  nearest(px, py) {
    let best = -1, least = 20 ** 2;
    for (const [x, y, i] of this.places) {
      const d = (x - px) ** 2 + (y - py) ** 2;
      if (d < least) { least = d; best = i; }
    }
    return best;
  }

  point(event) {
    const i = this.nearest(...this.where(event));
    this.canvas.style.cursor = i < 0 ? "default" : "pointer";
    this.showTip(event, i < 0 ? null : [this.sweep.point(i), `${this.x.title} ${this.x.text(this.x.of[i])}`, `${this.y.title} ${this.y.text(this.y.of[i])}`]);
  }
}
