// Sums of a stretch of time: what the ranks shown do in it, by kind and by name, as a selected range
// of Perfetto is summed up. Shift and drag selects one; "s" takes what is shown.

// Calls add(pattern, node, time, times) for each node of a lane between two moments: its time in them,
// and how often it is there. Blocks that are whole in them are counted, not walked.
function tallyLane(lane, from, to, add) {
  const partly = block => {
    const p = lane.pattern(block), begin = lane.begin(block);
    for (let i = 0; i < p.count; i++) {
      const time = Math.min(to, begin + p.end[i]) - Math.max(from, begin + p.begun[i]);
      if (time > 0) add(p, i, time, 1);
    }
  };
  let first = lane.ending(from), end = lane.beginning(to);
  if (first < end && lane.begin(first) < from) partly(first++);
  if (first < end && lane.end(end - 1) > to) partly(--end);
  if (first >= end) return;
  for (const token of new Set(lane.tokens.numbers)) {
    const track = lane.run.once(`count of ${token} in ${lane.key}`, () => lane.tokens.track(other => other === token ? 1 : 0));
    const times = lane.tokens.sum(track, end) - lane.tokens.sum(track, first), p = lane.of(token);
    for (let i = 0; times && i < p.count; i++)
      if (p.end[i] > p.begun[i]) add(p, i, times * (p.end[i] - p.begun[i]), times);
  }
}

// Of rows between two moments: [name, colour, time] by kind, all of it; [name, time, times] by name.
function sumsBetween(rows, from, to) {
  const kinds = new Map(), names = new Map();
  const put = (map, key, time, times) => {
    const sum = map.get(key) || [0, 0];
    map.set(key, [sum[0] + time, sum[1] + times]);
  };
  for (const {run, index} of rows) {
    const work = run.work(index), idle = run.idle(index), lane = run.lane(index, 0);
    for (const [of, name] of [[work, s => WORK[KINDS[Math.floor(work.colours[s] / CHUNK_SHADES)]][1]], [idle, s => WAITS[s][0]]]) {
      const before = new Array(of === work ? work.colours.length : WAITS.length).fill(0), after = [...before];
      of.before(from, before);
      of.before(Math.min(to, run.step), after);
      after.forEach((time, s) => { if (time > before[s]) put(kinds, name(s), time - before[s], 0); });
    }
    if (!lane) continue;
    tallyLane(lane, from, to, (p, i, time, times) => {
      const nodes = run.fragments[p.fragment].nodes, n = p.coarse || !nodes ? null : nodes[run.order(p.fragment, 0)[i]];
      put(names, n ? (run.names[n[4]] || "without a name").replace(/\[[^\]]*\]/g, "[*]") : "kernels that were left out", time, times);
    });
  }
  const sorted = map => [...map].map(([name, [time, times]]) => ({name, time, times})).sort((a, b) => b.time - a.time);
  return {kinds: sorted(kinds), names: sorted(names)};
}

Object.assign(Timeline.prototype, {
  // {from, to, rows} of a stretch that a pointer has drawn, from one place of the canvas to another.
  spanOf(a, b) {
    const box = this.canvas.getBoundingClientRect(), clamp = time => Math.max(this.from, Math.min(this.to, time));
    const times = [a, b].map(e => clamp(this.time(e.clientX - box.left))).sort((x, y) => x - y);
    const [top, bottom] = [a, b].map(e => e.clientY - box.top + this.scroll.scrollTop).sort((x, y) => x - y);
    return {from: times[0], to: times[1], rows: this.rows.filter(r => r.y + r.height >= top && r.y <= bottom)};
  },

  sumUp(span = {from: this.from, to: this.to, rows: this.rows}) {
    this.span = span;
    this.selected = null;
    const {kinds, names} = sumsBetween(span.rows, span.from, span.to), length = (span.to - span.from) * span.rows.length || 1;
    const most = 40, list = names.slice(0, most).map(n => [n.name, countText(n.times), timeText(n.time), shareText(n.time / length)]);
    this.details.replaceChildren(
      element("div", {}, element("h3", {}, `${timeText(span.to - span.from)} from ${timeText(span.from)}`),
        table(["of the compute stream", "time", "share"], kinds.map(k => [k.name, timeText(k.time), shareText(k.time / length)]),
          `${countText(span.rows.length)} row${span.rows.length === 1 ? "" : "s"}, summed; shares of their time.`)),
      element("div", {class: "sums"}, table(["kernel or call", "times", "time", "share"], list,
        names.length > most ? `The longest ${most} of ${countText(names.length)} names.` : "By name.")));
    this.draw();
  },

  paintSpan() {
    if (!this.span || !this.span.rows.length) return;
    const {from, to, rows} = this.span, g = this.g, x = this.x(from), last = rows[rows.length - 1];
    g.fillStyle = g.strokeStyle = this.colours.mark;
    g.globalAlpha = 0.15;
    g.fillRect(x, rows[0].y, this.x(to) - x, last.y + last.height - rows[0].y);
    g.globalAlpha = 1;
    g.lineWidth = 1;
    g.strokeRect(x, rows[0].y, this.x(to) - x, last.y + last.height - rows[0].y);
  },
});
