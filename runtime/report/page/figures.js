// Tables and bars below the timeline: where the time of each stage goes, modules, the network, and
// the ways out where memory does not suffice. All of them are HTML, with their numbers as text.

const PARTS = [...PHASES.map(([name, kind]) => [name, WORK[kind][0]]), ["exposed communication", WAITS[EXPOSED][1]],
               ["pipeline bubble", WAITS[BUBBLE][1]], ["waits for the host", WAITS[HOST][1]], ["finished early", "#cfcfcf"]];

function bar(parts, total, label) {
  return element("div", {class: "bar", role: "img", "aria-label": label},
    parts.filter(p => p.value > 0).map(p => element("i", {title: `${p.name}: ${p.text}`,
      style: {width: 100 * p.value / total + "%", background: p.colour}})));
}

function legendOf(parts) {
  return element("p", {class: "legend"}, parts.map(([name, colour]) =>
    element("span", {class: "key"}, element("i", {style: {background: colour}}), name)));
}

const isBar = cell => cell instanceof Element && cell.classList.contains("bar");

function table(heads, rows, caption) {
  return element("div", {class: "wide", tabindex: 0, role: "region", "aria-label": caption || "Table"}, element("table", {}, element("caption", {}, caption),
    element("thead", {}, element("tr", {}, heads.map((h, i) => h ? element("th", {scope: "col", class: isBar(rows[0] && rows[0][i]) && "bars"}, h) : element("td")))),
    element("tbody", {}, rows.map(cells => element("tr", {}, cells.map((c, i) => element(i ? "td" : "th", i ? {} : {scope: "row"}, c)))))));
}

// How high a picture of memory is: the device's, unless little of it is used.
function memoryTop(m) {
  const used = m.peak + m.reserved;
  return m.limit && used > 0.2 * m.limit ? Math.max(m.limit, used) : used || 1;
}

// step: of the longer of two runs, so that their bars can be compared.
function stagesOf(run, section, several, step) {
  const used = PARTS.filter((_, i) => run.stages.some(s => s.time[i] > 0));
  const memory = run.classes.some(c => c.memory);
  const most = Math.max(1, ...run.classes.map(c => c.memory ? memoryTop(c.memory) : 0));
  const rows = run.stages.map(stage => {
    const parts = PARTS.map(([name, colour], i) => ({name, colour, value: stage.time[i], text: `${timeText(stage.time[i])}, ${shareText(stage.time[i] / run.step)}`}));
    const sum = (from, to) => shareText(stage.time.slice(from, to).reduce((a, b) => a + b, 0) / run.step);
    const c = run.classes[run.rowOf.get(stage.fullest)], m = c && c.memory;
    const held = m ? [{name: "driver and libraries", colour: "#a8a8a8", value: m.reserved, text: bytesText(m.reserved)},
      ...CATEGORIES.map(([name, colour], i) => ({name, colour, value: m.parts[i], text: bytesText(m.parts[i])}))] : [];
    return [run.programs[stage.program].name, countText(stage.ranks), bar(parts, step, "parts of the step"),
            sum(0, 7), sum(7, 8), sum(8, 9), sum(9, 10), sum(10, 11),
            ...(memory ? [bar(held, most, "parts of the memory"), m ? bytesText(m.peak + m.reserved) : ""] : [])];
  });
  section.append(element("h2", {}, several ? `Stages of ${run.name}` : "Stages"), legendOf(used),
    table(["stage", "ranks", "where the time goes", "compute", "exposed", "bubble", "host", "early",
           ...(memory ? ["memory at its peak", "peak"] : [])], rows,
          "Shares of the step, means over the ranks of a stage; memory of the rank with the highest peak."));
}

// ---- Modules ----

// A tree of "layer[*].attn.qkv" by its parts.
function treeOf(leaves) {
  const root = {name: "", value: 0, children: new Map(), leaf: null};
  for (const leaf of leaves) {
    let at = root;
    at.value += leaf.value;
    for (const part of (leaf.name || "without a name").split(".")) {
      if (!at.children.has(part)) at.children.set(part, {name: part, value: 0, children: new Map()});
      at = at.children.get(part);
      at.value += leaf.value;
    }
    at.leaf = leaf;
  }
  return root;
}

