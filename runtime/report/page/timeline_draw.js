// Painting of the timeline. What is narrower than pixels is mixed: each column has the mean colour
// of what happens in it, so nothing disappears at any zoom.

const FONT = "11px system-ui, sans-serif", SMALL = "9px system-ui, sans-serif";

Object.assign(Timeline.prototype, {
  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.paint(); });
  },

  paint() {
    if (!this.width) return;
    const g = this.g = this.canvas.getContext("2d"), ratio = devicePixelRatio || 1;
    const top = this.scroll.scrollTop, height = this.viewHeight();
    this.lines = [];
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = css(this.colours.paper);
    g.fillRect(0, 0, this.width, height);
    this.grid(height);
    g.save();
    g.beginPath();
    g.rect(0, AXIS, this.width, height - AXIS);
    g.clip();
    g.translate(0, -top);
    const seen = this.rows.filter(r => r.y + r.height >= top + AXIS && r.y <= top + height);
    g.save();
    g.beginPath();
    g.rect(this.gutter, top, this.plot, height);
    g.clip();
    for (const row of seen) this.paintRow(row);
    this.flush();
    if (this.show.messages) this.paintMessages(seen);
    if (this.show.path) this.paintPath();
    this.paintSelection();
    this.paintSpan();
    g.restore();
    for (const row of seen) this.paintName(row);
    g.restore();
    this.axis();
    this.paintOverview();
    if (this.memoryChart) this.memoryChart.paint();
  },

  // ---- Columns of mixed colours ----

  // Colours of columns to be painted at y, `high` pixels high; flush() paints all at once.
  line(y, high, colour) {
    const pixels = new Uint8ClampedArray(4 * this.plot);
    for (let x = 0; x < this.plot; x++) {
      const c = colour(x);
      pixels[4 * x] = c[0];
      pixels[4 * x + 1] = c[1];
      pixels[4 * x + 2] = c[2];
      pixels[4 * x + 3] = 255;
    }
    this.lines.push({y, high, pixels});
  },

  flush() {
    if (!this.lines.length) return;
    this.strip = this.strip || document.createElement("canvas");
    this.strip.width = this.plot;
    this.strip.height = this.lines.length;
    const g = this.strip.getContext("2d");
    const image = g.createImageData(this.plot, this.lines.length);
    this.lines.forEach((l, i) => image.data.set(l.pixels, 4 * i * this.plot));
    g.putImageData(image, 0, 0);
    this.g.imageSmoothingEnabled = false;
    this.lines.forEach((l, i) =>
      this.g.drawImage(this.strip, 0, i, this.plot, 1, this.gutter, l.y, this.plot, l.high));
    this.lines = [];
  },

  // What share of each column which slot has: w.before(time, sums) gives each slot's time until then.
  mixed(y, high, w, colours, from = this.from, to = this.to) {
    const scale = this.plot / (to - from), slots = colours.length, paper = this.colours.paper;
    const before = new Float64Array(slots), now = new Float64Array(slots), c = [0, 0, 0];
    w.before(from, before);
    this.line(y, high, x => {
      w.before(from + (x + 1) / scale, now);
      let rest = 1;
      c[0] = c[1] = c[2] = 0;
      for (let s = 0; s < slots; s++) {
        const share = Math.min(1, (now[s] - before[s]) * scale);
        before[s] = now[s];
        if (share <= 0) continue;
        rest -= share;
        for (let k = 0; k < 3; k++) c[k] += share * colours[s][k];
      }
      for (let k = 0; k < 3; k++) c[k] += Math.max(0, rest) * paper[k];
      return c;
    });
  },

  // ---- Rows ----

  paintRow(row) {
    const {run, index} = row, work = run.work(index);
    this.g.fillStyle = this.colours.rail;
    this.g.fillRect(this.gutter, row.y, this.plot, row.work);
    const first = work.ending(this.from), end = work.beginning(this.to);
    if (end - first > this.plot / 4) {
      this.mixed(row.y, row.work, work, work.colours.map(c => SHADES[c]));
    } else {
      for (let i = first; i < end; i++) this.paintItem(row, work, i);
    }
    if (this.show.idle) this.paintIdle(row);
    for (const lane of row.lanes) this.paintLane(row, lane);
    if (row.memory) this.paintMemory(row);
  },

  paintItem(row, work, i) {
    const g = this.g, begun = work.begin(i), ended = work.end(i), x = this.x(begun), end = this.x(ended), wide = end - x;
    const items = row.run.program(row.run.classes[row.index].program), item = work.item(i), colour = work.colour(i);
    const left = Math.max(x, this.gutter), right = Math.min(end, this.width);
    const shade = SHADES[colour], inside = wide > 420 && this.showsKernels(row, item);
    g.fillStyle = inside ? css(mix(shade, this.colours.paper, 0.6)) : SHADES_CSS[colour];
    g.fillRect(left, row.y, Math.max(0.5, right - left - (wide > 3 ? 1 : 0)), row.work);
    this.paintWaits(row, begun, ended);
    if (inside) this.paintKernels(row, item);
    if (this.isFound(row, item)) this.frame(left, row.y, right - left, row.work, this.colours.mark);
    if (wide < 13) return;
    const letters = row.run.fragments[items.fragment(item)].work;
    const micro = items.micro(item) < 0 ? "" : String(items.micro(item));
    const chunk = items.chunk(item) ? "\u00b7" + items.chunk(item) : "";
    const texts = [letters + micro + chunk, letters + micro, letters];
    g.fillStyle = inside ? this.colours.ink : "#000";
    g.font = row.work < 16 || inside ? SMALL : FONT;
    const text = texts.find(t => t && g.measureText(t).width < right - left - 4);
    if (!text) return;
    g.textBaseline = "middle";
    g.textAlign = inside ? "left" : "center";
    const place = [text, inside ? left + 3 : (left + right) / 2, row.y + (inside ? 6 : row.work / 2 + 0.5)];
    g.strokeStyle = g.fillStyle === "#000000" ? SHADES_CSS[colour] : css(mix(shade, this.colours.paper, 0.6));
    g.lineWidth = 3;
    g.strokeText(...place); // over the hollow part of a wait it would be black on dark
    g.fillText(...place);
  },

  // Waits inside of a work item are hollow: what is filled is its work. Those narrower than a pixel
  // make theirs as pale as they take of it.
  paintWaits(row, begin, end) {
    const g = this.g;
    let pixel = 0, share = 0;
    const pale = next => {
      if (share > 0) { g.globalAlpha = Math.min(1, share); g.fillRect(pixel, row.y + 1, 1, row.work - 2); g.globalAlpha = 1; }
      pixel = next;
      share = 0;
    };
    g.fillStyle = this.colours.rail;
    for (const w of row.run.idle(row.index).between(begin, end)) {
      const x = Math.max(this.x(Math.max(w.begin, begin)), this.gutter);
      const wide = Math.min(this.x(Math.min(w.end, end)), this.width) - x;
      if (wide <= 0) continue;
      if (wide >= 1) { g.fillRect(x, row.y + 1, wide, row.work - 2); continue; }
      if (Math.floor(x) !== pixel) pale(Math.floor(x));
      share += wide;
    }
    pale(0);
  },

  // Kernels inside of a work item that is wide enough: a row of boxes below its name.
  showsKernels(row, item) {
    return row.work >= 16 && !this.patternOf(row, item).coarse;
  },

  patternOf(row, item) {
    const lane = row.run.lane(row.index, 0);
    return lane.pattern(lane.blockOf(item));
  },

  paintKernels(row, item) {
    const lane = row.run.lane(row.index, 0);
    this.paintNodes(row, {stream: 0, y: row.y + 12}, lane, lane.blockOf(item), row.work - 12);
  },

  paintIdle(row) {
    const idle = row.run.idle(row.index), seen = idle.between(this.from, this.to, this.plot / 4);
    if (seen === NONE) {
      this.mixed(row.idle, IDLE, idle, WAITS.map(k => rgb(k[1])));
    } else {
      for (const w of seen) {
        const x = Math.max(this.x(w.begin), this.gutter);
        this.g.fillStyle = WAITS[w.kind][1];
        this.g.fillRect(x, row.idle, Math.max(0.5, this.x(w.end) - x), IDLE);
      }
    }
  },

  paintLane(row, lane) {
    const blocks = row.run.lane(row.index, lane.stream);
    if (!blocks) return;
    const first = blocks.ending(this.from), end = blocks.beginning(this.to);
    let nodes = 0;
    for (let b = first; b < end && nodes < this.plot; b++) nodes += blocks.pattern(b).count;
    if (nodes < this.plot / 2 || end - first <= 2) {
      for (let b = first; b < end; b++) this.paintNodes(row, lane, blocks, b, LANE - 1);
      return;
    }
    const scale = (this.to - this.from) / this.plot, paper = this.colours.paper, run = row.run;
    const busy = lane.stream === 0 || lane.stream === run.host ? this.colours.busy : this.colours.transfer;
    const colour = rgb(busy), waits = mix(paper, rgb(this.colours.mark), 0.25);
    let b0 = blocks.before(this.from), w0 = blocks.before(this.from, "wait");
    this.line(lane.y, LANE - 1, x => {
      const t = this.from + (x + 1) * scale, b1 = blocks.before(t), w1 = blocks.before(t, "wait");
      const c = mix(mix(paper, waits, Math.min(1, (w1 - w0) / scale)), colour, Math.min(1, (b1 - b0) / scale));
      b0 = b1;
      w0 = w1;
      return c;
    });
  },

  paintNodes(row, lane, blocks, block, high) {
    const g = this.g, run = row.run, p = blocks.pattern(block), start = blocks.begin(block);
    const nodes = run.fragments[p.fragment].nodes, order = p.coarse ? null : run.order(p.fragment, lane.stream);
    g.font = SMALL;
    g.textBaseline = "middle";
    g.textAlign = "left";
    for (let i = Math.max(0, firstAbove(p.end, this.from - start)); i < p.count && start + p.ready[i] < this.to; i++) {
      if (p.end[i] <= p.ready[i]) continue;
      const ready = Math.max(this.x(start + p.ready[i]), this.gutter), x = Math.max(this.x(start + p.begun[i]), this.gutter);
      const end = Math.min(this.x(start + p.end[i]), this.width);
      if (x - ready > 0.3) {
        g.fillStyle = this.colours.line;
        g.fillRect(ready, lane.y + high / 2 - 1, x - ready, 2);
      }
      const node = order ? nodes[order[i]] : null;
      const phase = node && node[0] === COMPUTE ? PHASES[node[2]][1] : null;
      g.fillStyle = lane.stream === run.host ? WAITS[HOST][1] : phase ? WORK[phase][0] : node && node[0] === COMPUTE ? WORK.x[0] : this.colours.transfer;
      g.fillRect(x, lane.y, Math.max(0.5, end - x - (end - x > 3 ? 0.7 : 0)), high);
      if (!node) continue;
      const name = run.names[node[4]];
      if (this.found && this.found.label && name.toLowerCase().includes(this.found.label))
        this.frame(x, lane.y, end - x, high, this.colours.mark);
      if (end - x > 24) this.fit(name, x + 2, lane.y + high / 2 + 0.5, end - x - 4);
    }
  },

  // As much of the end of a name as there is room for: names end in what is special of them.
  fit(name, x, y, room) {
    const g = this.g, whole = g.measureText(name).width;
    g.fillStyle = "#000";
    if (whole <= room) return g.fillText(name, x, y);
    const last = name.slice(name.lastIndexOf(".") + 1);
    if (g.measureText(last).width <= room) g.fillText(last, x, y);
  },

  paintMemory(row) {
    const m = row.run.classes[row.index].memory, levels = row.run.once("curve " + row.index, () => expand(m.curve));
    const most = Math.max(...row.run.classes.map(c => c.memory ? c.memory.peak + c.memory.reserved : 0), 1);
    const g = this.g, bottom = row.memory + MEMORY, scale = MEMORY / most;
    g.fillStyle = CATEGORIES[3][1];
    for (let x = 0; x < this.plot; x++) {
      const column = Math.floor(this.time(this.gutter + x) / row.run.step * levels.length);
      const high = ((levels[Math.min(column, levels.length - 1)] || 0) * m.level + m.reserved) * scale;
      if (column < levels.length) g.fillRect(this.gutter + x, bottom - high, 1, high);
    }
  },

  frame(x, y, wide, high, colour) {
    this.g.strokeStyle = colour;
    this.g.lineWidth = 2;
    this.g.strokeRect(x + 1, y + 1, Math.max(1, wide - 3), high - 2);
  },

  paintName(row) {
    const g = this.g, c = row.run.classes[row.index];
    if (row.first) {
      g.font = "bold " + FONT;
      g.textAlign = "left";
      g.fillStyle = this.colours.ink;
      g.fillText(row.run.name, 2, row.y - 9);
    }
    g.font = row.work < 16 ? SMALL : FONT;
    g.textBaseline = "middle";
    g.textAlign = "left";
    g.fillStyle = row.indent ? this.colours.faint : this.colours.ink;
    const stage = row.indent ? `rank ${c.rank}` : row.run.stageName(row.index);
    const name = row.paired ? `${stage}, ${row.run.name}` : stage;
    g.fillText(row.open ? "\u25be" : "\u25b8", 2, row.y + row.work / 2);
    this.clipped(name, 14, row.y + row.work / 2, this.gutter - 18);
    g.font = SMALL;
    g.fillStyle = this.colours.faint;
    g.textAlign = "right";
    for (const lane of row.lanes) this.clipped(lane.name, this.gutter - 5, lane.y + LANE / 2, this.gutter - 18);
    if (row.memory) g.fillText("memory", this.gutter - 5, row.memory + MEMORY / 2);
  },

  clipped(text, x, y, room) {
    const g = this.g;
    while (text.length > 1 && g.measureText(text).width > room) text = text.slice(0, -2) + "\u2026";
    g.fillText(text, x, y);
  },

  // ---- Axis ----

  tick() { return niceStep((this.to - this.from) * 110 / this.plot); },

  ticks() {
    const step = this.tick(), out = [];
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) out.push(t);
    return out;
  },

  grid(height) {
    this.g.fillStyle = this.colours.rail;
    for (const t of this.ticks()) this.g.fillRect(this.x(t), AXIS - 5, 1, height);
  },

  axis() {
    const g = this.g;
    g.font = FONT;
    g.textBaseline = "alphabetic";
    g.fillStyle = this.colours.ink;
    g.textAlign = "left";
    const last = this.width - 46;
    const step = this.tick();
    for (const t of this.ticks()) if (this.x(t) < last) g.fillText(tickText(t, step), this.x(t) + 3, AXIS - 9);
    g.fillStyle = this.colours.line;
    g.fillRect(0, AXIS - 1, this.width, 1);
    if (this.cursor > this.from && this.cursor < this.to) {
      g.fillStyle = this.colours.mark;
      g.fillRect(this.x(this.cursor), AXIS, 1, this.viewHeight());
    }
  },

  // ---- Over the rows ----

  paintPath() {
    const g = this.g;
    for (const run of this.runs) {
      const pieces = run.criticalPath(), rowAt = new Map(this.rows.filter(r => r.run === run).map(r => [r.index, r]));
      const middle = p => rowAt.has(p.row) ? rowAt.get(p.row).y + rowAt.get(p.row).work / 2 : null;
      let low = 0, high = pieces.length;
      while (low < high) { const m = (low + high) >> 1; if (pieces[m].end > this.from) high = m; else low = m + 1; }
      for (const [width, colour] of [[5, css(this.colours.paper)], [2.5, this.colours.path]]) {
        g.beginPath();
        g.lineJoin = "round";
        let pen = false, lastX = -9, lastY = -9;
        for (let i = Math.max(0, low - 1); i < pieces.length && pieces[i].begin < this.to; i++) {
          const y = middle(pieces[i]), x0 = this.x(pieces[i].begin), x1 = this.x(pieces[i].end);
          if (y === null) { pen = false; continue; }
          if (pen && x1 - lastX < 0.7 && y === lastY) continue;
          if (pen) g.lineTo(x0, y); else g.moveTo(x0, y);
          g.lineTo(x1, y);
          pen = true;
          lastX = x1;
          lastY = y;
        }
        g.strokeStyle = colour;
        g.lineWidth = width;
        g.stroke();
      }
    }
  },

  arrow(m, run, strong) {
    const from = run.nodeTimes(m.row, m.item, m.node), to = run.nodeTimes(m.toRow, m.toItem, m.toNode);
    const a = this.rows.find(r => r.run === run && r.index === m.row), b = this.rows.find(r => r.run === run && r.index === m.toRow);
    if (!from || !to || !a || !b) return;
    const g = this.g, down = b.y > a.y, x0 = this.x(from.begun), x1 = this.x(to.end);
    const y0 = down ? a.y + a.work : a.y, y1 = down ? b.y : b.y + b.work;
    if (x1 < this.gutter || x0 > this.width) return;
    g.strokeStyle = g.fillStyle = strong ? this.colours.mark : this.colours.ink;
    g.lineWidth = strong ? 2 : 1;
    g.beginPath();
    g.moveTo(x0, y0);
    g.bezierCurveTo(x0, y0 + (y1 - y0) * 0.4, x1, y1 - (y1 - y0) * 0.4, x1, y1);
    g.stroke();
    g.beginPath();
    g.moveTo(x1, y1);
    g.lineTo(x1 - 3, y1 - (down ? 6 : -6));
    g.lineTo(x1 + 3, y1 - (down ? 6 : -6));
    g.fill();
  },

  paintMessages(seen) {
    let count = 0;
    for (const row of seen) {
      const work = row.run.work(row.index);
      count += work.beginning(this.to) - work.ending(this.from);
    }
    this.status.textContent = count > 500 ? "Zoom in to see messages." : "";
    if (count > 500) return;
    for (const row of seen) {
      const work = row.run.work(row.index), end = Math.min(work.count, work.beginning(this.to) + 1);
      for (let i = Math.max(0, work.ending(this.from) - 1); i < end; i++)
        for (const m of row.run.messagesTo(row.index, work.item(i))) this.arrow(m, row.run, false);
    }
  },

  paintSelection() {
    for (const [at, colour] of [[this.hover, this.colours.ink], [this.selected, this.colours.mark]]) {
      if (!at || !(at.item >= 0)) continue;
      const row = this.rows.find(r => r.run === at.run && r.index === at.row);
      if (!row) continue;
      const item = at.run.itemTimes(at.row, at.item), node = at.node >= 0 && at.run.nodeTimes(at.row, at.item, at.node);
      if (item) this.frame(this.x(item.begin), row.y, this.x(item.end) - this.x(item.begin) + 1, row.work, colour);
      const lane = node && row.lanes.find(l => l.stream === node.stream);
      if (lane) this.frame(this.x(node.begun), lane.y, this.x(node.end) - this.x(node.begun) + 2, LANE - 1, colour);
      if (at === this.selected) {
        for (const m of [...at.run.messagesTo(at.row, at.item), ...at.run.messagesFrom(at.row, at.item)])
          this.arrow(m, at.run, true);
      }
    }
  },

  // The whole step in small, with the part that is shown.
  paintOverview() {
    const ratio = devicePixelRatio || 1, g = this.overview.getContext("2d", {willReadFrequently: true});
    if (!this.whole) {
      const keep = this.g, high = 26 / this.rows.length;
      this.g = g;
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      g.fillStyle = css(this.colours.paper);
      g.fillRect(0, 0, this.width, 30);
      this.rows.forEach((row, i) => {
        const work = row.run.work(row.index), idle = row.run.idle(row.index), own = work.colours.length;
        const both = {before(time, sums) { work.before(time, sums.subarray(0, own)); idle.before(time, sums.subarray(own)); }};
        if (work.count)
          this.mixed(2 + i * high, Math.max(1, high), both, [...work.colours.map(c => SHADES[c]), ...WAITS.map(w => rgb(w[1]))], 0, this.step);
      });
      this.flush();
      this.g = keep;
      this.whole = g.getImageData(0, 0, this.overview.width, this.overview.height);
    }
    g.putImageData(this.whole, 0, 0);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    const x = t => this.gutter + t / this.step * this.plot;
    g.fillStyle = this.colours.ink;
    g.globalAlpha = 0.35;
    g.fillRect(this.gutter, 2, x(this.from) - this.gutter, 26);
    g.fillRect(x(this.to), 2, this.width - x(this.to), 26);
    g.globalAlpha = 1;
    g.strokeStyle = this.colours.mark;
    g.lineWidth = 2;
    g.strokeRect(x(this.from), 2, Math.max(2, x(this.to) - x(this.from) - 1), 26);
    g.font = SMALL;
    g.fillStyle = this.colours.faint;
    g.textBaseline = "middle";
    g.fillText("whole step", 14, 15);
  },
});
