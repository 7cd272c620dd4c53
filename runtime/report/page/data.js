"use strict";
// What a page holds, decoded on demand: doc/reports.md, "What a page holds". Times are ps.

const NONE = -1;
const COMPUTE = 0, COLLECTIVE = 1, SEND = 2, RECV = 3, RECORD = 4; // ts_ir_op
const BUBBLE = 0, EXPOSED = 1, HOST = 2, OTHER_WORK = 3;           // ts_idle_kind

// -k, n: the last k numbers n times more.
function expand(runs, from = 0) {
  const out = [];
  for (let i = from; i < runs.length; i++) {
    if (runs[i] >= 0) {
      out.push(runs[i]);
    } else {
      const period = -runs[i], more = runs[++i] * period;
      for (let k = 0; k < more; k++) out.push(out[out.length - period]);
    }
  }
  return out;
}

// The first index in [0, n) with at(index) > value, n if there is none; at ascends.
function firstAbove(sorted, value, n = sorted.length) {
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] > value) high = middle; else low = middle + 1;
  }
  return low;
}

// Time of those of the stretches that are meant, before each. Of work it is what the compute stream
// did in them: w.within(i, time), from the begin of stretch i.
function sumsBefore(w, meant) {
  const sums = new Float64Array(w.count + 1);
  for (let i = 0; i < w.count; i++) sums[i + 1] = sums[i] + (meant(i) ? timeWithin(w, i, w.end[i]) : 0);
  return sums;
}

function timeWithin(w, i, time) {
  return w.within ? w.within(i, Math.min(time, w.end[i])) : Math.min(time, w.end[i]) - w.begin[i];
}

class Run {
  constructor(json) {
    Object.assign(this, json);
    this.cache = new Map();
    this.rowOf = new Map(this.classes.map((c, i) => [c.class, i]));
    this.host = this.streams.length - 1;
  }

  once(key, make) {
    if (!this.cache.has(key)) this.cache.set(key, make());
    return this.cache.get(key);
  }

