// What a rank holds over time, on the axis of the timeline: exact, from what each node allocates and
// frees in the part that is shown; or, where these are too many or not on the page, in 600 columns.

// Changes that are drawn one by one: of a step, found once, and of a view, found at each move.
const CHART = 150, MOST_OF_STEP = 100000, MOST_OF_VIEW = 25000;

class MemoryChart {
  constructor(timeline) {
    this.timeline = timeline;
    const choices = timeline.runs.flatMap((run, r) => run.classes.map((c, row) => ({run, r, row})).filter(at => at.run.classes[at.row].memory));
    const room = at => { const m = at.run.classes[at.row].memory; return m.limit ? m.peak + m.reserved - m.limit : m.peak; };
    this.choice = choices.reduce((a, b) => room(b) > room(a) ? b : a);
    this.choices = choices;
    this.select = element("select", {"aria-label": "Whose memory", onchange: e => this.choose(choices[e.target.value])},
      choices.map((at, i) => element("option", {value: i, selected: at === this.choice},
        `${timeline.runs.length > 1 ? at.run.name + ": " : ""}${at.run.stageName(at.row)}, rank ${at.run.classes[at.row].rank}`)));
    this.canvas = element("canvas", {role: "img"});
    this.held = element("div", {class: "held", "aria-live": "off"});
    this.list = element("details", {class: "alive", ontoggle: () => this.fill()});
    timeline.chart.append(
      element("div", {class: "tools"}, element("h3", {}, "Memory of"), this.select,
        element("span", {class: "legend"}, [["driver and libraries", "#a8a8a8"], ...CATEGORIES.filter((_, k) =>
          choices.some(at => at.run.classes[at.row].memory.parts[k]))].map(([name, colour]) =>
            element("span", {class: "key"}, element("i", {style: {background: colour}}), name)))),
      this.canvas, this.held, this.list);
    this.canvas.addEventListener("pointermove", e => {
      timeline.cursor = timeline.time(e.clientX - this.canvas.getBoundingClientRect().left);
      this.pointAt(timeline.cursor);
      timeline.draw();
    });
    this.canvas.addEventListener("click", e => this.listAt(timeline.time(e.clientX - this.canvas.getBoundingClientRect().left)));
    this.canvas.addEventListener("wheel", e => timeline.wheel(e), {passive: false});
    this.choose(this.choice);
  }

  choose(at) {
    this.choice = at;
    const m = at.run.classes[at.row].memory;
    this.canvas.setAttribute("aria-label", `Memory of ${at.run.stageName(at.row)} over the step: ` +
      `at most ${bytesText(m.peak + m.reserved)}${m.limit ? " of " + bytesText(m.limit) : ""}, after ${timeText(m.at)}`);
    this.pointAt(m.at);
    this.listAt(m.at);
    this.timeline.draw();
  }

  // Everything alive at a moment, by module: the largest first.
  listAt(time) {
    const m = this.choice.run.classes[this.choice.row].memory;
    this.moment = Math.max(0, Math.min(time, this.choice.run.step));
    this.list.hidden = !this.known();
    this.list.replaceChildren(element("summary", {}, `Everything alive ${this.moment === m.at ? "at the peak" : "at " + timeText(this.moment)}`));
    this.fill();
  }

  fill() {
    if (!this.list.open || this.list.childElementCount > 1) return;
    const {run, row} = this.choice, m = run.classes[row].memory, held = this.alive(this.moment);
    const used = CATEGORIES.map((_, c) => c).filter(c => held.some(h => h.category === c)), modules = new Map();
    for (const h of held) {
      if (!modules.has(h.name)) modules.set(h.name, CATEGORIES.map(() => 0));
      modules.get(h.name)[h.category] += h.bytes;
    }
    if (m.reserved) modules.set("driver and libraries", CATEGORIES.map(() => 0));
    const total = bytes => bytes.reduce((a, b) => a + b, 0), all = total(held.map(h => h.bytes)) + m.reserved;
    const rows = [...modules].map(([name, bytes]) => ({name: name || "without a name", bytes, sum: total(bytes) || m.reserved})).sort((a, b) => b.sum - a.sum);
    this.list.append(table(["module", ...used.map(c => CATEGORIES[c][0]), "sum", "share"],
      rows.map(r => [r.name, ...used.map(c => r.bytes[c] ? bytesText(r.bytes[c]) : ""), bytesText(r.sum), shareText(r.sum / all)]),
      `${bytesText(all)} in ${countText(rows.length)} modules, copies of a layer together. Click in the chart for another moment.`));
  }

