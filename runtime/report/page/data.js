"use strict";
// What a page holds, decoded on demand: doc/reports.md, "What a page holds". Times are ps.

const NONE = -1;
const COMPUTE = 0, COLLECTIVE = 1, SEND = 2, RECV = 3, RECORD = 4; // ts_ir_op
const BUBBLE = 0, EXPOSED = 1, HOST = 2, OTHER_WORK = 3;           // ts_idle_kind

// Blocks of a stream of a class: the item, pattern, begin and end of each, and sums before them.
class Lane {
  constructor(run, row, stream, runs) {
    this.run = run;
    this.key = `${row} ${stream}`;
    this.program = run.program(run.classes[row].program);
    this.tokens = new Sequence(runs);
    this.count = this.tokens.count;
    this.on = this.program.once("on " + stream, items => items.tokens.track(token =>
      run.fragments[run.items[3 * token]].on.includes(stream) ? 1 : 0));
    this.time = this.tokens.track(token => run.blocks[3 * token + 1] + this.of(token).length);
    this.sums = {busy: this.tokens.track(token => { const p = this.of(token); return p.busy[p.count]; }),
                 wait: this.tokens.track(token => { const p = this.of(token); return p.wait[p.count]; })};
  }

  of(token) { return this.run.pattern(this.run.blocks[3 * token]); }
  pattern(block) { return this.of(this.tokens.at(block)); }
  chunk(block) { return this.run.blocks[3 * this.tokens.at(block) + 2]; }
  begin(block) { return this.tokens.sum(this.time, block) + this.run.blocks[3 * this.tokens.at(block) + 1]; }
  end(block) { return this.tokens.sum(this.time, block + 1); }
  item(block) { return this.program.tokens.above(this.on, block); }
  // Of the first item from this one on that has one.
  blockOf(item) { return this.program.tokens.sum(this.on, item); }
  has(item) { return this.program.tokens.sum(this.on, item + 1) > this.blockOf(item); }
  // The first that ends after a moment, and the first that begins after it.
  ending(time) { return this.tokens.above(this.time, time); }
  beginning(time) {
    const block = this.ending(time);
    return block < this.count && this.begin(block) <= time ? block + 1 : block;
  }

  // Busy time before a moment (or waits).
  before(time, what = "busy") {
    const block = this.beginning(time) - 1;
    if (block < 0) return 0;
    const sum = this.tokens.sum(this.sums[what], block);
    return sum + within(this.pattern(block), time - this.begin(block), what);
  }
}

// What a block does of it in its first `time`.
function within(p, time, what) {
  if (time >= p.length) return p[what][p.count];
  const from = what === "busy" ? p.begun : p.ready, to = what === "busy" ? p.end : p.begun;
  const n = firstAbove(from, time) - 1;
  return n < 0 ? 0 : p[what][n] + Math.min(time, to[n]) - from[n];
}

// The work of a class: its items with compute time.
class Work {
  constructor(run, lane) {
    this.run = run;
    this.lane = lane;
    const worked = token => { const p = lane.of(token); return p.length > p.first; };
    const colour = token => colourNumber(run.fragments[lane.of(token).fragment].kind, run.blocks[3 * token + 2]);
    this.blocks = lane && lane.tokens.track(token => worked(token) ? 1 : 0);
    this.count = lane ? this.blocks.total : 0;
    this.colours = lane ? [...new Set([...new Set(lane.tokens.numbers)].filter(worked).map(colour))] : [];
    this.sums = this.colours.map(c => lane.tokens.track(token => {
      const p = lane.of(token);
      return worked(token) && colour(token) === c ? p.busy[p.count] : 0;
    }));
  }

  block(k) { return this.lane.tokens.above(this.blocks, k); }
  item(k) { return this.lane.item(this.block(k)); }
  begin(k) { const block = this.block(k); return this.lane.begin(block) + this.lane.pattern(block).first; }
  end(k) { return this.lane.end(this.block(k)); }
  colour(k) {
    const block = this.block(k);
    return colourNumber(this.run.fragments[this.lane.pattern(block).fragment].kind, this.lane.chunk(block));
  }
  indexOf(item) {
    if (!this.lane || !this.lane.has(item)) return NONE;
    const block = this.lane.blockOf(item), k = this.lane.tokens.sum(this.blocks, block);
    return this.lane.tokens.sum(this.blocks, block + 1) > k ? k : NONE;
  }
  // The first that ends after a moment, and the first that begins after it.
  ending(time) { return this.lane ? this.lane.tokens.sum(this.blocks, this.lane.ending(time)) : 0; }
  beginning(time) {
    const k = this.ending(time);
    return k < this.count && this.begin(k) <= time ? k + 1 : k;
  }