class Modules {
  constructor(run, section, several) {
    this.run = run;
    this.row = Math.max(0, run.classes.findIndex(c => c.busiest));
    this.what = "time";
    const memory = run.classes.some(c => c.memory);
    this.place = element("div", {class: "icicle"});
    this.legend = element("div");
    section.append(element("h2", {}, several ? `Modules of ${run.name}` : "Modules"),
      element("div", {class: "tools"},
        element("select", {"aria-label": "Stage", onchange: e => { this.row = +e.target.value; this.draw(); }},
          run.classes.flatMap((c, i) => c.busiest ? [element("option", {value: i}, run.stageName(i))] : [])),
        element("select", {"aria-label": "What is shown", onchange: e => { this.what = e.target.value; this.draw(); }},
          element("option", {value: "time"}, "time"), element("option", {value: "exposed"}, "exposed communication"),
          memory ? element("option", {value: "memory"}, "memory at its peak") : null)),
      this.legend, this.place);
    this.draw();
  }

  leaves() {
    const c = this.run.classes[this.row], out = [];
    if (this.what === "memory")
      for (let i = 0; c.memory && i < c.memory.holders.length; i += 3)
        out.push({name: this.run.names[c.memory.holders[i + 1]], value: c.memory.holders[i + 2],
                  colour: CATEGORIES[c.memory.holders[i]][1], most: CATEGORIES[c.memory.holders[i]][0], note: CATEGORIES[c.memory.holders[i]][0]});
    else
      for (let i = 0; i < c.modules.length; i += 10) {
        const times = c.modules.slice(i + 1, i + 10), phases = times.slice(0, 7);
        const value = this.what === "exposed" ? times[7] : phases.reduce((a, b) => a + b, 0) + times[7];
        const most = phases.indexOf(Math.max(...phases));
        const [name, colour] = PARTS[times[7] > phases[most] ? 7 : most];
        out.push({name: this.run.names[c.modules[i]], value, colour, most: name,
                  note: PARTS.slice(0, 8).map(([name], k) => times[k] ? `${name} ${timeText(times[k])}` : null).filter(Boolean).join(", ")});
      }
    return out.filter(l => l.value > 0);
  }

  draw() {
    const leaves = this.leaves(), tree = treeOf(leaves), total = tree.value || 1;
    const text = value => (this.what === "memory" ? bytesText(value) : timeText(value)) + ", " + shareText(value / total);
    const block = (node, share) => {
      const children = [...node.children.values()].sort((a, b) => b.value - a.value);
      const small = node.value / total < 0.012, title = `${node.name}: ${text(node.value)}${node.leaf && node.leaf.note ? " (" + node.leaf.note + ")" : ""}`;
      return element("li", {style: {flexGrow: String(Math.max(share, 1e-6)), flexBasis: "0"}, title},
        element("span", {class: children.length ? "inner" : "outer", style: children.length ? {} : {background: node.leaf.colour}},
          small ? "" : `${node.name} `, small ? "" : element("small", {}, text(node.value))),
        children.length ? element("ul", {}, children.map(c => block(c, c.value / node.value))) : null);
    };
    const shown = new Set(leaves.map(l => l.most)), of = this.what === "memory" ? CATEGORIES : PARTS;
    this.legend.replaceChildren(legendOf(of.filter(([name]) => shown.has(name))));
    this.legend.firstChild.prepend(element("span", {class: "key"}, "Largest part of a module:"));
    this.place.replaceChildren(element("ul", {}, [...tree.children.values()].sort((a, b) => b.value - a.value).map(c => block(c, c.value / total))));
  }
}

// ---- Network ----