  // Allocations and releases of a range of items, or of the blocks of each stream in it, in the order
  // of time, releases first; or in the order of issue, each at the moment that the compute stream has
  // reached by then (account/changes.h): `now` before the first.
  changes(ranges, now) {
    const {run, row} = this.choice, {issued} = run.classes[row].memory;
    const list = [];
    ranges.forEach(([first, end], stream) => {
      const lane = run.lane(row, stream);
      for (let b = first; b < end; b++) {
        const p = lane.pattern(b), start = lane.begin(b), item = lane.item(b), order = run.order(p.fragment, stream);
        for (let i = 0; i < p.count; i++) {
          const n = run.fragments[p.fragment].nodes[order[i]];
          if ((n[0] > RECORD) !== (stream === run.host)) continue;
          const begun = start + (n[0] === RECV ? p.ready[i] : p.begun[i]), ended = start + p.end[i];
          const at = {item, node: order[i], stream};
          if (issued && !stream) list.push({...at, time: ended, bytes: 0});
          for (let m = 0; m < n[7].length; m += 3)
            list.push({...at, time: n[7][m] < 0 ? ended : begun, bytes: n[7][m], category: n[7][m + 1], label: n[7][m + 2]});
        }
      }
    });
    if (!issued) return list.sort((a, b) => a.time - b.time || Math.sign(a.bytes) - Math.sign(b.bytes));
    list.sort((a, b) => a.item - b.item || a.node - b.node || Math.sign(b.bytes) - Math.sign(a.bytes));
    for (const c of list)
      if (c.stream === 0) now = c.time; else c.time = now;
    return list.filter(c => c.bytes);
  }

  // Whether the page has all that is allocated.
  known() {
    const {run, row} = this.choice;
    return run.once("memory is known " + row, () => !run.classes[row].lanes.some(l => l === null) &&
      run.fragments.every(f => !f || f.nodes) &&
      run.streams.every((_, s) => !run.lane(row, s) || [...new Set(run.lane(row, s).tokens.numbers)].every(token => !run.lane(row, s).of(token).coarse)));
  }

  // Blocks of each stream that are not over before a moment and begin before another.
  ranges(from, to) {
    const {run, row} = this.choice, lanes = run.streams.map((_, s) => run.lane(row, s));
    if (!run.classes[row].memory.issued)
      return lanes.map(lane => lane ? [lane.ending(from), lane.beginning(to)] : [0, 0]);
    const first = lanes[0].ending(from), last = lanes[0].beginning(to);
    const items = [first, last].map((block, i) => block < lanes[0].count ? lanes[0].item(block) : lanes[0].program.count);
    return lanes.map(lane => lane ? items.map(item => lane.blockOf(item)) : [0, 0]);
  }

  // What nodes of a fragment allocate and free on a stream.
  of(fragment, stream) {
    const {run} = this.choice;
    return run.once(`changes of ${fragment} ${stream}`, () => run.order(fragment, stream).flatMap(i => {
      const n = run.fragments[fragment].nodes[i], all = [];
      if ((n[0] > RECORD) === (stream === run.host))
        for (let m = 0; m < n[7].length; m += 3) all.push([n[7][m], n[7][m + 1], n[7][m + 2]]);
      return all;
    }));
  }

  // Gives add(category, label, bytes) what is held before the first block of each stream.
  heldBefore(ranges, add) {
    const {run, row} = this.choice, {base} = run.classes[row].memory;
    for (let h = 0; h < base.length; h += 3) add(base[h + 1], base[h + 2], base[h]);
    ranges.forEach(([first], stream) => {
      const lane = run.lane(row, stream);
      if (!lane || !first) return;
      const items = first < lane.count ? lane.item(first) : lane.program.count;
      for (const fragment of lane.program.fragments()) {
        const count = lane.program.before(fragment, items);
        if (count) for (const [bytes, category, label] of this.of(fragment, stream)) add(category, label, count * bytes);
      }
    });
  }

