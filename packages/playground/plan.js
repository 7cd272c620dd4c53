// A plan: its text, its parameters, and what the engine says of it.

const PAGE = "report.html", FIRST = "gpt3_175b.ts", PAUSE = 350; // ms without a key until it is played

class PlanPage {
  constructor(place, changed) {
    this.changed = changed; // something that a link holds
    this.engine = new Engine(1);
    this.asked = 0;
    this.values = {};       // of parameters, where they differ from the plan's own
    this.name = FIRST;
    this.build(place);
  }

  // ---- Elements ----

  build(place) {
    this.menu = element("select", {"aria-label": "Example", onchange: () => this.open(this.menu.value)},
      Object.keys(PLANS).map(name => element("option", {value: name}, `${name}: ${titleOf(PLANS[name])}`)),
      element("option", {value: "", disabled: true}, "a plan of your own"));
    this.playButton = element("button", {class: "main", title: "Ctrl+Enter", onclick: () => this.play()}, "Run");
    this.stopButton = element("button", {hidden: true, onclick: () => this.stop()}, "Stop");
    this.live = element("input", {type: "checkbox", checked: true});
    this.state = element("span", {class: "state", role: "status"});
    this.beginner = new Beginner(this);
    const paper = element("div", {});
    this.parameters = element("div", {class: "parameters", role: "group", "aria-label": "Parameters of the plan"});
    this.messages = element("div", {class: "messages", role: "log", "aria-label": "Messages"});
    const left = element("section", {class: "left", "aria-label": "Plan"},
      element("div", {class: "tray"}, this.menu, element("button", {title: "A plan for a model and a machine", "data-new": "",
        onclick: () => this.beginner.toggle()}, "New"), this.playButton, this.stopButton,
        element("label", {title: "Play after every change"}, this.live, "live"), this.state),
      this.beginner.box, paper, this.parameters, this.messages);
    this.frame = element("iframe", {title: "Report of the step", sandbox: "allow-scripts"});
    this.report = element("pre", {tabindex: 0});
    this.json = element("pre", {tabindex: 0});
    this.console = new CommandLine(this);
    this.views = new Tabs("Results", [["page", "Page", this.frame], ["text", "Text", this.report],
      ["json", "JSON", this.json], ["commands", "Command line", this.console.box]], name => this.shown(name));
    const right = element("section", {class: "right", "aria-label": "Results"}, this.views.bar, ...this.views.panels);
    place.append(left, right);
    this.editor = new Editor(paper, "Plan", () => this.edited());
    this.assist = new Assist(this.editor, this);
    place.addEventListener("keydown", e => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); this.play(); }
    });
  }

  // ---- What is played ----

  get state_() { return {name: this.name, text: this.editor.text, values: this.values, view: this.views.name}; }

  load(state) {
    this.name = PLANS[state.name] !== undefined || /^[\w.-]+\.ts$/.test(state.name) ? state.name : "plan.ts";
    this.menu.value = PLANS[this.name] !== undefined ? this.name : "";
    this.editor.text = String(state.text ?? PLANS[this.name] ?? "");
    this.values = Object.fromEntries(Object.entries(state.values || {}).map(([k, v]) => [k, String(v)]));
    this.list = null;
    if (state.view) this.views.show(state.view);
    return this.play();
  }

  open(name) { return this.load({name, text: PLANS[name], values: {}}); }

  edited() {
    this.changed();
    clearTimeout(this.waiting);
    if (this.live.checked) this.waiting = setTimeout(() => this.play(), PAUSE);
  }

  files() { return {...FILES, [this.name]: this.editor.text}; }

  defines() {
    const known = this.list ? new Set(this.list.map(p => p.name)) : null;
    return Object.entries(this.values).filter(([name, value]) => value !== "" && (!known || known.has(name)))
      .flatMap(([name, value]) => ["-D", `${name}=${value}`]);
  }

  stop() {
    this.engine.stop();
    this.asked++;
    this.busy(false);
    this.state.textContent = "stopped";
  }

  busy(on) {
    this.stopButton.hidden = !on;
    document.documentElement.toggleAttribute("data-busy", on);
  }

  async play() {
    clearTimeout(this.waiting);
    const turn = ++this.asked;
    this.engine.stop();
    this.busy(true);
    this.state.textContent = "playing";
    const listed = await this.engine.run({args: ["trainspec", "compile", "--list-params", this.name], files: this.files()});
    if (!listed || turn !== this.asked) return;
    if (!listed.code) this.showParameters(listed.out);
    const answer = await this.engine.run({args: ["trainspec", "run", "--diagnostics=json", "--format=html", "-o", PAGE,
      ...this.defines(), this.name], files: this.files(), wanted: [PAGE]});
    if (!answer || turn !== this.asked) return;
    this.busy(false);
    this.showMessages(diagnosticsOf(answer.err));
    this.failed = !answer.files[PAGE];
    this.frame.classList.toggle("stale", this.failed);
    if (!this.failed) this.showPage(answer.files[PAGE]);
    this.state.textContent = `${this.failed ? "not played" : answer.code ? "played; see the messages" : "played"}, ` +
      `${Math.round(answer.milliseconds)} ms`;
    this.fresh = {};
    this.shown(this.views.name);
    document.documentElement.dataset.played = turn;
  }

  // ---- Parameters ----

  // "plan NAME", then a line for each: "  tp: Int = 8".
  showParameters(text) {
    const own = [];
    let plans = 0;
    for (const line of text.split("\n")) {
      const found = /^ {2}(\w+): (\w+(?:\[.*?\])?)(?: = (.*))?$/.exec(line);
      if (/^plan /.test(line)) plans++;
      if (found && plans === 1) own.push({name: found[1], type: found[2], usual: found[3] ?? ""});
    }
    if (JSON.stringify(own) === JSON.stringify(this.list)) return;
    this.list = own;
    this.parameters.replaceChildren(...own.map(p => this.parameter(p)));
    this.parameters.hidden = !own.length;
  }

  parameter({name, type, usual}) {
    const field = element("input", {value: this.values[name] ?? "", placeholder: usual, size: Math.max(6, Math.min(30, Math.max(usual.length, (this.values[name] ?? "").length) + 1)),
      "data-parameter": name, spellcheck: "false", autocomplete: "off", oninput: () => this.set(name, field.value),
      onkeydown: e => { if (e.key === "Enter" && !e.ctrlKey) this.play(); }});
    const by = (factor, sign) => element("button", {class: "by", title: `${name} ${sign} 2`, "aria-label": `${name} ${sign} 2`,
      onclick: () => {
        const now = parseInt(field.value || usual, 10), next = factor > 1 ? now * 2 : Math.max(1, Math.floor(now / 2));
        if (!(next < 1e15)) return;
        field.value = String(next) === usual ? "" : next;
        this.set(name, field.value);
      }}, sign + "2");
    return element("label", {title: `${name}: ${type} = ${usual}`}, element("span", {}, name), field,
      ...(type === "Int" && /^\d+$/.test(usual) ? [by(0.5, "\u00f7"), by(2, "\u00d7")] : []));
  }

  set(name, value) {
    if (value.trim()) this.values[name] = value.trim(); else delete this.values[name];
    this.edited();
  }

  // ---- Messages ----

  showMessages(list) {
    const text = this.editor.text, place = placeOf(text), marks = [];
    for (const d of list)
      for (const s of d.spans)
        if (s.file === this.name && (s.primary || d.severity !== "note"))
          marks.push({from: place(s.byte_start), to: place(s.byte_end), severity: s.primary ? d.severity : "also",
            text: s.primary ? [`${d.severity}[${d.code}]: ${d.message}`, s.label].filter(t => t).join("\n") : s.label});
    this.editor.mark(marks);
    this.messages.replaceChildren(...list.map(d => this.message(d, place)));
    this.messages.hidden = !list.length;
    if (list.length) this.messages.scrollTop = 0;
  }

  message(d, place) {
    const at = d.spans.find(s => s.primary && s.file === this.name);
    const edits = d.children.filter(c => c.edits && c.edits.length && c.edits.every(e => e.file === this.name));
    return element("details", {class: "message " + d.severity, open: d.severity !== "note"},
      element("summary", {}, element("b", {}, d.code ? `${d.severity} ${d.code}` : d.severity), " " + d.message),
      element("pre", {tabindex: 0}, d.rendered),
      element("div", {class: "tray"},
        at ? element("button", {onclick: () => this.editor.go(place(at.byte_start), place(at.byte_end))}, `Line ${at.line}`) : null,
        ...edits.map(c => element("button", {onclick: () => this.mend(c.edits)}, `Apply: ${c.message}`))));
  }

  // From the last to the first, so that places stay true.
  mend(edits) {
    const place = placeOf(this.editor.text);
    for (const e of [...edits].sort((a, b) => b.byte_start - a.byte_start))
      this.editor.replace(place(e.byte_start), place(e.byte_end), e.replacement);
    this.play();
  }

  // ---- Results ----

  showPage(html) {
    const theme = document.documentElement.dataset.theme;
    this.page = html;
    this.frame.onload = () => { document.documentElement.dataset.shown = this.asked; };
    this.frame.srcdoc = theme ? html.replace("<html ", `<html data-theme="${theme}" `) : html;
  }

  // Text and JSON are made when they are looked at.
  async shown(name) {
    this.changed();
    const turn = this.asked, pre = {text: this.report, json: this.json}[name];
    if (!pre || !this.fresh || this.fresh[name]) return;
    this.fresh[name] = true;
    const answer = await this.engine.run({args: ["trainspec", "run", `--format=${name}`, ...this.defines(), this.name], files: this.files()});
    if (answer && turn === this.asked) pre.textContent = answer.out || answer.err;
  }
}

