// The schedule laboratory: every schedule of the standard library on the same work, beside each other.

// Knobs: what one unit is, and how far they go. Times are of a whole rank and a micro-batch.
const KNOBS = [
  {name: "f", label: "F", title: "Time of the forward of a micro-batch on a rank", unit: "us", min: 1, max: 40, usual: 10},
  {name: "i", label: "B, inputs", title: "Time of the gradients of inputs (I); B is I and W", unit: "us", min: 1, max: 40, usual: 10},
  {name: "w", label: "B, weights", title: "Time of the gradients of weights (W)", unit: "us", min: 0, max: 40, usual: 10},
  {name: "message", label: "message", title: "Time of a message between two stages", unit: "us", min: 0, max: 20, usual: 0},
  {name: "p", label: "p, ranks", title: "Ranks of the pipeline", unit: "", min: 2, max: 16, usual: 4, step: 2},
  {name: "m", label: "m, micro-batches", title: "Micro-batches of a step", unit: "", min: 2, max: 64, usual: 8, step: 2},
  {name: "v", label: "v, chunks", title: "Chunks a rank, for schedules that take a number of them", unit: "", min: 1, max: 4, usual: 2},
  {name: "freed", label: "freed by I", title: "Share of a micro-batch's activations that I may free", unit: "%", min: 0, max: 90, usual: 0, step: 10},
  {name: "memory", label: "memory", title: "Micro-batches whose activations a rank has room for", unit: "M", min: 1, max: 32, usual: 8},
];
const STUDIES = [
  ["As in the papers", "F, I and W take as long, messages nothing. 1F1B waits for (p - 1)(F + B); schedules that split B fill the waits with W.",
    {f: 10, i: 10, w: 10, message: 0, p: 4, m: 8, v: 2, freed: 0, memory: 8}],
  ["Few micro-batches", "With m = p the bubble weighs most. More chunks a rank make it smaller; so does filling it.",
    {f: 10, i: 10, w: 10, message: 0, p: 8, m: 8, v: 2, freed: 0, memory: 16}],
  ["Slow messages", "Each stage hears from its neighbours late. Schedules that run more forwards ahead hide it, and hold more.",
    {f: 10, i: 10, w: 10, message: 8, p: 4, m: 16, v: 2, freed: 0, memory: 8}],
  ["Cheap gradients of weights", "Attention has no weights: over long sequences W is short, and there is little to fill bubbles with.",
    {f: 20, i: 32, w: 6, message: 0, p: 4, m: 8, v: 2, freed: 0, memory: 8}],
  ["Little memory", "Half of what 1F1B holds. Which schedules fit, and what do they pay?",
    {f: 10, i: 10, w: 10, message: 0, p: 8, m: 16, v: 2, freed: 0, memory: 4}],
];
const ORDERS = [["time", "step time"], ["peak", "peak memory"], ["idle", "idle share"], ["name", "name"]];
const OWN = `// F(i), I(i), W(i): forward, gradients of inputs and of weights of micro-batch i; B(i): both.
schedule mine(p: Axis, m: Int) {
  stages p
  at s in 0..p {
    let warm = min(p - s, m)
    for i in 0..warm { F(i) }
    for i in warm..m { B(i - warm) F(i) }
    for i in m - warm..m { B(i) }
  }
}
`;
const ACTIVATION = 2 ** 30; // bytes of a micro-batch's activations on a rank: "M"
const NEAR = 1e-6;          // of M: a few bytes beside activations do not count
const ACTIVATIONS = CATEGORIES.findIndex(([name]) => name === "activations");
const [LAB_HEAD, LAB_BODY] = FILES["lab.ts"].split(/^(?=plan )/m);
const labWith = text => LAB_HEAD.replace(/^\/\/.*\n/gm, "") + text + LAB_BODY;

class Lab {
  constructor(place, changed, toPlan) {
    this.changed = changed;
    this.toPlan = toPlan;
    this.engine = new Engine(Math.max(1, Math.min(4, (navigator.hardwareConcurrency || 2) - 1)));
    this.values = Object.fromEntries(KNOBS.map(k => [k.name, k.usual]));
    this.order = "time";
    this.own = {text: OWN, call: "mine(p: p, m: m)", on: false};
    this.cards = new Map();
    this.turn = 0;
    this.build(place);
  }

