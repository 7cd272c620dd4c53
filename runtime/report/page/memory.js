// What a rank holds over time, on the axis of the timeline: exact, from what each node allocates
// and frees; or, where nodes are not on the page, in 600 columns.

const CHART = 150;

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
    timeline.chart.append(
      element("div", {class: "tools"}, element("h3", {}, "Memory of"), this.select,
        element("span", {class: "legend"}, [["driver and libraries", "#a8a8a8"], ...CATEGORIES.filter((_, k) =>
          choices.some(at => at.run.classes[at.row].memory.parts[k]))].map(([name, colour]) =>
            element("span", {class: "key"}, element("i", {style: {background: colour}}), name)))),
      this.canvas, this.held);
    this.canvas.addEventListener("pointermove", e => {
      timeline.cursor = timeline.time(e.clientX - this.canvas.getBoundingClientRect().left);
      this.pointAt(timeline.cursor);
      timeline.draw();
    });
    this.canvas.addEventListener("wheel", e => timeline.wheel(e), {passive: false});
    this.choose(this.choice);
  }

  choose(at) {
    this.choice = at;
    const m = at.run.classes[at.row].memory;
    this.canvas.setAttribute("aria-label", `Memory of ${at.run.stageName(at.row)} over the step: ` +
      `at most ${bytesText(m.peak + m.reserved)}${m.limit ? " of " + bytesText(m.limit) : ""}, after ${timeText(m.at)}`);
    this.pointAt(m.at);
    this.timeline.draw();
  }

  // In the order of issue, each at the moment that the compute stream has reached by then
  // (account/changes.h).
  asIssued(list) {
    let now = 0;
    list.sort((a, b) => a.item - b.item || a.node - b.node || Math.sign(b.bytes) - Math.sign(a.bytes));
    for (const c of list)
      if (c.stream === 0) now = c.time; else c.time = now;
    return list.filter(c => c.bytes);
  }

  // Allocations and releases in the order of time, releases first; then sums by category.
  events() {
    const {run, row} = this.choice;
    return run.once("memory " + row, () => {
      const program = run.classes[row].program, items = run.program(program), issued = run.classes[row].memory.issued;
      let list = [];
      for (let stream = 0; stream <= run.host; stream++) {
        const lane = run.lane(row, stream);
        for (let b = 0; lane && b < lane.count; b++) {
          const p = run.pattern(lane.pattern[b]), nodes = run.fragments[p.fragment].nodes;
          if (p.coarse) return null;
          const order = run.order(p.fragment, stream);
          for (let i = 0; i < p.count; i++) {
            const n = nodes[order[i]], hosts = n[0] > RECORD;
            if (hosts !== (stream === run.host)) continue;
            const start = lane.begin[b] + (n[0] === RECV ? p.ready[i] : p.begun[i]), end = lane.begin[b] + p.end[i];
            const at = {item: lane.item[b], node: order[i], stream};
            if (issued && !stream) list.push({...at, time: end, bytes: 0});
            for (let m = 0; m < n[7].length; m += 3)
              list.push({...at, time: n[7][m] < 0 ? end : start, bytes: n[7][m], category: n[7][m + 1], label: n[7][m + 2]});
          }
        }
      }
      const missing = run.classes[row].lanes.some(l => l === null);
      if (missing || items.count && run.fragments.some(f => f && !f.nodes)) return null;
      if (issued) list = this.asIssued(list);
      else list.sort((a, b) => a.time - b.time || Math.sign(a.bytes) - Math.sign(b.bytes));
      const n = list.length, e = {list, time: new Float64Array(n + 1), held: CATEGORIES.map(() => new Float64Array(n + 1)), total: new Float64Array(n + 1)};
      const base = run.classes[row].memory.base, now = CATEGORIES.map(() => 0);
      for (let h = 0; h < base.length; h += 3) now[base[h + 1]] += base[h];
      for (let i = 0; i <= n; i++) {
        if (i) { e.time[i] = list[i - 1].time; now[list[i - 1].category] += list[i - 1].bytes; }
        now.forEach((bytes, c) => { e.held[c][i] = bytes; e.total[i] += bytes; });
      }
      return e;
    });
  }

  // What is held at a moment, by name.
  alive(time) {
    const {run, row} = this.choice, e = this.events(), sums = new Map();
    if (!e) return [];
    const add = (category, label, bytes) => {
      const key = category + " " + label;
      sums.set(key, (sums.get(key) || 0) + bytes);
    };
    const base = run.classes[row].memory.base;
    for (let h = 0; h < base.length; h += 3) add(base[h + 1], base[h + 2], base[h]);
    for (let i = 0; i < e.list.length && e.list[i].time <= time; i++) add(e.list[i].category, e.list[i].label, e.list[i].bytes);
    const merged = new Map();
    for (const [key, bytes] of sums) {
      const [category, label] = key.split(" ").map(Number);
      const name = run.names[label].replace(/\[[^\]]*\]/g, "[*]"), joined = category + " " + name;
      merged.set(joined, {category, name, bytes: bytes + (merged.has(joined) ? merged.get(joined).bytes : 0)});
    }
    return [...merged.values()].filter(h => h.bytes > 0).sort((a, b) => b.bytes - a.bytes);
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
    const e = this.events(), y = bytes => CHART + 4 - bytes * scale, pixel = (t.to - t.from) / t.plot;
    const levels = e ? null : run.once("curve " + row, () => expand(m.curve));
    let i = e ? Math.max(0, firstAbove(e.time, t.from) - 1) : 0;
    for (let x = 0; x < t.plot; x++) {
      const end = t.from + (x + 1) * pixel;
      if (t.from + x * pixel > run.step) break;
      let held = [m.reserved], colours = ["#a8a8a8"];
      if (e) {
        let most = i;
        while (i < e.list.length && e.time[i + 1] < end) if (e.total[++i] > e.total[most]) most = i;
        CATEGORIES.forEach((c, k) => { held.push(e.held[k][most]); colours.push(c[1]); });
      } else {
        const column = Math.floor((t.from + x * pixel) / run.step * levels.length);
        held.push((levels[Math.min(levels.length - 1, column)] || 0) * m.level);
        colours.push(CATEGORIES[3][1]);
      }
      let sum = 0;
      held.forEach((bytes, k) => {
        if (bytes <= 0) return;
        g.fillStyle = colours[k];
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
      g.fillStyle = t.colours.ink;
      g.fillText(text, t.width - 4, y(bytes) + 9);
    };
    if (m.limit && m.limit <= top) line(m.limit, `device, ${bytesText(m.limit)}`);
    if (t.cursor > t.from && t.cursor < t.to) {
      g.fillStyle = t.colours.mark;
      g.fillRect(t.x(t.cursor), 0, 1, CHART + 8);
    }
  }
}