// The first sentence of the comment at the top.
function titleOf(text) {
  const comment = text.split("\n").filter((l, i, all) => all.slice(0, i + 1).every(k => k.startsWith("//")))
    .map(l => l.replace(/^\/\/ ?/, "")).join(" ");
  return (/^(.*?)[.:](?: |$)/.exec(comment) || ["", comment])[1];
}

// A plan to begin with: `trainspec init` plays some ten to thirty, and writes the fastest that fits.
class Beginner {
  constructor(plan) {
    this.plan = plan;
    this.model = element("select", {"aria-label": "Model"});
    this.machine = element("select", {"aria-label": "Machine"});
    this.gpus = element("input", {value: "512", size: 6, inputmode: "numeric", "aria-label": "Number of GPUs"});
    this.box = element("form", {class: "tray begin", hidden: true, onsubmit: e => { e.preventDefault(); this.make(); }},
      "Train", this.model, "on", this.gpus, this.machine, element("button", {class: "main"}, "Find a plan"));
  }

  async toggle() {
    this.box.hidden = !this.box.hidden;
    if (this.box.hidden || this.model.options.length) return;
    const {engine} = this.plan;
    const [models, machines] = await Promise.all(["models", "machines"].map(kind =>
      engine.run({args: ["trainspec", "list", kind, "--format=json"]})));
    if (!models || !machines) return;
    const fill = (select, names, usual) => select.replaceChildren(...names.map(name => element("option", {selected: name === usual}, name)));
    // models that need no arguments; machines are named after what they are made of
    const items = answer => JSON.parse(answer.out).items;
    const whole = ({signature}) => (/\((.*)\)/.exec(signature) || ["", ""])[1].split(/, (?=\w+:)/).every(p => !p.trim() || p.includes(" = "));
    fill(this.model, items(models).filter(whole).map(i => i.name), "llama3_70b");
    fill(this.machine, items(machines).filter(i => whole(i) && /^machine_/.test(i.name)).map(i => i.name.slice("machine_".length)), "h100");
  }