  // The items of a program: fragment, chunk and micro-batch of each.
  program(p) {
    return this.once("program " + p, () => {
      const tokens = expand(this.programs[p].items), n = tokens.length;
      const items = {count: n, fragment: new Int32Array(n), chunk: new Int32Array(n),
                     micro: new Int32Array(n)};
      const last = new Map();
      for (let i = 0; i < n; i++) {
        const at = 3 * tokens[i], fragment = this.items[at], chunk = this.items[at + 1];
        const key = fragment * 65536 + chunk;
        const micro = (last.has(key) ? last.get(key) : -1) + this.items[at + 2];
        last.set(key, micro);
        items.fragment[i] = fragment;
        items.chunk[i] = chunk;
        items.micro[i] = micro;
      }
      return items;
    });
  }

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
    return this.once("pattern " + number, () => {
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
    });
  }

  // A stream of a class as blocks: the item, start, pattern, busy and wait time before each.
  lane(row, stream) {
    return this.once(`lane ${row} ${stream}`, () => {
      const runs = this.classes[row].lanes[stream];
      if (!runs || !runs.length) return null;
      const tokens = expand(runs), n = tokens.length, items = this.program(this.classes[row].program);
      const lane = {count: n, item: new Int32Array(n), begin: new Float64Array(n),
                    end: new Float64Array(n), pattern: new Int32Array(n),
                    busy: new Float64Array(n + 1), wait: new Float64Array(n + 1)};
      const on = this.fragments.map(f => f !== null && f.on.includes(stream));
      let time = 0;
      for (let i = 0, item = 0; i < n; i++, item++) {
        while (!on[items.fragment[item]]) item++;
        const at = 2 * tokens[i], pattern = this.pattern(this.blocks[at]);
        lane.item[i] = item;
        lane.pattern[i] = this.blocks[at];
        lane.begin[i] = time += this.blocks[at + 1];
        lane.end[i] = time += pattern.length;
        lane.busy[i + 1] = lane.busy[i] + pattern.busy[pattern.count];
        lane.wait[i + 1] = lane.wait[i] + pattern.wait[pattern.count];
      }
      return lane;
    });
  }

  // Busy time of a lane before a moment (or its waits).
  before(lane, time, what = "busy") {
    const block = firstAbove(lane.begin, time) - 1;
    if (block < 0) return 0;
    const p = this.pattern(lane.pattern[block]), t = time - lane.begin[block];
    if (t >= p.length) return lane[what][block + 1];
    const from = what === "busy" ? p.begun : p.ready, to = what === "busy" ? p.end : p.begun;
    const n = firstAbove(from, t) - 1;
    return lane[what][block] + (n < 0 ? 0 : p[what][n] + Math.min(t, to[n]) - from[n]);
  }

  // The work of a class: its items with compute time, and time of each colour before each.
  work(row) {
    return this.once("work " + row, () => {
      const lane = this.lane(row, 0), items = this.program(this.classes[row].program);
      const n = lane ? lane.count : 0;
      const w = {count: 0, item: new Int32Array(n), begin: new Float64Array(n), end: new Float64Array(n),
                 colour: new Uint8Array(n), block: new Int32Array(n), colours: [], sums: []};
      for (let i = 0; i < n; i++) {
        const p = this.pattern(lane.pattern[i]), k = w.count;
        if (p.length <= p.first) continue;
        w.block[k] = i;
        w.item[k] = lane.item[i];
        w.begin[k] = lane.begin[i] + p.first;
        w.end[k] = lane.end[i];
        w.colour[k] = colourNumber(this.fragments[p.fragment].kind, items.chunk[lane.item[i]]);
        w.count++;
      }
      w.within = (i, time) => this.before(lane, time) - lane.busy[w.block[i]];
      for (const list of ["item", "block", "begin", "end", "colour"]) w[list] = w[list].subarray(0, w.count);
      w.colours = [...new Set(w.colour)];
      w.sums = w.colours.map(colour => sumsBefore(w, i => w.colour[i] === colour));
      return w;
    });
  }

  // What the compute stream waited for: stretches by time, with the item that came next.
  idle(row) {
    return this.once("idle " + row, () => {
      const tokens = expand(this.classes[row].idle);
      const w = {kind: [], begin: [], end: [], before: [], item: [], node: []};
      let time = 0;
      tokens.forEach((token, before) => {
        for (const number of expand(this.waited[token])) {
          const [gap, kind, length, item, node] = this.idles.slice(5 * number, 5 * number + 5);
          w.kind.push(kind);
          w.begin.push(time += gap);
          w.end.push(time += length);
          w.before.push(before);
          w.item.push(node < 0 ? NONE : before + item);
          w.node.push(node);
        }
      });
      w.count = w.kind.length;
      w.begin = Float64Array.from(w.begin);
      w.end = Float64Array.from(w.end);
      w.sums = [BUBBLE, EXPOSED, HOST, OTHER_WORK].map(kind => sumsBefore(w, i => w.kind[i] === kind));
      return w;
    });
  }

  // How long the compute stream waited within a stretch of time.
  waited_within(row, begin, end) {
    const w = this.idle(row);
    let sum = 0;
    for (let k = firstAbove(w.end, begin); k < w.count && w.begin[k] < end; k++)
      sum += Math.min(w.end[k], end) - Math.max(w.begin[k], begin);
    return sum;
  }

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

  // Messages: of each receive who sent it, and of each item's sends who receives them.
  messages() {
    return this.once("messages", () => {
      const from = this.classes.map(() => new Map()), to = this.classes.map(() => new Map());
      const add = (map, key, value) => map.has(key) ? map.get(key).push(value) : map.set(key, [value]);
      this.classes.forEach((c, row) => {
        const items = this.program(c.program), tokens = expand(c.peers);
        for (let item = 0, k = 0; item < items.count; item++) {
          const f = this.fragments[items.fragment[item]];
          if (!f.receives) continue;
          const list = expand(this.received[tokens[k++]]);
          const receives = (f.nodes || []).flatMap((n, i) => n[0] === RECV ? [i] : []);
          list.forEach((number, r) => {
            const [player, after, node] = this.peers.slice(3 * number, 3 * number + 3);
            const sender = this.rowOf.get(c.class + player);
            if (node < 0 || sender === undefined || !receives.length) return;
            const message = {row: sender, item: item + after, node,
                             toRow: row, toItem: item, toNode: receives[r]};
            add(from[row], item, message);
            add(to[sender], item + after, message);
          });
        }
      });
      return {from, to};
    });
  }

  // Ready, begun and end of a node of an item, or null.
  nodeTimes(row, item, node, stream = null) {
    const f = this.program(this.classes[row].program).fragment[item];
    const nodes = this.fragments[f].nodes;
    if (!nodes) return null;
    if (stream === null) stream = nodes[node][0] > RECORD ? this.host : nodes[node][1];
    const lane = this.lane(row, stream), place = this.order(f, stream).indexOf(node);
    const block = lane ? firstAbove(lane.item, item) - 1 : NONE;
    if (place < 0 || block < 0 || lane.item[block] !== item) return null;
    const p = this.pattern(lane.pattern[block]), start = lane.begin[block];
    if (p.coarse) return null;
    return {ready: start + p.ready[place], begun: start + p.begun[place], end: start + p.end[place],
            stream, place, block};
  }

  itemTimes(row, item) {
    const lane = this.lane(row, 0), block = lane ? firstAbove(lane.item, item) - 1 : NONE;
    if (block < 0 || lane.item[block] !== item) return null;
    return {begin: lane.begin[block] + this.pattern(lane.pattern[block]).first, end: lane.end[block]};
  }

  rank(rank) { return this.rowOf.get(this.once("ranks", () => expand(this.class_of))[rank]); }

  itemName(row, item) {
    const items = this.program(this.classes[row].program);
    const work = this.fragments[items.fragment[item]].work || this.fragments[items.fragment[item]].name;
    if (items.micro[item] < 0) return work;
    return `${work}(${items.micro[item]}${items.chunk[item] ? ", chunk " + items.chunk[item] : ""})`;
  }

  nodeName(row, item, node) {
    const f = this.program(this.classes[row].program).fragment[item];
    const n = this.fragments[f].nodes && this.fragments[f].nodes[node];
    if (!n) return "";
    return this.names[n[4]] || ["kernel", "collective", "send", "receive", "event", "host", "host waits"][n[0]];
  }

  stageName(row) { return this.programs[this.classes[row].program].name; }
}
