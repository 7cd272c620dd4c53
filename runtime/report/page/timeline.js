// The timeline: what is shown of it, and how it is moved. timeline_draw.js paints it, timeline_inspect.js says
// what is at a place, memory.js is the chart below it.

const AXIS = 24, IDLE = 4, LANE = 12, MEMORY = 18, LEAST_PS = 1000;

class Timeline {
  constructor(section, runs) {
    this.runs = runs;
    this.step = Math.max(...runs.map(r => r.step), 1);
    this.from = 0;
    this.to = this.step;
    this.show = {streams: false, path: false, messages: false, memory: false, idle: true, all: false, pairs: false};
    this.selected = null;   // {run, row, item, node}
    this.found = null;      // of a search: {items: Set of "run row item", label}
    this.build(section);
    this.layout();
    this.listen();
    this.resize();
  }

  // ---- Elements ----

  build(section) {
    const more = this.runs.some(r => r.classes.some(c => !c.busiest));
    const toggle = (name, text, title) => element("label", {title},
      element("input", {type: "checkbox", checked: this.show[name], "data-show": name,
                        onchange: e => { this.show[name] = e.target.checked; this.layout(); this.resize(); }}), text);
    this.search = element("input", {type: "search", placeholder: "F(3), attn.qkv, rank 37",
                                    "aria-label": "Search items, operators, ranks and stages"});
    this.status = element("span", {class: "status", role: "status"});
    this.gutterless = element("div", {class: "plot"});
    this.overview = element("canvas", {class: "overview", "aria-hidden": "true"});
    this.canvas = element("canvas", {tabindex: 0, role: "application",
      "aria-label": "Timeline. Arrow keys move, plus and minus zoom, 0 shows the whole step, " +
                    "n and p go to the next and the previous work item, Enter opens a row, s sums up what is shown."});
    this.spacer = element("div");
    this.scroll = element("div", {class: "scroll"}, this.canvas, this.spacer);
    this.tip = element("div", {class: "tip", hidden: true});
    this.details = element("div", {class: "details", role: "region", "aria-label": "Selected work",
                                   "aria-live": "polite"});
    this.chart = element("div", {class: "chart"});
    this.legend = element("p", {class: "legend"});
    section.append(element("h2", {}, "Timeline"),
      element("div", {class: "tools"},
        element("form", {onsubmit: e => { e.preventDefault(); this.find(this.search.value); }}, this.search,
          element("button", {}, "Find")),
        element("span", {class: "buttons"},
          element("button", {title: "Zoom in (+)", "aria-label": "Zoom in", onclick: () => this.zoom(0.5)}, "+"),
          element("button", {title: "Zoom out (-)", "aria-label": "Zoom out", onclick: () => this.zoom(2)}, "\u2212"),
          element("button", {title: "The whole step (0)", onclick: () => this.range(0, this.step)}, "Fit"),
          element("button", {title: "Sums of what is shown, by kind and name (s)", onclick: () => this.sumUp()}, "Sum")),
        toggle("streams", "streams", "What each stream of a rank does"),
        toggle("path", "critical path", "What the length of the step hangs on"),
        toggle("messages", "messages", "From whom each message comes"),
        toggle("idle", "waits", "What the compute stream waits for"),
        this.runs.some(r => r.classes.some(c => c.memory)) ? toggle("memory", "memory", "What each rank holds") : null,
        this.runs.length > 1 ? toggle("pairs", "stage by stage", "Each stage of one plan beside that of the other") : null,
        more ? toggle("all", "all kinds of ranks", "Beside the busiest rank of each stage those that do other things") : null,
        this.status),
      this.legend, this.overview, this.scroll, this.chart, this.details,
      element("p", {class: "hint"}, "Wheel or pinch: zoom. Drag: move. Shift and drag: sums of that part. " +
        "Click: what it waited for, and what waited for it. Double click: zoom to it. Click on a name: its streams."),
      this.tip);
    this.legend.append(...this.legendEntries());
  }

