// What is at a place of the timeline, what it waited for, and what waited for it; and the search.

Object.assign(Timeline.prototype, {
  // {run, r, row, item, node} under the pointer; item NONE: nothing but the row; name: its name.
  at(e) {
    const box = this.canvas.getBoundingClientRect(), x = e.clientX - box.left;
    const shown = e.clientY - box.top, y = shown + this.scroll.scrollTop;
    const row = shown < AXIS ? null : this.rows.find(r => y >= r.y && y < r.y + r.height + 3);
    if (!row) return null;
    const at = {run: row.run, r: row.r, row: row.index, item: NONE, node: NONE, time: this.time(x)};
    if (x < this.gutter) return {...at, name: true};
    const lane = row.lanes.find(l => y >= l.y && y < l.y + LANE);
    if (lane) return this.atLane(at, lane.stream);
    if (this.show.idle && y >= row.idle && y < row.idle + IDLE) return this.atIdle(at);
    const work = row.run.work(row.index), i = work.ending(at.time);
    if (i >= work.count || work.begin(i) > at.time) return this.atIdle(at);
    at.item = work.item(i);
    const wide = (work.end(i) - work.begin(i)) / (this.to - this.from) * this.plot;
    return wide > 420 && y > row.y + 12 ? {...this.atLane({...at}, 0), item: at.item} : at;
  },

  atLane(at, stream) {
    const lane = at.run.lane(at.row, stream), b = lane ? lane.ending(at.time) : 0;
    if (!lane || b >= lane.count || lane.begin(b) > at.time) return at;
    const p = lane.pattern(b), i = firstAbove(p.end, at.time - lane.begin(b));
    at.item = lane.item(b);
    if (!p.coarse && i < p.count) at.node = at.run.order(p.fragment, stream)[i];
    return at;
  },

  atIdle(at) {
    const idle = at.run.idle(at.row), i = idle.ending(at.time);
    if (i < idle.count && idle.at(i).begin <= at.time) at.idle = i;
    return at;
  },

  point(e) {
    const at = this.at(e);
    this.hover = at && !at.name ? at : null;
    this.cursor = at && !at.name ? at.time : NONE;
    this.canvas.style.cursor = at && at.name ? "pointer" : "";
    const lines = at ? this.linesOf(at) : [];
    this.tip.hidden = !lines.length;
    if (lines.length) {
      this.tip.replaceChildren(...lines.map((l, i) => element(i ? "div" : "b", {}, l)));
      const width = this.tip.offsetWidth, height = this.tip.offsetHeight;
      this.tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - width - 8)) + "px";
      this.tip.style.top = (e.clientY + 18 + height > innerHeight ? e.clientY - height - 10 : e.clientY + 18) + "px";
    }
    if (this.memoryChart) this.memoryChart.pointAt(this.cursor);
    this.draw();
  },

  where(at) {
    const c = at.run.classes[at.row];
    return `${at.run.stageName(at.row)}, rank ${c.rank}${c.ranks > 1 ? ` and ${countText(c.ranks - 1)} alike` : ""}`;
  },

  linesOf(at) {
    const run = at.run;
    if (at.name) {
      const c = run.classes[at.row];
      return [run.stageName(at.row), `rank ${c.rank} ${c.place}`, c.ranks > 1 ? `stands for ${countText(c.ranks)} ranks` : null].filter(Boolean);
    }
    if (at.idle !== undefined) {
      const w = run.idle(at.row).at(at.idle);
      return [`${WAITS[w.kind][0]}, ${timeText(w.end - w.begin)}`,
              w.node >= 0 ? `waits for ${this.nodeText(run, at.row, w.item, w.node)}` : "waits for the host", this.where(at)];
    }
    if (at.item < 0) return [];
    const item = run.itemTimes(at.row, at.item), name = run.itemName(at.row, at.item);
    const waited = item ? run.idle(at.row).within(item.begin, item.end) : 0;
    if (at.node < 0)
      return item ? [name, `${timeText(item.end - item.begin)} from ${timeText(item.begin)}`,
                     waited > 0 ? `${timeText(item.end - item.begin - waited)} of work, ${timeText(waited)} of waits` : null,
                     this.where(at)].filter(Boolean) : [];
    return [...this.nodeLines(at), name + " of " + this.where(at)];
  },

  nodeText(run, row, item, node) {
    const f = run.program(run.classes[row].program).fragment(item), n = (run.fragments[f].nodes || [])[node];
    if (!n) return run.itemName(row, item);
    const what = n[0] === RECV ? "the message for " : n[0] === COLLECTIVE ? run.names[run.collectives[n[3]][0]] + " " : "";
    return `${what}${run.nodeName(row, item, node)} in ${run.itemName(row, item)}`;
  },

  nodeLines(at) {
    const run = at.run, t = run.nodeTimes(at.row, at.item, at.node);
    const f = run.program(run.classes[at.row].program).fragment(at.item), n = run.fragments[f].nodes[at.node];
    const lines = [run.nodeName(at.row, at.item, at.node)], [op, , phase, arg] = n;
    if (op === COMPUTE && run.kernels[arg]) {
      const [family, dtype, flop, bytes] = run.kernels[arg], s = t ? (t.end - t.begun) / 1e12 : 0;
      lines.push(`${run.names[family]} ${run.names[dtype]}, ${PHASES[phase][0]}`);
      if (flop) lines.push(`${rateText(flop, "FLOP")}${s ? ", " + rateText(flop / s, "FLOP/s") : ""}`);
      if (bytes) lines.push(`${bytesText(bytes)} read and written${s ? ", " + rateText(bytes / s, "B/s") : ""}`);
    } else if (op === COLLECTIVE) {
      const [kind, group, bytes] = run.collectives[arg];
      lines.push(`${run.names[kind]} over ${run.names[group]}, ${bytesText(bytes)}`);
    } else if (op === SEND || op === RECV) {
      const ports = run.fragments[f].ports;
      lines.push(`${op === SEND ? "sends" : "receives"} ${bytesText(ports[2 * arg])} over ${run.names[ports[2 * arg + 1]]}`);
    }
    if (t) {
      lines.push(`${timeText(t.end - t.begun)} from ${timeText(t.begun)}`);
      if (t.begun > t.ready) lines.push(`waited ${timeText(t.begun - t.ready)} for ${op === RECV ? "the sender" : "the other members"}`);
    }
    return lines;
  },

  // ---- Causes ----

  // What ended when a node could start: the node before it on its stream, those it depends on, the
  // host, the message.
  causes(at) {
    const run = at.run, t = run.nodeTimes(at.row, at.item, at.node);
    const f = run.program(run.classes[at.row].program).fragment(at.item), nodes = run.fragments[f].nodes;
    const list = [], n = nodes[at.node];
    const add = (item, node, why, stream = null) => {
      const times = run.nodeTimes(at.row, item, node, stream);
      if (times) list.push({run, r: at.r, row: at.row, item, node, why, end: times.end});
    };
    if (t.place > 0) {
      add(at.item, run.order(f, t.stream)[t.place - 1], "before it on its stream");
    } else if (t.block > 0) {
      const lane = run.lane(at.row, t.stream), before = lane.item(t.block - 1);
      const order = run.order(run.program(run.classes[at.row].program).fragment(before), t.stream);
      add(before, order[order.length - 1], "before it on its stream");
    }
    for (const back of n[6]) add(at.item, at.node - back, "it depends on this");
    if (t.stream !== run.host) add(at.item, at.node, "issued by the host", run.host);
    const ready = Math.max(0, ...list.map(c => c.end));
    const causes = list.filter(c => c.end === ready && !(c.item === at.item && c.node === at.node));
    if (list.some(c => c.end === ready && c.node === at.node && c.item === at.item) && !causes.length)
      causes.push({run, r: at.r, row: at.row, item: NONE, why: "the host, which issued it then", end: ready});
    if (n[0] === RECV && t.end > t.ready)
      for (const m of run.messagesTo(at.row, at.item).filter(m => m.toNode === at.node))
        causes.unshift({run, r: at.r, row: m.row, item: m.item, node: m.node, why: "sends the message"});
    return causes;
  },

  effects(at) {
    const run = at.run, t = run.nodeTimes(at.row, at.item, at.node);
    const f = run.program(run.classes[at.row].program).fragment(at.item), nodes = run.fragments[f].nodes;
    const list = [];
    nodes.forEach((n, i) => {
      if (n[6].includes(i - at.node)) list.push({run, r: at.r, row: at.row, item: at.item, node: i, why: "depends on it"});
    });
    const order = run.order(f, t.stream);
    if (t.place + 1 < order.length)
      list.push({run, r: at.r, row: at.row, item: at.item, node: order[t.place + 1], why: "next on its stream"});
    for (const m of run.messagesFrom(at.row, at.item).filter(m => m.node === at.node))
      list.unshift({run, r: at.r, row: m.toRow, item: m.toItem, node: m.toNode, why: "receives the message"});
    return list;
  },

  itemCauses(at) {
    const run = at.run, t = run.itemTimes(at.row, at.item), list = [];
    for (const w of run.idle(at.row).group(at.item))
      if (t && w.end <= t.begin)
        list.push({run, r: at.r, row: at.row, item: w.item, node: w.node,
                   why: `${WAITS[w.kind][0]}, ${timeText(w.end - w.begin)}`});
    for (const m of run.messagesTo(at.row, at.item))
      list.push({run, r: at.r, row: m.row, item: m.item, node: m.node, why: "sends it a message"});
    const work = run.work(at.row), place = work.indexOf(at.item);
    if (place > 0) list.push({run, r: at.r, row: at.row, item: work.item(place - 1), node: NONE, why: "before it"});
    return list;
  },

  itemEffects(at) {
    const run = at.run;
    const list = run.messagesFrom(at.row, at.item).map(m =>
      ({run, r: at.r, row: m.toRow, item: m.toItem, node: m.toNode, why: "receives its message"}));
    const work = run.work(at.row), place = work.indexOf(at.item);
    if (place >= 0 && place + 1 < work.count)
      list.push({run, r: at.r, row: at.row, item: work.item(place + 1), node: NONE, why: "next"});
    return list;
  },

  describe(at) {
    if (!at || at.item < 0) return this.details.replaceChildren();
    const known = at.node >= 0 && at.run.nodeTimes(at.row, at.item, at.node);
    const link = c => element("li", {}, c.item >= 0 ? element("button", {class: "link", onclick: () => {
      this.select({run: c.run, r: c.r, row: c.row, item: c.item, node: c.node}, true);
      this.canvas.focus({preventScroll: true});
    }}, (c.row === at.row ? "" : c.run.stageName(c.row) + ": ") +
        (c.node >= 0 ? this.nodeText(c.run, c.row, c.item, c.node) : c.run.itemName(c.row, c.item))) : null, " ", c.why);
    const list = (title, causes) => element("div", {}, element("h3", {}, title),
      causes.length ? element("ul", {}, causes.slice(0, 12).map(link)) : element("p", {}, "nothing"));
    const lines = this.linesOf(known ? at : {...at, node: NONE});
    this.details.replaceChildren(
      element("div", {}, element("h3", {}, lines[0] || ""), ...lines.slice(1).map(l => element("p", {}, l))),
      list("Waited for", known ? this.causes(at) : this.itemCauses(at)),
      list("Waited for it", known ? this.effects(at) : this.itemEffects(at)));
  },

  // ---- Search ----

  isFound(row, item) {
    const f = this.found;
    return f && f.micro !== undefined && this.matches(row.run, row.index, item);
  },

  matches(run, row, item) {
    const items = run.program(run.classes[row].program);
    return items.micro(item) === this.found.micro && this.means(run, items.fragment(item));
  },

  means(run, fragment) {
    return !this.found.work || run.fragments[fragment].work.toLowerCase() === this.found.work;
  },

  // "F(3)", "F3", "3": work items; "rank 5", a stage's name: rows; else operators by their names.
  find(text) {
    text = text.trim().toLowerCase();
    const item = text.match(/^([a-z]*)\s*\(?(\d+)\)?$/), rank = text.match(/^rank\s+(\d+)$/);
    this.status.textContent = "";
    if (!text) { this.found = null; return this.draw(); }
    if (rank) return this.findRank(+rank[1]);
    const stage = this.rows.find(r => r.run.stageName(r.index).toLowerCase() === text);
    if (stage) return this.bring(this.from, this.to, stage);
    const same = this.found && this.found.text === text;
    this.found = item ? {text, work: item[1], micro: +item[2]} : {text, label: text};
    const hits = item ? this.itemHits() : this.nodeHits(text);
    if (!hits.length) {
      this.status.textContent = `Nothing is called "${text}".`;
      return this.draw();
    }
    this.hit = same ? (this.hit + 1) % hits.length : 0;
    this.status.textContent = `${this.hit + 1} of ${countText(hits.length)}${hits.length >= 5000 ? " and more" : ""}`;
    this.select(hits[this.hit], true);
  },

  findRank(rank) {
    for (const run of this.runs) {
      const row = run.rank(rank);
      if (row === undefined) continue;
      const c = run.classes[row];
      this.status.textContent = c.rank === rank ? `Rank ${rank} is ${run.stageName(row)}.` : `Rank ${rank} does as rank ${c.rank} does: ${run.stageName(row)}.`;
      this.bring(this.from, this.to, this.rowOf({run, row}));
      this.next0({run, row});
      return;
    }
    this.status.textContent = `There is no rank ${rank} on this page.`;
  },

  next0(at) {
    const work = at.run.work(at.row), i = Math.min(work.count - 1, work.ending(this.from));
    if (i >= 0) this.select({...at, r: this.runs.indexOf(at.run), item: work.item(i), node: NONE});
  },

  itemHits() {
    const hits = [];
    for (const row of this.rows) {
      const {run} = row, work = run.work(row.index), items = run.program(run.classes[row.index].program);
      for (const item of items.on(this.found.micro, fragment => this.means(run, fragment))) {
        const k = work.indexOf(item);
        if (k >= 0 && hits.length < 5000) hits.push({run, r: row.r, row: row.index, item, node: NONE, begin: work.begin(k)});
      }
    }
    return hits.sort((a, b) => a.begin - b.begin);
  },

  // Of each row the items in view or after it; enough to walk through.
  nodeHits(text) {
    const hits = [];
    for (const row of this.rows) {
      const {run} = row, items = run.program(run.classes[row.index].program);
      const named = run.once("named " + text, () => run.fragments.map(f => (f && f.nodes || []).flatMap((n, i) =>
        n[0] !== RECORD && run.names[n[4]].toLowerCase().includes(text) ? [i] : [])));
      const has = items.tokens.track(token => named[run.items[3 * token]].length);
      for (let of = 0; of < Math.min(500, has.total);) {
        const item = items.tokens.above(has, of);
        for (const node of named[items.fragment(item)]) {
          hits.push({run, r: row.r, row: row.index, item, node});
          of++;
        }
      }
    }
    return hits;
  },
});