  // ---- Elements ----

  build(place) {
    this.knobs = Object.fromEntries(KNOBS.map(k => {
      const shown = element("output", {});
      const field = element("input", {type: "range", min: k.min, max: k.max, step: k.step || 1, value: k.usual, "data-knob": k.name,
        "aria-label": k.title, oninput: () => { this.values[k.name] = Number(field.value); this.say(k.name); this.soon(); }});
      return [k.name, {k, field, shown, box: element("label", {title: k.title}, element("span", {}, k.label), field, shown)}];
    }));
    this.studies = element("select", {"aria-label": "Study", onchange: () => this.study(Number(this.studies.value))},
      STUDIES.map(([name], i) => element("option", {value: i}, name)));
    this.about = element("p", {class: "about"}, STUDIES[0][1]);
    this.sorted = element("select", {"aria-label": "Order", onchange: () => { this.order = this.sorted.value; this.arrange(); this.changed(); }},
      ORDERS.map(([value, text]) => element("option", {value}, `by ${text}`)));
    this.state = element("span", {class: "state", role: "status"});
    this.ownOn = element("input", {type: "checkbox", onchange: () => { this.own.on = this.ownOn.checked; this.ownBox.open = true; this.soon(); }});
    const paper = element("div", {});
    this.ownCall = element("input", {value: this.own.call, "aria-label": "How your schedule is called", spellcheck: "false",
      oninput: () => { this.own.call = this.ownCall.value; this.turnOn(); }});
    this.ownMessages = element("pre", {hidden: true, tabindex: 0});
    this.ownBox = element("details", {class: "own"}, element("summary", {}, "Your own schedule"),
      paper, element("div", {class: "tray"}, element("label", {}, this.ownOn, "play"), this.ownCall), this.ownMessages);
    this.chart = element("figure", {class: "scatter"});
    this.grid = element("div", {class: "grid"});
    this.legend = element("p", {class: "legend"}, ["f", "b", "w", "p"].map(kind => element("span", {class: "key"},
      element("i", {style: {background: WORK[kind][0]}}), kind === "b" ? "backward, or its gradients of inputs" : WORK[kind][1])),
      element("span", {class: "key"}, element("i", {class: "idle"}), "idle"),
      element("span", {}, "Numbers are micro-batches; lighter and darker shades are further chunks of a rank. At the right is the peak " +
        "memory of each rank, and the room. All pictures have one time axis."));
    place.append(element("aside", {class: "knobs", "aria-label": "What is played"},
      element("div", {class: "tray"}, this.studies), this.about,
      ...Object.values(this.knobs).map(k => k.box), this.ownBox, this.chart),
      element("section", {class: "schedules", "aria-label": "Schedules"},
        element("div", {class: "tray"}, this.sorted, this.state), this.legend, this.grid));
    this.editor = new Editor(paper, "Your own schedule", () => { this.own.text = this.editor.text; this.turnOn(); });
    this.editor.text = this.own.text;
    KNOBS.forEach(k => this.say(k.name));
    for (const event of ["(prefers-color-scheme: dark)"]) matchMedia(event).addEventListener("change", () => this.paint());
    addEventListener("resize", () => this.paint());
  }

  say(name) {
    const {k, shown, field} = this.knobs[name];
    field.value = this.values[name];
    shown.textContent = `${this.values[name]} ${k.unit}`;
  }

  turnOn() {
    this.own.on = this.ownOn.checked = true;
    this.soon();
  }

  study(at) {
    Object.assign(this.values, STUDIES[at][2]);
    this.about.textContent = STUDIES[at][1];
    KNOBS.forEach(k => this.say(k.name));
    this.soon();
  }

  // ---- State ----

  get state_() { return {values: this.values, order: this.order, own: this.own}; }