  legendEntries() {
    const entry = (colour, text) => element("span", {class: "key"},
      element("i", {style: {background: colour}}), text);
    const used = new Set(), chunks = new Set([0]);
    for (const run of this.runs)
      run.classes.forEach((c, row) => run.work(row).colours.forEach(colour => {
        used.add(KINDS[Math.floor(colour / CHUNK_SHADES)]);
        chunks.add(colour % CHUNK_SHADES);
      }));
    const list = KINDS.filter(k => used.has(k)).map(k => entry(WORK[k][0], WORK[k][1]));
    if (chunks.size > 1) {
      const first = KINDS.find(k => used.has(k)), deep = this.runs.some(r => r.items.some((chunk, i) => i % 3 === 1 && chunk >= CHUNK_SHADES));
      list.push(element("span", {class: "key"}, ...[...chunks].sort().map(c =>
        element("i", {style: {background: SHADES_CSS[colourNumber(first, c)]}})), "chunks " + [...chunks].sort().join(", ") + (deep ? ", ..." : "")));
    }
    WAITS.forEach(([name, colour], kind) => {
      if (this.runs.some(r => r.idles.some((k, i) => i % 5 === 1 && k === kind)))
        list.push(entry(colour, kind === BUBBLE ? "pipeline bubble" : kind === HOST ? "waits for the host" : name));
    });
    return list;
  }

  // ---- Rows ----

  layout() {
    this.rows = [];
    const shown = this.runs.reduce((n, r) => n + r.classes.filter(c => c.busiest).length, 0);
    const height = shown > 40 ? 12 : shown > 24 ? 16 : 24;
    this.opened = this.opened || new Set();
    let y = AXIS + 4;
    const places = this.runs.flatMap((run, r) => run.classes.map((c, index) => ({run, r, c, index})));
    if (this.show.pairs) places.sort((a, b) => a.c.stage - b.c.stage || a.r - b.r || a.index - b.index);
    for (const {run, r, c, index} of places) {
      if (!c.busiest && !this.show.all) continue;
      const open = this.show.streams !== this.opened.has(r + " " + index), several = this.runs.length > 1;
      const first = several && !this.show.pairs && !this.rows.some(other => other.r === r);
      if (first) y += 18;
      const row = {run, r, index, y, work: height, open, lanes: [], indent: !c.busiest, first, paired: several && this.show.pairs};
      let at = y + height + (this.show.idle ? IDLE + 1 : 0);
      row.idle = y + height + 1;
      if (open)
        run.streams.forEach((name, stream) => {
          if (!c.lanes[stream] || !c.lanes[stream].length) return;
          row.lanes.push({stream, name, y: at + 1});
          at += LANE + 1;
        });
      if (this.show.memory && c.memory) { row.memory = at + 2; at += MEMORY + 3; }
      row.height = at - y;
      y = at + (height < 16 ? 2 : 5);
      this.rows.push(row);
    }
    this.content = y + 4;
    this.spacer.style.height = Math.max(0, this.content - this.viewHeight()) + "px";
  }

  // All rows if they nearly fit on the screen, else a part of it.
  viewHeight() {
    const most = this.printing ? 4000 : Math.max(240, innerHeight * (this.content < 0.8 * innerHeight ? 0.8 : 0.64));
    return Math.min(this.content, Math.round(most));
  }

  resize() {
    if (!this.scroll.clientWidth) return; // not shown
    this.width = this.scroll.clientWidth;
    this.gutter = this.width < 700 ? 74 : 132;
    this.plot = Math.max(50, this.width - this.gutter);
    const ratio = devicePixelRatio || 1;
    for (const [canvas, height] of [[this.canvas, this.viewHeight()], [this.overview, 30]]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = this.width + "px";
      canvas.style.height = height + "px";
    }
    this.scroll.style.height = this.viewHeight() + "px";
    this.spacer.style.height = Math.max(0, this.content - this.viewHeight()) + "px";
    this.colours = theme();
    this.whole = null;
    this.draw();
  }

  // ---- Where we are ----

  x(time) { return this.gutter + (time - this.from) / (this.to - this.from) * this.plot; }
  time(x) { return this.from + (x - this.gutter) / this.plot * (this.to - this.from); }

  range(from, to) {
    const length = Math.min(this.step, Math.max(to - from, LEAST_PS));
    this.from = Math.max(0, Math.min(from, this.step - length));
    this.to = this.from + length;
    this.draw();
  }