  async make() {
    const {plan} = this, turn = ++plan.asked;
    plan.engine.stop();
    plan.busy(true);
    plan.state.textContent = "searching for a plan";
    const answer = await plan.engine.run({args: ["trainspec", "init", "--diagnostics=json", `--model=${this.model.value}`,
      `--gpu=${this.machine.value}`, `--gpus=${this.gpus.value.trim()}`]});
    if (!answer || turn !== plan.asked) return;
    plan.busy(false);
    if (answer.code) {
      plan.state.textContent = "no plan found";
      plan.showMessages(diagnosticsOf(answer.err));
      return;
    }
    this.box.hidden = true;
    plan.load({name: "plan.ts", text: answer.out, values: {}, view: "page"});
  }
}

// Any command of `trainspec`, on the files of the page.
class CommandLine {
  constructor(plan) {
    this.plan = plan;
    this.past = [];
    this.field = element("input", {"aria-label": "Command", placeholder: "list models", spellcheck: "false", autocomplete: "off",
      onkeydown: e => this.key(e)});
    this.printed = element("pre", {tabindex: 0, role: "log"},
      "Any command of the program works on the plan and its files:\n\n" +
      "  list schedules                 show llama3_70b\n" +
      "  run --sensitivity PLAN         run --what-if nic=800Gb/s PLAN\n" +
      "  topo --format=svg PLAN         compile -S PLAN\n" +
      "  help E0304                     --help\n\n" +
      "PLAN stands for the file in the editor, with its parameters.\n");
    this.picture = element("iframe", {title: "Picture or page of the command", sandbox: "allow-scripts", hidden: true});
    this.box = element("div", {class: "console"}, this.printed, this.picture,
      element("form", {onsubmit: e => { e.preventDefault(); this.run(this.field.value); }},
        element("label", {}, "trainspec ", this.field), element("button", {}, "Run")));
  }