function networkOf(run, section, several) {
  const busiest = run.classes.filter(c => c.busiest);
  const traffic = busiest.flatMap(c => c.traffic.map(([group, messages, calls, bytes, busy, exposed, transfer]) =>
    [run.programs[c.program].name, run.names[group] + (messages ? " messages" : ""), countText(calls), bytesText(bytes),
     timeText(transfer), timeText(Math.max(0, busy - transfer)), timeText(exposed),
     busy ? shareText(Math.max(0, 1 - exposed / busy)) : ""]));
  if (!traffic.length) return;
  section.append(element("h2", {}, several ? `Network of ${run.name}` : "Network"));
  if (run.network.length)
    section.append(table(["model", "answers", "calls", "bytes", "time of all calls", "of the step"],
      run.network.map(([name, where, assumed, calls, bytes, time, beyond, share]) =>
        [name, where + (assumed ? ", assumed" : "") + (beyond > 0 ? `, ${shareText(beyond / time)} beyond what was measured` : ""),
         countText(calls), bytesText(bytes), timeText(time), shareText(share)]), "Who says how long calls take; calls of all ranks."));
  const all = table(["stage", "group", "calls", "bytes", "transfer", "wait for peers", "exposed", "hidden"], traffic,
    "Calls of the busiest rank of each stage.");
  section.append(traffic.length > 12 ? element("details", {}, element("summary", {}, `Calls of each stage (${traffic.length} rows)`), all) : all);
}

// ---- Ways out ----

// What tells a text from others that begin as it does, cut to what a button has room for.
function ownPart(text, others, room = 38) {
  let same = 0;
  for (const o of others) {
    let i = 0;
    while (i < text.length && text[i] === o[i]) i++;
    if (o !== text && i > same) same = i;
  }
  const from = same > 12 ? Math.max(text.lastIndexOf(" ", same), text.lastIndexOf("[", same), text.lastIndexOf("(", same)) + 1 : 0;
  const rest = (from ? "\u2026" : "") + text.slice(from);
  return rest.length > room ? rest.slice(0, room - 1) + "\u2026" : rest;
}

// The fullest rank's memory: what the device has, and what the plan as it is needs.
function waysOf(run, section) {
  if (!run.ways || !run.ways.at.length) return;
  section.hidden = false;
  const shown = element("div", {class: "way", "aria-live": "polite"});
  const fullest = run.classes.map(c => c.memory).filter(Boolean).reduce((a, m) => a && a.peak + a.reserved >= m.peak + m.reserved ? a : m, null);
  const limit = fullest ? fullest.limit : 0, now = fullest ? fullest.peak + fullest.reserved : 0, texts = run.ways.at.map(way => way.slice(0, -3).join(" "));
  const room = peak => !limit ? "" : peak > limit ? bytesText(peak - limit) + " too much" : bytesText(limit - peak) + " free";
  const most = Math.max(limit, now, ...run.ways.at.map(way => way[way.length - 2])) || 1;
  const row = (name, step, peak) => [name, timeText(step), step === run.step ? "" : `${step > run.step ? "+" : "\u2212"}${shareText(Math.abs(step / run.step - 1))}`,
    bytesText(peak), room(peak), bar([{name: "peak", text: bytesText(peak), value: peak, colour: limit && peak > limit ? "var(--path)" : "var(--busy)"}], most, `${bytesText(peak)}${limit ? ` of ${bytesText(limit)}` : ""}`)];
  const instead = way => run.ways.instead[run.ways.at.indexOf(way)];
  const show = way => {
    const [step, peak] = way.slice(-3);
    shown.replaceChildren(table(["", "step time", "against the plan", "peak memory", "of the device", ""],
        [row("the plan as it is", run.step, now), row("changed", step, peak)], limit ? `The device has ${bytesText(limit)}.` : ""),
      element("p", {}, way[0].startsWith("-D") ? "Options:" : "Lines of the plan:"), element("pre", {tabindex: "0"}, way.slice(0, -3).join("\n")),
      ...instead(way) ? [element("p", {class: "instead"}, "Instead of ", element("code", {}, instead(way)))] : []);
    for (const b of section.querySelectorAll("button")) b.setAttribute("aria-pressed", String(b.way === way));
  };
  section.append(element("h2", {}, run.ways.fit ? "It does not fit in memory: ways out" : "It does not fit in memory; the closest change"),
    element("p", {}, `${run.ways.tried} changes of the plan were simulated${run.ways.untried ? `, ${run.ways.untried} were not` : ""}.`),
    element("div", {class: "buttons"}, run.ways.at.map((way, i) => {
      const b = element("button", {title: texts[i], onclick: () => show(way)}, `${timeText(way[way.length - 3])} \u00b7 ${bytesText(way[way.length - 2])}`,
        element("small", {}, ownPart(texts[i], texts)));
      b.way = way;
      return b;
    })), shown);
  show(run.ways.at[0]);
}