  zoom(factor, x = this.gutter + this.plot / 2) {
    const at = this.time(x), length = Math.min(this.step, (this.to - this.from) * factor);
    const left = (x - this.gutter) / this.plot * length;
    this.range(at - left, at - left + length);
  }

  // Moves so that [from, to) can be seen, and zooms if it is too small or too large for it.
  bring(from, to, index = null) {
    const length = this.to - this.from, needed = to - from;
    if (needed > length * 0.8 || needed < length / 200) this.range(from - 4 * needed, to + 4 * needed);
    else if (from < this.from || to > this.to) this.range(from - (length - needed) / 2, to + (length - needed) / 2);
    const row = index === null ? null : this.rows.find(r => r === index);
    if (!row) return;
    const top = this.scroll.scrollTop, height = this.viewHeight();
    if (row.y - AXIS < top || row.y + row.height > top + height)
      this.scroll.scrollTop = row.y - height / 2;
  }

  rowOf(at) {
    let row = this.rows.find(r => r.run === at.run && r.index === at.row);
    if (!row) {
      this.show.all = true;
      const box = document.querySelector("[data-show=all]");
      if (box) box.checked = true;
      this.layout();
      this.resize();
      row = this.rows.find(r => r.run === at.run && r.index === at.row);
    }
    return row;
  }

  select(at, bring = false) {
    this.selected = at;
    this.span = null;
    this.describe(at);
    if (at && bring) {
      const t = at.node >= 0 ? at.run.nodeTimes(at.row, at.item, at.node) : at.run.itemTimes(at.row, at.item);
      const item = t || at.run.itemTimes(at.row, at.item);
      if (item) this.bring(item.begun || item.begin, item.end, this.rowOf(at));
    }
    this.draw();
  }

  // ---- Input ----