  start(ranges) {
    const {run, row} = this.choice, lane = run.lane(row, 0);
    return lane && ranges[0][0] ? lane.end(ranges[0][0] - 1) : 0;
  }

  // Of a stretch of time, all of which is kept: its changes, and sums by category after each. null:
  // the page does not have them, or they are too many to be drawn.
  events(from = 0, to = this.choice.run.step) {
    if (!this.known()) return null;
    const last = this.last, {run, row} = this.choice;
    if (last && last.run === run && last.row === row && last.from === from && last.to === to) return last.events;
    const ranges = this.ranges(from, to), most = to - from < run.step ? MOST_OF_VIEW : MOST_OF_STEP;
    const events = this.tooMany(ranges, most) ? null : this.sums(ranges);
    this.last = {run, row, from, to, events};
    return events;
  }

  tooMany(ranges, most) {
    const {run, row} = this.choice;
    let count = 0;
    ranges.forEach(([first, end], stream) => {
      const lane = run.lane(row, stream);
      if (!lane || first >= end) return;
      const items = [first, end].map(b => b < lane.count ? lane.item(b) : lane.program.count);
      for (const fragment of lane.program.fragments())
        count += this.of(fragment, stream).length * (lane.program.before(fragment, items[1]) - lane.program.before(fragment, items[0]));
    });
    return count > most;
  }

  sums(ranges) {
    const list = this.changes(ranges, this.start(ranges)), n = list.length, now = CATEGORIES.map(() => 0);
    const e = {list, time: new Float64Array(n + 1), held: CATEGORIES.map(() => new Float64Array(n + 1)), total: new Float64Array(n + 1)};
    this.heldBefore(ranges, (category, label, bytes) => { now[category] += bytes; });
    for (let i = 0; i <= n; i++) {
      if (i) { e.time[i] = list[i - 1].time; now[list[i - 1].category] += list[i - 1].bytes; }
      now.forEach((bytes, c) => { e.held[c][i] = bytes; e.total[i] += bytes; });
    }
    return e;
  }

  // Gives add(category, label, bytes) what is held at a moment.
  heldAt(time, add) {
    const ranges = this.ranges(time, time);
    this.heldBefore(ranges, add);
    for (const c of this.changes(ranges, this.start(ranges)))
      if (c.time <= time) add(c.category, c.label, c.bytes);
  }