  // Time of each colour before a moment.
  before(time, sums) {
    sums.fill(0);
    if (!this.lane) return;
    const block = this.lane.beginning(time) - 1;
    if (block < 0) return;
    for (let s = 0; s < sums.length; s++) sums[s] = this.lane.tokens.sum(this.sums[s], block);
    const p = this.lane.pattern(block), c = colourNumber(this.run.fragments[p.fragment].kind, this.lane.chunk(block));
    if (p.length > p.first) sums[this.colours.indexOf(c)] += within(p, time - this.lane.begin(block), "busy");
  }
}

// What the compute stream of a class waited for: stretches by time, those before each item together.
class Idle {
  constructor(run, runs) {
    this.run = run;
    this.tokens = new Sequence(runs);
    const sum = (token, of) => this.of(token).reduce((all, number) => all + of(run.idles, 5 * number), 0);
    this.time = this.tokens.track(token => sum(token, (t, i) => t[i] + t[i + 2]));
    this.stretches = this.tokens.track(token => this.of(token).length);
    this.count = this.stretches.total;
    this.sums = WAITS.map((_, kind) => this.tokens.track(token => sum(token, (t, i) => t[i + 1] === kind ? t[i + 2] : 0)));
  }

  of(token) { return this.run.once("waited " + token, () => expand(this.run.waited[token])); }

  // All before an item, and the number of the first.
  group(item) {
    let end = this.tokens.sum(this.time, item);
    return this.of(this.tokens.at(item)).map(number => {
      const [gap, kind, length, other, node] = this.run.idles.slice(5 * number, 5 * number + 5), begin = end + gap;
      end = begin + length;
      return {kind, begin, end, item: node < 0 ? NONE : item + other, node};
    });
  }

  at(k) {
    const item = this.tokens.above(this.stretches, k);
    return this.group(item)[k - this.tokens.sum(this.stretches, item)];
  }

  ending(time) {
    const item = this.tokens.above(this.time, time);
    if (item === this.tokens.count) return this.count;
    return this.tokens.sum(this.stretches, item) + this.group(item).findIndex(w => w.end > time);
  }

  // Those that are there between two moments, up to `most`; NONE: more.
  between(from, to, most = Infinity) {
    const list = [];
    for (let item = this.tokens.above(this.time, from); item < this.tokens.count; item++) {
      for (const w of this.group(item)) {
        if (w.end <= from) continue;
        if (w.begin >= to) return list;
        if (list.length >= most) return NONE;
        list.push(w);
      }
      if (list.length && list[list.length - 1].end >= to) break;
      item = this.tokens.above(this.stretches, this.tokens.sum(this.stretches, item + 1)) - 1;
    }
    return list;
  }

  // Time of each kind before a moment.
  before(time, sums) {
    const item = this.tokens.above(this.time, time);
    for (let s = 0; s < sums.length; s++) sums[s] = this.tokens.sum(this.sums[s], item);
    if (item < this.tokens.count)
      for (const w of this.group(item)) if (w.begin < time) sums[w.kind] += Math.min(time, w.end) - w.begin;
  }

  // What makes up the part of a stretch of time that is waited.
  within(begin, end) {
    const before = WAITS.map(() => 0), after = WAITS.map(() => 0);
    this.before(begin, before);
    this.before(end, after);
    return after.reduce((sum, time, kind) => sum + time - before[kind], 0);
  }
}

// The items of a program: fragment, chunk and micro-batch of each.
class Program {
  constructor(run, runs) {
    this.items = run.items;
    this.tokens = new Sequence(runs);
    this.count = this.tokens.count;
    this.cache = new Map();
  }

  once(key, make) {
    if (!this.cache.has(key)) this.cache.set(key, make(this));
    return this.cache.get(key);
  }

