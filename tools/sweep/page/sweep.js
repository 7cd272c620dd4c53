// A sweep as its page holds it: columns of all plans, the best first. What is shown of them follows
// one filter and one chosen plan, which all pictures share.

const RANKED = "ok", SHOWN_LINES = 2000;

// How values of a unit are written; the data name the unit of each figure.
const UNITS = {
  s: v => timeText(v * 1e12),
  bit: v => bytesText(v / 8),
  share: shareText,
  J: v => rateText(v / 3600, "Wh"),
  $: v => "$ " + significant(v),
  g: v => rateText(v, "g"),
  "1/s": v => v < 1000 ? significant(v) : countText(v),
  "": countText,
};

const compareText = new Intl.Collator("en", {numeric: true}).compare;

class Sweep {
  constructor(data) {
    Object.assign(this, data);
    this.count = data.state.length;
    this.ok = data.states.indexOf(RANKED);
    const equal = new Set(data.equal), goals_front = new Set(data.front);
    this.equalTo = i => equal.has(i);
    // "front": of all goals, as the text report has it
    this.stateText = i => data.states[data.state[i]] + (goals_front.has(i) ? ", front" : "");
    this.parameters = data.parameters.map(p => this.parameter(p));
    const figures = data.figures.map(f => ({...f, text: UNITS[f.unit]}));
    delete this.front; // the method finds those of two figures
    const goals = data.goals.map(g => ({...g, title: g.name.replace(/^(minimize|maximize) /, "")})).filter(g => !figures.some(f => f.name === g.title))
      .map(g => ({...g, better: g.maximize ? 1 : -1, text: v => v.toPrecision(5)}));
    // Of no use: what is not known of any plan, or the same of all.
    this.measures = [...figures, ...goals].filter(f => new Set(f.of.filter(v => v !== null)).size > 1 || f.name === "step_time" || f.name === "peak_memory");
    // Goals first, in their order.
    const titles = data.goals.map(g => g.name.replace(/^(minimize|maximize) /, ""));
    const order = f => { const at = titles.indexOf(f.name) < 0 ? titles.indexOf(f.title) : titles.indexOf(f.name); return at < 0 ? titles.length : at; };
    this.measures.sort((a, b) => order(a) - order(b));
    this.search = "";
    this.chosenState = "";
    this.ranges = new Map(); // of parameter or measure: what it is to be, from a picture
    this.listeners = [];
    this.at = this.state[0] === this.ok ? 0 : -1;
    this.filter();
  }

  // Values in their order; rank: of each word, its place among them.
  parameter(p) {
    const order = p.words.map((w, i) => i).sort((a, b) => compareText(p.words[a], p.words[b])), rank = [];
    order.forEach((word, place) => { rank[word] = place; });
    return {...p, title: p.name, values: order.map(i => p.words[i]), rank, place: i => rank[p.of[i]]};
  }

  text(parameter, i) { return parameter.words[parameter.of[i]]; }
  point(i) { return this.parameters.map(p => `${p.name}=${this.text(p, i)}`).join(" "); }

  // Words that must all be there: "tp=8", or a part of it; as the plan is written.
  matches(i, words) {
    if (this.chosenState && this.states[this.state[i]] !== this.chosenState) return false;
    for (const [axis, [low, high]] of this.ranges) {
      const v = axis.place ? axis.place(i) : axis.of[i];
      if (v === null || v === undefined || v < low || v > high) return false;
    }
    if (!words.length) return true;
    const text = ` ${this.point(i)} ${this.stateText(i)} `.toLowerCase();
    return words.every(w => w.includes("=") ? text.includes(` ${w} `) : text.includes(w));
  }

  filter() {
    const words = this.search.toLowerCase().split(/\s+/).filter(w => w);
    this.shown = [];
    for (let i = 0; i < this.count; i++) if (this.matches(i, words)) this.shown.push(i);
    this.ranked = this.shown.filter(i => this.state[i] === this.ok);
    this.listeners.forEach(f => f());
  }

  choose(i) {
    this.at = i;
    this.listeners.forEach(f => f());
  }

  // Those of `list` that no other beats by both figures, in the order of x.
  front(list, x, y) {
    const sorted = list.filter(i => x.of[i] !== null && y.of[i] !== null)
      .sort((a, b) => x.better * (x.of[b] - x.of[a]) || y.better * (y.of[b] - y.of[a]));
    const front = [];
    for (const i of sorted)
      if (!front.length || y.better * (y.of[i] - y.of[front[front.length - 1]]) > 0) front.push(i);
    return front;
  }

  // The command that shows a plan in full, as a shell takes it.
  commandOf(i, options = []) {
    const quoted = w => /^[\w@%+=:,./-]+$/.test(w) ? w : `'${w.replace(/'/g, "'\\''")}'`;
    return [...this.command, ...options, ...this.parameters.flatMap(p => ["-D", `${p.name}=${this.text(p, i)}`]), this.file].map(quoted).join(" ");
  }
}