  // What is held at a moment, by name.
  alive(time) {
    const {run} = this.choice, sums = new Map();
    if (!this.known()) return [];
    this.heldAt(time, (category, label, bytes) => {
      const key = category + " " + label;
      sums.set(key, (sums.get(key) || 0) + bytes);
    });
    const merged = new Map();
    for (const [key, bytes] of sums) {
      const [category, label] = key.split(" ").map(Number);
      const name = run.names[label].replace(/\[[^\]]*\]/g, "[*]"), joined = category + " " + name;
      merged.set(joined, {category, name, bytes: bytes + (merged.has(joined) ? merged.get(joined).bytes : 0)});
    }
    return [...merged.values()].filter(h => h.bytes > 0).sort((a, b) => b.bytes - a.bytes);
  }

  // Of each column of a view with too many changes, what its middle holds of each category; what the
  // most of its moments holds beyond that is taken for activations.
  columns(pixel) {
    const t = this.timeline, {run, row} = this.choice, key = [row, t.from, t.to, t.plot].join(" ");
    if (this.mixed && this.mixed.run === run && this.mixed.key === key) return this.mixed.columns;
    const {curve, level} = run.classes[row].memory, levels = run.once("curve " + row, () => expand(curve)), columns = [];
    for (let x = 0; x < t.plot && t.from + x * pixel <= run.step; x++) {
      const most = (levels[Math.min(levels.length - 1, Math.floor((t.from + x * pixel) / run.step * levels.length))] || 0) * level;
      const held = CATEGORIES.map(() => 0);
      if (this.known()) this.heldAt(t.from + (x + 0.5) * pixel, (category, label, bytes) => { held[category] += bytes; });
      held[3] += Math.max(0, most - held.reduce((a, b) => a + b, 0));
      columns.push(held);
    }
    this.mixed = {run, key, columns};
    return columns;
  }

  pointAt(time) {
    if (!(time >= 0)) return;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      const held = this.alive(time), total = held.reduce((sum, h) => sum + h.bytes, 0);
      const m = this.choice.run.classes[this.choice.row].memory;
      this.held.replaceChildren(element("b", {}, held.length ? `${bytesText(total + m.reserved)} at ${timeText(time)}: ` : ""),
        ...held.slice(0, 8).map(h => element("span", {class: "key"}, element("i", {style: {background: CATEGORIES[h.category][1]}}),
          `${h.name || CATEGORIES[h.category][0]} ${bytesText(h.bytes)}`)),
        held.length > 8 ? `and ${held.length - 8} more` : "");
    }, 30);
  }

  paint() {
    const t = this.timeline, {run, row} = this.choice, m = run.classes[row].memory, ratio = devicePixelRatio || 1;
    const g = this.canvas.getContext("2d"), top = 1.03 * memoryTop(m), scale = CHART / top;
    if (this.canvas.width !== Math.round(t.width * ratio) || this.canvas.height !== Math.round((CHART + 8) * ratio)) {
      this.canvas.width = Math.round(t.width * ratio);
      this.canvas.height = Math.round((CHART + 8) * ratio);
      this.canvas.style.width = t.width + "px";
      this.canvas.style.height = CHART + 8 + "px";
    }
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = css(t.colours.paper);
    g.fillRect(0, 0, t.width, CHART + 8);
    g.fillStyle = t.colours.rail;
    for (const time of t.ticks()) g.fillRect(t.x(time), 0, 1, CHART + 8);
    const y = bytes => CHART + 4 - bytes * scale, pixel = (t.to - t.from) / t.plot;
    const whole = this.known() && !this.tooMany(this.ranges(0, run.step), MOST_OF_STEP);
    const e = whole ? this.events() : this.events(t.from, t.to), columns = e ? null : this.columns(pixel);
    let i = e ? Math.max(0, firstAbove(e.time, t.from) - 1) : 0;
    for (let x = 0; x < t.plot; x++) {
      const end = t.from + (x + 1) * pixel;
      if (t.from + x * pixel > run.step) break;
      let most = i;
      while (e && i < e.list.length && e.time[i + 1] < end) if (e.total[++i] > e.total[most]) most = i;
      const held = [m.reserved, ...(e ? e.held.map(of => of[most]) : columns[x])];
      let sum = 0;
      held.forEach((bytes, k) => {
        if (bytes <= 0) return;
        g.fillStyle = k ? CATEGORIES[k - 1][1] : "#a8a8a8";
        g.fillRect(t.gutter + x, y(sum + bytes), 1.02, bytes * scale);
        sum += bytes;
      });
    }
    this.scale(g, y, top, m);
  }

  scale(g, y, top, m) {
    const t = this.timeline;
    g.font = FONT;
    g.fillStyle = t.colours.faint;
    g.textAlign = "right";
    g.textBaseline = "middle";
    const unit = 2 ** (10 * Math.floor(Math.log2(top) / 10)), step = niceStep(Math.ceil(top / unit / 4)) * unit;
    for (let bytes = 0; bytes <= top; bytes += step) g.fillText(bytesText(bytes).replace(/\.0+ /, " "), t.gutter - 6, Math.min(CHART + 2, y(bytes)));
    const line = (bytes, text) => {
      g.strokeStyle = t.colours.path;
      g.lineWidth = 1.5;
      g.setLineDash([5, 3]);
      g.beginPath();
      g.moveTo(t.gutter, y(bytes));
      g.lineTo(t.width, y(bytes));
      g.stroke();
      g.setLineDash([]);
      g.strokeStyle = css(t.colours.paper); // what lies behind may have any colour
      g.lineWidth = 4;
      g.strokeText(text, t.width - 4, y(bytes) + 10);
      g.fillStyle = t.colours.ink;
      g.fillText(text, t.width - 4, y(bytes) + 10);
    };
    if (m.limit && m.limit <= top) line(m.limit, `device, ${bytesText(m.limit)}`);
    if (t.cursor > t.from && t.cursor < t.to) {
      g.fillStyle = t.colours.mark;
      g.fillRect(t.x(t.cursor), 0, 1, CHART + 8);
    }
  }
}