  fragment(i) { return this.items[3 * this.tokens.at(i)]; }
  chunk(i) { return this.items[3 * this.tokens.at(i) + 1]; }
  // Sums of the steps from one micro-batch to the next, of the items of a fragment and a chunk.
  steps(fragment, chunk) {
    return this.once(`steps ${fragment} ${chunk}`, () => this.tokens.track(token =>
      this.items[3 * token] === fragment && this.items[3 * token + 1] === chunk ? this.items[3 * token + 2] : 0));
  }
  micro(i) { return this.tokens.sum(this.steps(this.fragment(i), this.chunk(i)), i + 1) - 1; }
  // How many items of a fragment there are before one.
  before(fragment, i) {
    return this.tokens.sum(this.once("count " + fragment, () => this.tokens.track(token => this.items[3 * token] === fragment ? 1 : 0)), i);
  }
  fragments() { return this.once("fragments", () => [...new Set(Array.from(this.tokens.numbers, token => this.items[3 * token]))]); }

  // Items on a micro-batch whose fragment is meant.
  on(micro, meant) {
    const kinds = this.once("kinds", () => [...new Map(Array.from(new Set(this.tokens.numbers), token =>
      [this.items[3 * token] + " " + this.items[3 * token + 1], [this.items[3 * token], this.items[3 * token + 1]]])).values()]);
    const found = [];
    for (const [fragment, chunk] of kinds) {
      if (!meant(fragment)) continue;
      const is = i => this.fragment(i) === fragment && this.chunk(i) === chunk && this.micro(i) === micro;
      const steps = this.steps(fragment, chunk);
      if (this.tokens.numbers.some(token => this.items[3 * token] === fragment && this.items[3 * token + 1] === chunk && this.items[3 * token + 2] <= 0)) {
        for (let i = 0; i < this.count; i++) if (is(i)) found.push(i); // out of their order
      } else {
        const i = this.tokens.above(steps, micro);
        if (i < this.count && is(i)) found.push(i);
      }
    }
    return found.sort((a, b) => a - b);
  }
}

class Run {
  constructor(json) {
    Object.assign(this, json);
    this.cache = new Map();
    this.rowOf = new Map(this.classes.map((c, i) => [c.class, i]));
    this.host = this.streams.length - 1;
    this.decoded = []; // patterns
  }

  once(key, make) {
    if (!this.cache.has(key)) this.cache.set(key, make());
    return this.cache.get(key);
  }

  program(p) { return this.once("program " + p, () => new Program(this, this.programs[p].items)); }

  // The nodes of a fragment on a stream, in its order.
  order(fragment, stream) {
    return this.once(`order ${fragment} ${stream}`, () => {
      const nodes = this.fragments[fragment].nodes || [], out = [];
      nodes.forEach((n, i) => {
        if (stream === this.host ? n[5] > 0 || n[0] > RECORD : n[0] <= RECORD && n[1] === stream)
          out.push(i);
      });
      return out;
    });
  }

  // Of a block's nodes from its start on: ready, begun, end; and sums of wait and busy before each.
  pattern(number) {
    return this.decoded[number] ||= this.decode(number);
  }

  decode(number) {
    const [fragment, coarse] = this.patterns[number];
    const spans = expand(this.patterns[number], 2), n = spans.length;
    const p = {fragment, coarse: coarse || !this.fragments[fragment].nodes, count: n,
               ready: new Float64Array(n), begun: new Float64Array(n), end: new Float64Array(n),
               busy: new Float64Array(n + 1), wait: new Float64Array(n + 1), first: 0};
    let at = 0;
    for (let i = 0; i < n; i++) {
      const s = 3 * spans[i];
      p.ready[i] = at += this.spans[s];
      p.begun[i] = at += this.spans[s + 1];
      p.end[i] = at += this.spans[s + 2];
      p.wait[i + 1] = p.wait[i] + this.spans[s + 1];
      p.busy[i + 1] = p.busy[i] + this.spans[s + 2];
    }
    const first = p.busy.findIndex(b => b > 0) - 1;
    p.first = first >= 0 ? p.begun[first] : at;
    p.length = at;
    return p;
  }

  // A stream of a class; null: nothing is on it, or it was left out.
  lane(row, stream) {
    return this.once(`lane ${row} ${stream}`, () => {
      const runs = this.classes[row].lanes[stream];
      return runs && runs.length ? new Lane(this, row, stream, runs) : null;
    });
  }

  work(row) { return this.once("work " + row, () => new Work(this, this.lane(row, 0))); }
  idle(row) { return this.once("idle " + row, () => new Idle(this, this.classes[row].idle)); }

