// A sequence of numbers below a known one, as a run list tells it (doc/reports.md, "What a page
// holds"): what stands at a place and sums up to it are found in the repeats, which are never
// expanded. So a page of any number of micro-batches holds what it was sent, and no more.

// The first index in [low, high) whose number is above a value; high: none. Numbers ascend.
function firstAbove(ascending, value, high = ascending.length, low = 0) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] > value) high = middle; else low = middle + 1;
  }
  return low;
}

// All of a short one.
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

class Sequence {
  // Segments: literal numbers, of which `literal` says where they stand among all; or repeats of the
  // last `period` numbers before them (0: literal).
  constructor(runs) {
    const start = [], period = [], literal = [], numbers = [];
    let count = 0;
    for (let i = 0; i < runs.length; i++) {
      const repeats = runs[i] < 0;
      if (repeats || !period.length || period[period.length - 1]) {
        start.push(count);
        period.push(repeats ? -runs[i] : 0);
        literal.push(numbers.length);
      }
      if (repeats) {
        count += -runs[i] * runs[i + 1];
        i++;
      } else {
        numbers.push(runs[i]);
        count++;
      }
    }
    this.count = count;
    this.start = Float64Array.from(start);
    this.period = Int32Array.from(period);
    this.literal = Int32Array.from(literal);
    this.numbers = Int32Array.from(numbers); // all that occur are among them
  }

  at(place) {
    for (;;) {
      const s = firstAbove(this.start, place) - 1, start = this.start[s], period = this.period[s];
      if (!period) return this.numbers[this.literal[s] + place - start];
      place = start - period + (place - start) % period;
    }
  }

  // To sum a weight of the numbers: weight(number), integers.
  track(weight) {
    const n = this.start.length, literals = new Float64Array(this.numbers.length + 1);
    const track = {literals, before: new Float64Array(n + 1), from: new Float64Array(n), cycle: new Float64Array(n)};
    for (let i = 0; i < this.numbers.length; i++) literals[i + 1] = literals[i] + weight(this.numbers[i]);
    for (let s = 0; s < n; s++) {
      const end = s + 1 < n ? this.start[s + 1] : this.count, length = end - this.start[s], first = this.literal[s];
      let sum;
      if (this.period[s]) {
        track.from[s] = this.sum(track, this.start[s] - this.period[s], s);
        track.cycle[s] = track.before[s] - track.from[s];
        sum = length / this.period[s] * track.cycle[s];
      } else {
        sum = literals[first + length] - literals[first];
      }
      track.before[s + 1] = track.before[s] + sum;
    }
    track.total = track.before[n];
    return track;
  }

  // Of what stands before a place.
  sum(track, place, segments = this.start.length) {
    let sum = 0;
    for (;;) {
      const s = firstAbove(this.start, place, segments) - 1;
      if (s < 0) return sum;
      const start = this.start[s], period = this.period[s], more = place - start;
      if (!period) {
        const first = this.literal[s];
        return sum + track.before[s] + track.literals[first + more] - track.literals[first];
      }
      sum += track.before[s] + Math.floor(more / period) * track.cycle[s] - track.from[s];
      place = start - period + more % period;
      segments = s;
    }
  }

  // The first place whose sum with it is above a value; the count if there is none. Of weights that
  // are not negative.
  above(track, value) {
    if (value >= track.total) return this.count;
    if (value < 0) return 0;
    for (let ahead = 0, segments = this.start.length;;) {
      const s = firstAbove(track.before, value, segments) - 1, start = this.start[s], period = this.period[s];
      const into = value - track.before[s];
      if (!period) {
        const first = this.literal[s], length = (s + 1 < this.start.length ? this.start[s + 1] : this.count) - start;
        return ahead + start + firstAbove(track.literals, into + track.literals[first], first + length + 1, first) - 1 - first;
      }
      const cycles = Math.floor(into / track.cycle[s]), rest = track.from[s] + into - cycles * track.cycle[s];
      value = Math.max(track.from[s], Math.min(rest, track.before[s] - 0.5)); // sums are whole
      ahead += (cycles + 1) * period;
      segments = s;
    }
  }
}
