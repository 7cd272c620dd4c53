// Completion and hover in an editor: the language server of the program, asked one question at a time. It
// gets a machine of its own, with the text as an open document, and ends after its answer.

const ANSWER = 2; // the number of the question

// Messages with their headers (Language Server Protocol 3.17, "Base Protocol").
function framed(messages) {
  return messages.map(m => JSON.stringify({jsonrpc: "2.0", ...m})).map(m => `Content-Length: ${new TextEncoder().encode(m).length}\r\n\r\n${m}`).join("");
}

function answerOf(out) {
  const bytes = new TextEncoder().encode(out);
  for (let at = 0; at < bytes.length;) {
    const head = /^Content-Length: (\d+)\r\n\r\n/.exec(new TextDecoder().decode(bytes.subarray(at, at + 64)));
    if (!head) return null;
    const from = at + head[0].length;
    at = from + Number(head[1]);
    const message = JSON.parse(new TextDecoder().decode(bytes.subarray(from, at)));
    if (message.id === ANSWER) return message.result ?? null;
  }
  return null;
}

// Lines from 0, columns in UTF-16 units, as strings have them.
function positionAt(text, at) {
  const before = text.slice(0, at);
  return {line: before.split("\n").length - 1, character: at - before.lastIndexOf("\n") - 1};
}

function offsetAt(text, {line, character}) {
  let at = 0;
  for (let i = 0; i < line; i++) at = text.indexOf("\n", at) + 1;
  return at + character;
}

class Assist {
  // plan: whose text the editor has; name and files()
  constructor(editor, plan) {
    Object.assign(this, {editor, plan});
    this.engine = new Engine(1); // its own: a play need not end first
    this.known = new Map();      // of this text, what was said of a word
    this.turn = 0;
    this.list = element("ul", {class: "proposals", role: "listbox", id: "proposals", "aria-label": "Proposals", hidden: true});
    this.said = element("div", {class: "unseen", role: "status"}); // for those who do not see the list
    editor.note.parentElement.append(this.list, this.said);
    editor.assist = this;
    const area = editor.area;
    for (const [name, value] of Object.entries({role: "combobox", "aria-autocomplete": "list", "aria-controls": "proposals", "aria-expanded": "false", "aria-multiline": "true"})) area.setAttribute(name, value);
    area.addEventListener("input", e => this.typed(e));
    area.addEventListener("blur", () => this.close());
    area.addEventListener("scroll", () => this.close());
    area.addEventListener("mousedown", () => this.close());
  }

  ask(method, at) {
    const {name} = this.plan, text = this.editor.text, uri = "file:///" + encodeURIComponent(name), textDocument = {uri};
    return this.engine.run({args: ["trainspec", "lsp", "--single-process"], files: this.plan.files(), input: framed([
      {id: 1, method: "initialize", params: {capabilities: {}}},
      {method: "textDocument/didOpen", params: {textDocument: {...textDocument, languageId: "trainspec", version: 1, text}}},
      {id: ANSWER, method, params: {textDocument, position: positionAt(text, at)}},
      {id: 3, method: "shutdown"}, {method: "exit"}])}).then(answer => answer && answerOf(answer.out));
  }

  // ---- Completion ----