// The chosen plan: its parameters, figures, command and what is to be said of it.
function planOf(sweep, section) {
  const draw = () => {
    const i = sweep.at;
    section.replaceChildren();
    if (i < 0) return;
    const facts = [["state", sweep.stateText(i) + (sweep.equalTo(i) && i ? ", can be as good as the best" : i ? "" : ", the best")]];
    for (const p of sweep.parameters) facts.push([p.title, sweep.text(p, i)]);
    for (const m of sweep.measures) if (m.of[i] !== null) facts.push([m.title, m.text(m.of[i])]);
    if (sweep.low[i] !== null) facts.push(["step time, 80 % of runs", `${timeText(sweep.low[i] * 1e12)} to ${timeText(sweep.high[i] * 1e12)}`]);
    if (sweep.limit[i] !== null) facts.push(["memory of the device", bytesText(sweep.limit[i])]);
    const memory = sweep.figures.find(f => f.name === "peak_memory"), held = memory ? memory.of[i] / 8 : 0;
    if (sweep.limit[i] !== null && held > sweep.limit[i]) facts.push(["it lacks", bytesText(held - sweep.limit[i])]);
    const why = sweep.why.of[i] < 0 ? null : sweep.why.words[sweep.why.of[i]];
    const warnings = sweep.warnings.of[i] < 0 ? [] : sweep.warnings.words[sweep.warnings.of[i]].split(" | ");
    const said = element("span", {class: "status", role: "status"});
    const commandLine = (name, command) => element("div", {class: "command"}, name, element("code", {tabindex: 0}, command),
      element("button", {"aria-label": `Copy the command of its ${name.toLowerCase()}`, onclick: () => copy(command, said)}, "Copy"));
    section.append(element("h2", {}, `Plan ${i + 1} of ${countText(sweep.count)}`),
      i < sweep.pages ? element("p", {}, element("a", {href: `${encodeURI(sweep.folder)}/plan-${i + 1}.html`}, "Report of this plan")) : "",
      element("div", {class: "details"},
        element("dl", {}, facts.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
        why ? element("p", {}, `Refused: ${why}`) : null,
        warnings.length ? element("ul", {}, warnings.map(w => element("li", {}, w))) : null,
        commandLine("Report", sweep.commandOf(i)), commandLine("Page", sweep.commandOf(i, ["--format=html", "-o", `plan-${i + 1}.html`])), said));
  };
  sweep.listeners.push(draw);
  draw();
}

function copy(text, said) {
  const done = () => { said.textContent = "copied"; };
  const by_hand = () => { // pages of a file may not use the clipboard
    const area = element("textarea", {class: "away"}, text);
    document.body.append(area);
    area.select();
    said.textContent = document.execCommand("copy") ? "copied" : "select the line and copy it";
    area.remove();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, by_hand); else by_hand();
}

// One filter for all pictures and the table.
function filtersOf(sweep, section) {
  const count = element("span", {class: "status", role: "status"});
  const states = sweep.states.filter((_, k) => sweep.state.includes(k));
  const search = element("input", {type: "search", id: "search", placeholder: "tp=8 pp=4", size: 28, oninput: () => { sweep.search = search.value; sweep.filter(); }});
  const state = element("select", {onchange: () => { sweep.chosenState = state.value; sweep.filter(); }},
    element("option", {value: ""}, "all"), states.map(s => element("option", {value: s}, s)));
  const clear = element("button", {onclick: () => { sweep.search = search.value = sweep.chosenState = state.value = ""; sweep.ranges.clear(); sweep.filter(); }}, "Show all");
  section.append(element("div", {class: "tools"}, element("label", {}, "Plans with", search), element("label", {}, "that are", state), clear, count));
  const draw = () => {
    const ranges = [...sweep.ranges].map(([axis, [low, high]]) => axis.place ?
      `${axis.title} ${low === high ? axis.values[low] : `${axis.values[low]} to ${axis.values[high]}`}` :
      `${axis.title} ${axis.text(low)} to ${axis.text(high)}`);
    count.textContent = `${countText(sweep.shown.length)} of ${countText(sweep.count)} plans${ranges.length ? "; " + ranges.join(", ") : ""}`;
  };
  sweep.listeners.push(draw);
  draw();
}

// Plans that are no answer, and why: reasons that differ in numbers alone are one, the largest first.
function leftOf(sweep, section) {
  const rows = sweep.conditions.map(c => [countText(c.count), `excluded by condition: ${c.text}`, ""]);
  const first = new Map();
  for (let i = 0; i < sweep.count; i++) {
    if (sweep.state[i] === sweep.ok) continue;
    const name = sweep.states[sweep.state[i]], why = sweep.why.of[i] < 0 ? name : `${name}: ${sweep.why.words[sweep.why.of[i]]}`;
    if (name === "left out") continue; // by conditions, which are counted
    const kind = why.replace(/\d+([.,]\d+)*/g, "0");
    if (!first.has(kind)) first.set(kind, [0, i, name, why]);
    const of = first.get(kind);
    of[0]++;
    if (of[3] !== why) of[2] = `${name}, such as`;
  }
  for (const [n, i, name, text] of [...first.values()].sort((a, b) => b[0] - a[0] || a[1] - b[1])) {
    const why = text.replace(/^[^:]*/, name);
    rows.push([countText(n), why, element("button", {class: "link", onclick: () => { sweep.choose(i); document.getElementById("plan").scrollIntoView(); }}, sweep.point(i))]);
  }
  if (!rows.length) return;
  section.append(element("h2", {}, "Left out"), element("div", {class: "wide"}, element("table", {class: "reasons"},
    element("thead", {}, element("tr", {}, ["plans", "why", "the first"].map(h => element("th", {scope: "col"}, h)))),
    element("tbody", {}, rows.map(cells => element("tr", {}, cells.map(c => element("td", {}, c))))))));
}