  listen() {
    const canvas = this.canvas;
    addEventListener("resize", () => this.resize());
    this.scroll.addEventListener("scroll", () => this.draw());
    for (const media of ["(prefers-color-scheme: dark)", "print"])
      matchMedia(media).addEventListener("change", () => this.resize());
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
    canvas.addEventListener("wheel", e => this.wheel(e), {passive: false});
    canvas.addEventListener("dblclick", e => this.enter(this.at(e)));
    canvas.addEventListener("keydown", e => this.key(e));
    canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; this.hover = null; this.draw(); });
    this.drags(canvas);
    this.overview.addEventListener("pointerdown", e => this.jump(e));
    this.overview.addEventListener("pointermove", e => { if (e.buttons) this.jump(e); });
    addEventListener("keydown", e => {
      if (e.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
        e.preventDefault();
        this.search.focus();
      }
    });
  }

  print(on) {
    if (on) this.kept = [this.from, this.to];
    this.printing = on;
    if (!on && this.kept) [this.from, this.to] = this.kept;
    this.layout();
    this.resize();
    this.paint();
  }

  wheel(e) {
    const x = e.clientX - this.canvas.getBoundingClientRect().left;
    const sideways = e.shiftKey ? e.deltaY || e.deltaX : Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : 0;
    if (x < this.gutter && !e.ctrlKey) return; // the names: rows scroll
    if (!sideways && e.deltaY > 0 && this.to - this.from >= this.step) return; // the page scrolls on
    e.preventDefault();
    const pixels = e.deltaMode ? 30 : 1;
    if (sideways) this.pan(sideways * pixels);
    else this.zoom(Math.exp(Math.max(-0.5, Math.min(0.5, e.deltaY * pixels * (e.ctrlKey ? 0.01 : 0.0025)))), x);
  }

  pan(pixels) {
    const by = pixels / this.plot * (this.to - this.from);
    this.range(this.from + by, this.to + by);
  }

  // One pointer moves, two zoom. A press without a move selects.
  drags(canvas) {
    const down = new Map();
    let moved = 0, begun = null; // where a stretch to be summed up was begun
    canvas.addEventListener("pointerdown", e => {
      down.set(e.pointerId, e);
      moved = 0;
      begun = e.shiftKey && down.size === 1 ? e : null;
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", e => {
      const before = down.get(e.pointerId);
      if (!before) return this.point(e);
      const dx = e.clientX - before.clientX, dy = e.clientY - before.clientY;
      moved += Math.abs(dx) + Math.abs(dy);
      if (begun && moved > 3) {
        this.tip.hidden = true;
        this.span = this.spanOf(begun, e);
        this.draw();
      } else if (down.size === 2) {
        const other = [...down.entries()].find(([id]) => id !== e.pointerId)[1];
        const was = Math.hypot(before.clientX - other.clientX, before.clientY - other.clientY);
        const is = Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
        const middle = (e.clientX + other.clientX) / 2 - canvas.getBoundingClientRect().left;
        this.zoom(was / Math.max(is, 1), middle);
        this.pan(-dx / 2);
      } else if (moved > 3) {
        this.tip.hidden = true;
        canvas.classList.add("dragged");
        this.pan(-dx);
        this.scroll.scrollTop -= dy;
      }
      down.set(e.pointerId, e);
    });
    const up = e => {
      if (!down.delete(e.pointerId)) return;
      if (e.type === "pointerup" && moved <= 3) this.click(e);
      else if (begun && e.type === "pointerup") this.sumUp(this.spanOf(begun, e));
      begun = null;
      canvas.classList.remove("dragged");
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
  }

  click(e) {
    const at = this.at(e);
    if (at && at.name) {
      this.toggle(at.r, at.row);
    } else {
      this.select(at && at.item >= 0 ? at : null);
    }
  }

  // Into what is there, or out of it again.
  enter(at) {
    if (!at || !(at.item >= 0)) return;
    const t = at.node >= 0 && at.run.nodeTimes(at.row, at.item, at.node) || at.run.itemTimes(at.row, at.item);
    if (t) this.range((t.begun || t.begin) - (t.end - (t.begun || t.begin)) / 4, t.end + (t.end - (t.begun || t.begin)) / 4);
  }

  jump(e) {
    const box = this.overview.getBoundingClientRect(), length = this.to - this.from;
    const middle = (e.clientX - box.left - this.gutter) / this.plot * this.step;
    this.range(middle - length / 2, middle + length / 2);
  }

  key(e) {
    const steps = {ArrowLeft: () => this.pan(-this.plot / 5), ArrowRight: () => this.pan(this.plot / 5),
                   "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
                   0: () => this.range(0, this.step), Home: () => this.range(0, this.to - this.from),
                   End: () => this.range(this.step - (this.to - this.from), this.step),
                   n: () => this.next(1), p: () => this.next(-1), s: () => this.sumUp(),
                   ArrowDown: () => this.other(1), ArrowUp: () => this.other(-1),
                   Escape: () => { this.found = null; this.select(null); },
                   Enter: () => this.open()};
    if (!steps[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    steps[e.key]();
  }

  // The next work item of the row; the first that can be seen if none is selected.
  next(by) {
    const s = this.selected, row = s ? this.rowOf(s) : this.rows[0];
    if (!row) return;
    const work = row.run.work(row.index);
    const place = s ? work.indexOf(s.item) + by : work.ending(this.from);
    if (place >= 0 && place < work.count)
      this.select({run: row.run, r: row.r, row: row.index, item: work.item(place), node: NONE}, true);
  }

  // What the row below, or above, does at the same time.
  other(by) {
    const s = this.selected;
    if (!s) return this.next(1);
    const index = this.rows.indexOf(this.rowOf(s)) + by, row = this.rows[index];
    const t = s.run.itemTimes(s.row, s.item);
    if (!row || !t) return;
    const work = row.run.work(row.index), place = Math.min(work.count - 1, work.ending(t.begin));
    if (place >= 0)
      this.select({run: row.run, r: row.r, row: row.index, item: work.item(place), node: NONE}, true);
  }

  toggle(r, row) {
    if (!this.opened.delete(r + " " + row)) this.opened.add(r + " " + row);
    this.layout();
    this.resize();
  }

  open() {
    const row = this.selected ? this.rowOf(this.selected) : this.rows[0];
    if (row) this.toggle(row.r, row.index);
  }
}