  typed(e) {
    const area = this.editor.area, at = area.selectionStart, text = this.editor.text;
    this.known.clear();
    this.editor.tell([]);
    clearTimeout(this.waiting);
    const word = /[A-Za-z_][\w.]*$|\d+ ?[A-Za-z]*$|\.$/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at));
    if (this.open && this.filter()) return;
    this.close();
    const typed = e.inputType === "insertText" && !this.taking;
    if (typed && word && (word[0].length > 1 || word[0] === ".")) this.waiting = setTimeout(() => this.propose(), 150);
  }

  async propose() {
    const turn = ++this.turn, at = this.editor.area.selectionStart, text = this.editor.text;
    this.engine.stop();
    const items = await this.ask("textDocument/completion", at);
    if (!items || turn !== this.turn || text !== this.editor.text || at !== this.editor.area.selectionStart) return;
    this.items = [...items].sort((a, b) => a.sortText < b.sortText ? -1 : a.sortText > b.sortText);
    this.from = items.length ? offsetAt(text, items[0].textEdit.range.start) : at;
    this.filter();
  }

  // Those that go on as the word does, or have it in them. False: none.
  filter() {
    const at = this.editor.area.selectionStart, word = this.editor.text.slice(this.from, at).toLowerCase();
    if (at < this.from || /[^\w.]/.test(word)) return false;
    const begins = this.items.filter(i => i.label.toLowerCase().startsWith(word)), within = this.items.filter(i => !begins.includes(i) && word && i.label.toLowerCase().includes(word));
    this.shown = [...begins, ...within].slice(0, 60);
    if (!this.shown.length || this.shown.length === 1 && this.shown[0].label.toLowerCase() === word) { this.close(); return false; }
    this.open = true;
    this.list.hidden = false;
    this.list.replaceChildren(...this.shown.map((item, i) => element("li", {role: "option", id: "proposal-" + i,
      onmousedown: e => { e.preventDefault(); this.take(item); }}, element("b", {}, item.label), item.detail ? element("small", {}, " " + item.detail) : null)));
    const {x, y} = this.editor.caret(this.from), own = this.list.parentElement.getBoundingClientRect(), line = this.editor.lineHeight();
    const high = Math.min(220, this.list.scrollHeight + 2), below = y + line + high < own.height || y < high;
    this.list.style.left = Math.max(0, Math.min(x, own.width - this.list.offsetWidth - 4)) + "px";
    this.list.style.top = (below ? y + line : y - high) + "px";
    this.editor.area.setAttribute("aria-expanded", "true");
    this.choose(0);
    return true;
  }

  choose(at) {
    this.at = (at + this.shown.length) % this.shown.length;
    [...this.list.children].forEach((e, i) => e.setAttribute("aria-selected", String(i === this.at)));
    this.list.children[this.at].scrollIntoView({block: "nearest"});
    this.editor.area.setAttribute("aria-activedescendant", "proposal-" + this.at);
    const {label, detail} = this.shown[this.at];
    this.said.textContent = `${label}${detail ? ", " + detail : ""}, ${this.at + 1} of ${this.shown.length}`;
  }

  take(item) {
    const to = this.editor.area.selectionStart;
    this.taking = true;
    this.editor.replace(this.from, to, item.textEdit.newText);
    this.taking = false;
    this.close();
  }

  close() {
    this.turn++;
    clearTimeout(this.waiting);
    this.open = false;
    this.list.hidden = true;
    this.said.textContent = "";
    this.editor.area.setAttribute("aria-expanded", "false");
    this.editor.area.removeAttribute("aria-activedescendant");
  }

  // True: the key was for here.
  key(e) {
    if (e.key === " " && (e.ctrlKey || e.metaKey)) { e.preventDefault(); this.propose(); return true; }
    if (e.key === "i" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); this.here(); return true; }
    if (e.key === "Escape" && !this.editor.note.hidden) this.editor.tell([]);
    if (!this.open || e.ctrlKey || e.metaKey || e.altKey) return false;
    const act = {ArrowDown: () => this.choose(this.at + 1), ArrowUp: () => this.choose(this.at - 1), Escape: () => this.close(),
      Enter: () => this.take(this.shown[this.at]), Tab: () => this.take(this.shown[this.at])}[e.key];
    if (act) { e.preventDefault(); act(); return true; }
    if (/^Arrow|^Home$|^End$|^Page/.test(e.key)) this.close();
    return false;
  }

  // ---- Hover ----

  // What the word at a place is: Markdown, or "".
  describe(at) {
    const text = this.editor.text, before = /\w*$/.exec(text.slice(0, at))[0];
    if (!/\w/.test(text[at] || "") && !before) return Promise.resolve("");
    const from = at - before.length;
    if (!this.known.has(from))
      this.known.set(from, this.ask("textDocument/hover", at).then(answer => answer && answer.contents ? answer.contents.value : ""));
    return this.known.get(from);
  }

  // The pointer rests on a character.
  hover(at, x, y) {
    this.editor.tell([]);
    clearTimeout(this.resting);
    if (this.open) return;
    this.resting = setTimeout(async () => {
      const text = this.editor.text, said = await this.describe(at);
      if (said && text === this.editor.text && this.editor.over === at) this.editor.tell(markdown(said), x, y);
    }, 300);
  }

  // The same at the caret, by keyboard.
  async here() {
    const at = this.editor.area.selectionStart, {x, y} = this.editor.caret(), said = await this.describe(at);
    this.editor.tell(said ? markdown(said) : ["Nothing is known here."], x, y);
    this.said.textContent = this.editor.note.textContent;
  }
}

// As much of Markdown as hovers have: blocks of code, paragraphs, words in backticks, and names of files in
// emphasis.
function markdown(text) {
  const inline = part => part.split(/(`[^`]*`|\*[^*\s][^*]*\*)/).map(t => /^`.*`$/s.test(t) ? element("code", {}, t.slice(1, -1)) :
    /^\*.*\*$/s.test(t) && t.length > 2 ? element("em", {}, t.slice(1, -1)) : t);
  return text.split(/```\w*\n([\s\S]*?)\n?```/).flatMap((part, i) => i % 2 ? [element("code", {class: "block"}, part)] :
    part.split(/\n\s*\n/).filter(p => p.trim()).map(p => element("p", {}, inline(p.trim().replace(/\n/g, " ")))));
}