  key(e) {
    if (e.key !== "ArrowUp" && e.key !== "ArrowDown" || !this.past.length) return;
    e.preventDefault();
    this.at = Math.max(0, Math.min(this.past.length, (this.at ?? this.past.length) + (e.key === "ArrowUp" ? -1 : 1)));
    this.field.value = this.past[this.at] ?? "";
  }

  async run(line) {
    const words = (line.match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) || []).map(w => w.replace(/["']/g, m => ""));
    if (words[0] === "trainspec") words.shift();
    if (!words.length) return;
    this.past.push(line);
    this.at = undefined;
    this.field.value = "";
    const args = words.flatMap(w => w === "PLAN" ? [...this.plan.defines(), this.plan.name] : [w]);
    this.picture.hidden = true;
    this.printed.hidden = false;
    this.printed.textContent = `$ trainspec ${args.join(" ")}\n`;
    const answer = await this.plan.engine.run({args: ["trainspec", ...args], files: this.plan.files()});
    if (!answer) return;
    const drawn = /^<(!DOCTYPE html|svg)/i.test(answer.out);
    this.picture.hidden = !drawn;
    this.printed.hidden = drawn && !answer.err;
    if (drawn) this.picture.srcdoc = answer.out;
    this.printed.textContent += answer.err + (drawn ? "" : answer.out) + (answer.code ? `\n(exit code ${answer.code})\n` : "");
    this.printed.scrollTop = 0;
  }
}

// Panels of which one is shown; arrow keys go along the tabs.
class Tabs {
  constructor(label, list, shown) {
    this.shown = shown;
    this.panels = list.map(([name, , panel]) => element("div", {role: "tabpanel", class: "panel", id: "panel-" + name, hidden: true}, panel));
    this.buttons = list.map(([name, text]) => element("button", {role: "tab", id: "tab-" + name, "aria-controls": "panel-" + name,
      "aria-selected": "false", "data-tab": name, onclick: () => this.show(name), onkeydown: e => this.key(e, name)}, text));
    this.bar = element("div", {class: "tabs", role: "tablist", "aria-label": label}, this.buttons);
    this.names = list.map(([name]) => name);
    this.show(this.names[0], true);
  }

  show(name, quiet = false) {
    const at = this.names.indexOf(name);
    if (at < 0) return;
    this.name = name;
    this.panels.forEach((p, i) => { p.hidden = i !== at; });
    this.buttons.forEach((b, i) => { b.setAttribute("aria-selected", String(i === at)); b.tabIndex = i === at ? 0 : -1; });
    if (!quiet) this.shown(name);
  }

  key(e, name) {
    const by = {ArrowRight: 1, ArrowLeft: -1}[e.key];
    if (!by) return;
    const next = (this.names.indexOf(name) + by + this.names.length) % this.names.length;
    e.preventDefault();
    this.show(this.names[next]);
    this.buttons[next].focus();
  }
}