  load(state) {
    for (const k of KNOBS) {
      const value = Number(state.values && state.values[k.name]);
      if (value >= k.min && value <= k.max) this.values[k.name] = value;
      this.say(k.name);
    }
    if (ORDERS.some(([name]) => name === state.order)) this.order = this.sorted.value = state.order;
    if (state.own) {
      this.own = {text: String(state.own.text), call: String(state.own.call), on: Boolean(state.own.on)};
      this.editor.text = this.own.text;
      this.ownCall.value = this.own.call;
      this.ownOn.checked = this.ownBox.open = this.own.on;
    }
  }

  soon() {
    this.changed();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.play(), 120);
  }

  // ---- What is played ----

  // The schedules of the library that a pipeline and micro-batches suffice for: name, what they take,
  // what is said of them.
  async list() {
    if (this.known) return this.known;
    const [answer, reference] = await Promise.all(["json", "markdown"].map(form =>
      this.engine.run({args: ["trainspec", "list", "schedules", `--format=${form}`]})));
    // what the files say at their tops: "## std.schedules.gpipe", then the text
    const abouts = Object.fromEntries(reference.out.split(/^## /m).slice(1).map(part => {
      const [name, ...lines] = part.split(/^### /m)[0].split("\n");
      return [name, lines.join("\n").trim()];
    }));
    return this.known = JSON.parse(answer.out).items.map(item => {
      const [, name, list] = /^schedule (\w+)\(\s*(.*?),?\s*\)/.exec(item.signature) || [];
      const takes = !name ? [] : list.split(/, (?=\w+:)/).map(t => /^(\w+): ([\w[\]]+)(?: = (.*))?$/.exec(t)).filter(t => t)
        .map(([, param, type, usual]) => ({param, type, usual}));
      return {name, takes, from: item.import,
              about: this.words(item.comment.trim(), abouts[item.import])};
    }).filter(s => s.name && s.takes.some(t => t.param === "p" && t.type === "Axis") && s.takes.some(t => t.param === "m")
      && s.takes.every(t => t.usual !== undefined || ["p", "m", "v", "memory"].includes(t.param)));
  }

  // What is said of a schedule, and of its file; the schedule's own words come first if they say what it is.
  words(own, file) {
    return [...new Set(/^[A-Z]/.test(own) ? [own, file] : [file, own])].filter(t => t).join("\n\n");
  }

  call({name, takes}) {
    const given = {p: this.values.p, m: this.values.m, v: this.values.v, memory: `${this.values.memory} GiB`};
    return `${name}(${takes.filter(t => given[t.param] !== undefined).map(t => `${t.param}: ${given[t.param]}`).join(", ")})`;
  }

  defines(call) {
    const {f, i, w, message, freed, p} = this.values;
    return {schedule: call, p, f: `${f} us`, i: `${i} us`, w: `${w} us`, message: `${message} us`,
            activation: "1 GiB", freed_by_i: `${Math.round(1024 * freed / 100)} MiB`};
  }

  request(file, files, call) {
    return {files: {...files, "schedule_lab.ts": FILES["schedule_lab.ts"]}, wanted: [PAGE],
      args: ["trainspec", "run", "--diagnostics=json", "--format=html", "-o", PAGE,
        ...Object.entries(this.defines(call)).flatMap(([name, value]) => ["-D", `${name}=${value}`]), file]};
  }

  async play() {
    clearTimeout(this.waiting);
    const turn = ++this.turn, began = performance.now();
    const schedules = await this.list();
    this.engine.drop();
    if (turn !== this.turn) return;
    this.state.textContent = "playing";
    const {p, m, v} = this.values;
    const tasks = schedules.map(s => ({key: s.name, schedule: s, call: this.call(s), 
      request: this.request("lab.ts", {"lab.ts": labWith(`import ${s.from}\n\n`)}, this.call(s))}));
    if (this.own.on) {
      const call = this.own.call.replace(/:\s*(p|m|v)\b/g, (_, k) => `: ${{p, m, v}[k]}`);
      tasks.unshift({key: "your own", own: true, schedule: {name: "your own", about: ""}, call,
        request: this.request("lab.ts", {"lab.ts": labWith('import "own.ts"\n\n'), "own.ts": this.own.text}, call)});
    }
    for (const [key, card] of this.cards)
      if (!tasks.some(t => t.key === key)) { card.box.remove(); this.cards.delete(key); }
    await Promise.all(tasks.map(async task => {
      const answer = await this.engine.run(task.request);
      if (answer && turn === this.turn) this.take(task, answer);
    }));
    if (turn !== this.turn) return;
    this.arrange();
    const failed = [...this.cards.values()].filter(c => !c.run).length;
    this.state.textContent = `${tasks.length - failed} schedules played in ${Math.round(performance.now() - began)} ms` +
      (failed ? `; ${failed} cannot be` : "");
    document.documentElement.dataset.lab = turn;
  }

  take(task, answer) {
    const card = this.cards.get(task.key) || this.card(task);
    const found = /<script type="application\/json" class="run">\s*([\s\S]*?)\s*<\/script>/.exec(answer.files[PAGE] || "");
    const diagnostics = diagnosticsOf(answer.err);
    card.call = task.call;
    card.run = found ? new Run(JSON.parse(found[1])) : null;
    if (card.run) Object.assign(card, this.measure(card.run));
    const why = diagnostics.find(d => d.severity === "error");
    card.title.textContent = task.own ? "your own" : task.schedule.name;
    card.expression.textContent = task.call;
    const label = why && (why.spans.find(s => s.primary) || {}).label, help = why && why.children.find(c => c.severity === "help");
    card.why.textContent = card.run ? "" : why ? [label || why.message, help && help.message].filter(t => t).join("; ") : "it cannot be played";
    card.why.title = card.run || !why ? "" : why.rendered;
    if (task.own) this.ownSays(diagnostics);
  }

  ownSays(list) {
    const place = placeOf(this.own.text), errors = list.filter(d => d.severity === "error");
    this.editor.mark(list.flatMap(d => d.spans.filter(s => s.file === "own.ts").map(s => ({from: place(s.byte_start), to: place(s.byte_end),
      severity: s.primary ? d.severity : "also", text: [d.message, s.label].filter(t => t).join("\n")}))));
    this.ownMessages.hidden = !errors.length;
    this.ownMessages.textContent = errors.map(d => d.rendered).join("\n");
  }

  // Idle: what a rank does not compute, in the mean of all.
  measure(run) {
    const {p} = this.values, rows = Array.from({length: p}, (_, r) => run.rank(r));
    const busy = rows.map(row => run.classes[row].time.slice(0, 7).reduce((a, b) => a + b, 0)).reduce((a, b) => a + b, 0) / p;
    return {rows, time: run.step, idle: 1 - busy / run.step, peak: Math.max(...rows.map(row => this.held(run, row)))};
  }

  // Activations at the peak of a rank, in micro-batches. (The plan has a parameter of one byte.)
  held(run, row) {
    return run.classes[row].memory.parts[ACTIVATIONS] / ACTIVATION;
  }

  // ---- What is seen ----

  card(task) {
    const card = {key: task.key, title: element("h3", {}), expression: element("code", {}), figures: element("p", {class: "figures"}),
      canvas: element("canvas", {role: "img"}), why: element("p", {class: "why"})};
    const about = task.schedule.about && element("details", {}, element("summary", {}, element("span", {}, task.schedule.about.split(/(?<=\.)\s|\n\n/)[0].split("\n").join(" "))),
      element("p", {}, task.schedule.about));
    card.box = element("article", {class: "card" + (task.own ? " mine" : ""), "data-schedule": task.key, onmouseenter: () => this.point(card), onmouseleave: () => this.point(null)},
      element("header", {}, card.title, card.figures), card.expression, card.canvas, card.why, about || null,
      element("button", {class: "more", onclick: () =>
        this.toPlan(labWith(task.own ? `\n${this.own.text}\n` : `import ${task.schedule.from}\n\n`), this.defines(card.call))},
        "Look closer"));
    card.canvas.addEventListener("pointermove", e => { card.canvas.title = this.under(card, e); });
    this.cards.set(task.key, card);
    this.grid.append(card.box);
    return card;
  }

  // Best first; those that need too much memory, and those that cannot be played, last.
  arrange() {
    const worth = {time: c => c.time, peak: c => c.peak, idle: c => c.idle, name: () => 0}[this.order];
    const state = c => !c.run ? 2 : c.peak > this.values.memory + NEAR && this.order !== "name" ? 1 : 0;
    const list = [...this.cards.values()].sort((a, b) => state(a) - state(b) || (a.run && b.run ? worth(a) - worth(b) : 0) ||
      (a.run && b.run && this.order !== "name" ? a.peak - b.peak : 0) || a.key.localeCompare(b.key));
    list.forEach(c => this.grid.append(c.box));
    this.list_ = list;
    this.paint();
  }

  paint() {
    if (!this.list_) return;
    const played = this.list_.filter(c => c.run), longest = Math.max(...played.map(c => c.time), 1);
    const most = Math.max(...played.map(c => c.peak), this.values.memory);
    for (const c of this.list_) {
      const over = c.run && c.peak > this.values.memory + NEAR;
      c.box.classList.toggle("over", Boolean(over));
      c.box.classList.toggle("failed", !c.run);
      c.canvas.hidden = !c.run;
      if (!c.run) { c.figures.replaceChildren(); continue; }
      c.figures.replaceChildren(element("b", {}, timeText(c.time)), element("span", {}, `${shareText(c.idle)} idle`),
        element("span", {class: over ? "too-much" : "", title: over ? "more than there is room for" : "peak memory of a rank"},
          `${over ? "\u2715 " : ""}${significant(c.peak, 3)} M`));
      c.canvas.setAttribute("aria-label", `${c.key}: ${timeText(c.time)}, ${shareText(c.idle)} idle, holds ${significant(c.peak, 3)} micro-batches`);
      this.draw(c, longest, most);
    }
    this.scatter(played);
  }

  draw(c, longest, most) {
    const ratio = devicePixelRatio || 1, width = c.canvas.clientWidth || 320, gap = 34, rows = c.rows.length;
    const height = rows > 8 ? 9 : 15, tall = rows * (height + 1);
    c.canvas.width = Math.round(width * ratio);
    c.canvas.height = Math.round(tall * ratio);
    c.canvas.style.height = tall + "px";
    const g = c.canvas.getContext("2d"), scale = (width - gap) / longest, colours = theme();
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, tall);
    g.font = `${height - 5}px system-ui, sans-serif`;
    g.textAlign = "center";
    g.textBaseline = "middle";
    c.rows.forEach((row, rank) => {
      const y = rank * (height + 1), work = c.run.work(row), items = c.run.program(c.run.classes[row].program);
      g.fillStyle = colours.rail;
      g.fillRect(0, y, c.time * scale, height);
      for (let k = 0; k < work.count; k++) {
        const begin = work.begin(k), x = begin * scale, wide = (work.end(k) - begin) * scale, micro = items.micro(work.item(k));
        g.fillStyle = SHADES_CSS[work.colour(k)];
        g.fillRect(x, y, Math.max(wide - (wide > 4 ? 0.6 : 0), 0.5), height);
        if (wide < (micro > 9 ? 12 : 7) || height < 12 || micro < 0) continue;
        g.fillStyle = "#000";
        g.fillText(micro, x + wide / 2, y + height / 2 + 0.5);
      }
      // what the rank holds at most, at the right
      const held = this.held(c.run, row), bar = (gap - 6) * held / most;
      g.fillStyle = held > this.values.memory + NEAR ? colours.path : CATEGORIES[3][1];
      g.fillRect(width - gap + 6, y + 2, Math.max(bar, 0.5), height - 4);
    });
    const limit = width - gap + 6 + (gap - 6) * this.values.memory / most;
    g.fillStyle = colours.path;
    g.fillRect(Math.min(limit, width) - 1, 0, 1, tall);
    c.scale = scale;
    c.rowHeight = height + 1;
  }

  under(c, e) {
    const box = c.canvas.getBoundingClientRect(), time = (e.clientX - box.left) / c.scale;
    const rank = Math.floor((e.clientY - box.top) / c.rowHeight), row = c.rows[rank];
    if (row === undefined) return "";
    const work = c.run.work(row), k = work.beginning(time) - 1;
    const held = `rank ${rank} holds at most ${significant(this.held(c.run, row), 3)} M`;
    return k >= 0 && time < work.end(k) ?
      `${c.run.itemName(row, work.item(k))} on rank ${rank}: ${timeText(work.begin(k))} to ${timeText(work.end(k))}; ${held}` : `rank ${rank} is idle; ${held}`;
  }

  // Time against memory: what nobody beats in both is joined by a line.
  scatter(played) {
    const width = 300, height = 230, left = 40, bottom = 34, top = 10, right = 12;
    const xs = played.map(c => c.peak), ys = played.map(c => c.idle * 100);
    const x1 = Math.max(...xs, this.values.memory) * 1.08, y1 = Math.max(...ys, 1) * 1.1;
    const x = v => left + v / x1 * (width - left - right), y = v => height - bottom - v / y1 * (height - bottom - top);
    const svg = (tag, attributes, ...children) => {
      const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
      e.append(...children);
      return e;
    };
    const front = played.filter(c => !played.some(o => o !== c && o.peak <= c.peak + NEAR && o.time <= c.time && (o.peak < c.peak - NEAR || o.time < c.time)))
      .sort((a, b) => a.peak - b.peak);
    const ticks = (end, count) => { const step = niceStep(end / count * 1000) / 1000; return Array.from({length: Math.floor(end / step) + 1}, (_, i) => +(i * step).toFixed(6)); };
    const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Idle share against peak memory of each schedule"},
      svg("rect", {x: left, y: top, width: Math.max(0, x(this.values.memory) - left), height: height - bottom - top, class: "room"}),
      ...ticks(y1, 4).flatMap(v => [svg("line", {x1: left, x2: width - right, y1: y(v), y2: y(v), class: "grid-line"}), svg("text", {x: left - 5, y: y(v) + 3, "text-anchor": "end"}, v)]),
      ...ticks(x1, 5).map(v => svg("text", {x: x(v), y: height - bottom + 13, "text-anchor": "middle"}, v)),
      svg("text", {x: (left + width) / 2, y: height - 4, "text-anchor": "middle"}, "peak memory of a rank, M"),
      svg("text", {x: 0, y: 0, transform: `translate(10 ${(height - bottom) / 2 + top}) rotate(-90)`, "text-anchor": "middle"}, "idle, %"),
      svg("polyline", {points: front.map(c => `${x(c.peak)},${y(c.idle * 100)}`).join(" "), class: "front"}));
    this.dots = new Map([...played.filter(c => !front.includes(c)), ...front].map(c => {
      const dot = svg("circle", {cx: x(c.peak), cy: y(c.idle * 100), r: 4.5, class: front.includes(c) ? "dot best" : "dot", "data-dot": c.key},
        svg("title", {}, `${c.key}: ${shareText(c.idle)} idle, ${significant(c.peak, 3)} M`));
      dot.addEventListener("mouseenter", () => this.point(c));
      dot.addEventListener("mouseleave", () => this.point(null));
      dot.addEventListener("click", () => c.box.scrollIntoView({block: "center", behavior: "smooth"}));
      picture.append(dot);
      return [c, dot];
    }));
    front.filter((c, i) => !i || c.peak > front[i - 1].peak + NEAR).forEach(c => {
      const end = x(c.peak) > width * 0.6;
      picture.append(svg("text", {x: x(c.peak) + (end ? -4 : 6), y: y(c.idle * 100) - 6, "text-anchor": end ? "end" : "start", class: "name"}, c.key));
    });
    this.caption = element("figcaption", {}, `Time against memory. On the line: ${front.map(c => c.key).join(", ")}. Shaded: what fits.`);
    this.chart.replaceChildren(picture, this.caption);
  }

  // Card and dot of one schedule.
  point(card) {
    for (const c of this.cards.values()) {
      c.box.classList.toggle("pointed", c === card);
      const dot = this.dots && this.dots.get(c);
      if (dot) dot.classList.toggle("pointed", c === card);
    }
  }
}