  // The critical path in the order of time: row (or NONE), item, kind, begin, end.
  criticalPath() {
    return this.once("path", () => {
      const pieces = [];
      let end = this.step;
      for (let i = 0; i < this.path.length; i += 4) {
        const [number, item, kind, time] = this.path.slice(i, i + 4);
        pieces.push({row: this.rowOf.has(number) ? this.rowOf.get(number) : NONE, item, kind,
                     begin: end - time, end});
        end -= time;
      }
      return pieces.reverse();
    });
  }

  // Of each item with receives, in which place of the class's list it is.
  receivers(row) {
    return this.once("receivers " + row, () => {
      const program = this.program(this.classes[row].program), tokens = new Sequence(this.classes[row].peers);
      const on = program.once("receivers", items => items.tokens.track(token => this.fragments[this.items[3 * token]].receives ? 1 : 0));
      return {program, tokens, on, kinds: [...new Set(tokens.numbers)]};
    });
  }

  // Whose messages an item receives: class and item of the sender less those of the receiver, node.
  senders(token) {
    return this.once("senders " + token, () => expand(this.received[token]).map(number => this.peers.slice(3 * number, 3 * number + 3)));
  }

  // Messages to an item: who sent each.
  messagesTo(row, item) {
    const {program, tokens, on} = this.receivers(row), f = this.fragments[program.fragment(item)];
    if (!f.receives) return [];
    const receives = (f.nodes || []).flatMap((n, i) => n[0] === RECV ? [i] : []);
    return this.senders(tokens.at(program.tokens.sum(on, item))).flatMap(([player, after, node], r) => {
      const sender = this.rowOf.get(this.classes[row].class + player);
      return node < 0 || sender === undefined || !receives.length ? [] :
        [{row: sender, item: item + after, node, toRow: row, toItem: item, toNode: receives[r]}];
    });
  }

  // Messages that an item sends: of the items that may receive them, those that do.
  messagesFrom(row, item) {
    const own = this.classes[row].class, found = [];
    this.classes.forEach((c, to) => {
      const {program, kinds} = this.receivers(to), items = new Set();
      for (const token of kinds)
        for (const [player, after] of this.senders(token))
          if (c.class + player === own) items.add(item - after);
      for (const other of [...items].sort((a, b) => a - b))
        if (other >= 0 && other < program.count)
          found.push(...this.messagesTo(to, other).filter(m => m.row === row && m.item === item));
    });
    return found;
  }

  // Ready, begun and end of a node of an item, or null.
  nodeTimes(row, item, node, stream = null) {
    const f = this.program(this.classes[row].program).fragment(item);
    const nodes = this.fragments[f].nodes;
    if (!nodes) return null;
    if (stream === null) stream = nodes[node][0] > RECORD ? this.host : nodes[node][1];
    const lane = this.lane(row, stream), place = this.order(f, stream).indexOf(node);
    if (place < 0 || !lane || !lane.has(item)) return null;
    const block = lane.blockOf(item), p = lane.pattern(block), start = lane.begin(block);
    if (p.coarse) return null;
    return {ready: start + p.ready[place], begun: start + p.begun[place], end: start + p.end[place],
            stream, place, block};
  }

  itemTimes(row, item) {
    const lane = this.lane(row, 0);
    if (!lane || !lane.has(item)) return null;
    const block = lane.blockOf(item);
    return {begin: lane.begin(block) + lane.pattern(block).first, end: lane.end(block)};
  }

  ranks() { return this.once("ranks", () => new Sequence(this.class_of)); }
  rank(rank) { return rank < this.ranks().count ? this.rowOf.get(this.ranks().at(rank)) : undefined; }

  itemName(row, item) {
    const items = this.program(this.classes[row].program), f = this.fragments[items.fragment(item)];
    const work = f.work || f.name, micro = items.micro(item), chunk = items.chunk(item);
    return micro < 0 ? work : `${work}(${micro}${chunk ? ", chunk " + chunk : ""})`;
  }

  nodeName(row, item, node) {
    const f = this.program(this.classes[row].program).fragment(item);
    const n = this.fragments[f].nodes && this.fragments[f].nodes[node];
    if (!n) return "";
    return this.names[n[4]] || ["kernel", "collective", "send", "receive", "event", "host", "host waits"][n[0]];
  }

  stageName(row) { return this.programs[this.classes[row].program].name; }
}
