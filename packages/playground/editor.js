// A text area with what stands behind it: line numbers, colours, and messages underlined.

class Editor {
  // label: of what is edited; change: called after each change by the user
  constructor(place, label, change) {
    this.area = element("textarea", {spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off",
      "aria-label": label, oninput: () => { this.marks = []; this.paint(); change(); },
      onkeydown: e => this.key(e), onscroll: () => this.follow()});
    this.behind = element("pre", {class: "behind", "aria-hidden": "true"});
    this.lines = element("pre", {class: "lines", "aria-hidden": "true"});
    this.note = element("div", {class: "note", role: "tooltip", hidden: true});
    this.marks = [];
    place.classList.add("editor");
    place.append(this.lines, element("div", {class: "paper"}, this.behind, this.area), this.note);
    this.area.addEventListener("mousemove", e => this.point(e));
    this.area.addEventListener("mouseleave", () => { this.note.hidden = true; this.over = -1; });
  }

  // Where the caret is, in pixels of the editor.
  caret(at = this.area.selectionStart) {
    const before = this.text.slice(0, at), row = before.split("\n").length - 1, column = at - before.lastIndexOf("\n") - 1;
    const own = this.note.parentElement.getBoundingClientRect(), box = this.area.getBoundingClientRect(), style = getComputedStyle(this.area);
    return {x: box.left - own.left + parseFloat(style.paddingLeft) + column * this.letter() - this.area.scrollLeft,
            y: box.top - own.top + parseFloat(style.paddingTop) + row * this.lineHeight() - this.area.scrollTop};
  }

  // The width of a character: lines are of one.
  letter() {
    return this.wide ||= (() => {
      const g = document.createElement("canvas").getContext("2d");
      g.font = getComputedStyle(this.area).font;
      return g.measureText("0").width;
    })();
  }

  // A note at a place of the editor, in pixels; nothing: none.
  tell(content, x = 0, y = 0) {
    this.note.hidden = !content.length;
    if (!content.length) return;
    this.note.replaceChildren(...content);
    const own = this.note.parentElement.getBoundingClientRect();
    this.note.style.left = Math.min(x, Math.max(0, own.width - 420)) + "px";
    this.note.style.top = y + 18 + "px";
  }

  get text() { return this.area.value; }
  set text(text) {
    this.area.value = text;
    this.area.scrollTop = 0;
    this.marks = [];
    this.paint();
  }

  // Tab indents; after Escape it leaves, as everywhere.
  key(e) {
    if (this.assist && this.assist.key(e)) return;
    if (e.key === "Escape") { this.leaving = true; return; }
    if (e.key === "Tab" && !this.leaving && !e.shiftKey) {
      e.preventDefault();
      this.insert("  ");
    }
    if (e.key === "Enter" && !e.ctrlKey && !e.metaKey) {
      const before = this.text.slice(0, this.area.selectionStart), line = before.slice(before.lastIndexOf("\n") + 1);
      e.preventDefault();
      this.insert("\n" + line.match(/^ */)[0] + (/[{[(]\s*$/.test(line) ? "  " : ""));
    }
    this.leaving = false;
  }

  // So that the browser can undo it.
  insert(text) {
    this.area.focus();
    if (!document.execCommand("insertText", false, text)) {
      this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
      this.area.dispatchEvent(new Event("input"));
    }
  }

  replace(from, to, text) {
    this.area.setSelectionRange(from, to);
    this.insert(text);
  }

  go(from, to) {
    this.area.focus();
    this.area.setSelectionRange(from, to);
    const line = this.text.slice(0, from).split("\n").length - 1;
    this.area.scrollTop = Math.max(0, line * this.lineHeight() - this.area.clientHeight / 2);
    this.follow();
  }

  lineHeight() { return parseFloat(getComputedStyle(this.area).lineHeight); }

  follow() {
    this.behind.style.transform = `translate(${-this.area.scrollLeft}px, ${-this.area.scrollTop}px)`;
    this.lines.firstChild.style.transform = `translateY(${-this.area.scrollTop}px)`;
  }

  // marks: {from, to, severity, text}; those of no width take a character.
  mark(marks) {
    const end = this.text.length;
    this.marks = marks.map(m => m.to > m.from ? m : m.from < end && this.text[m.from] !== "\n" ?
      {...m, to: m.from + 1} : {...m, from: Math.max(0, m.from - 1), to: m.from});
    this.paint();
  }

  paint() {
    const text = this.text, tokens = tokensOf(text);
    const cuts = new Set([0, text.length]);
    for (const [from, to] of tokens) cuts.add(from).add(to);
    for (const {from, to} of this.marks) cuts.add(Math.min(from, text.length)).add(Math.min(to, text.length));
    const places = [...cuts].sort((a, b) => a - b), pieces = [];
    let token = 0;
    for (let i = 0; i + 1 < places.length; i++) {
      const [from, to] = [places[i], places[i + 1]];
      while (token < tokens.length && tokens[token][1] <= from) token++;
      const style = token < tokens.length && tokens[token][0] <= from ? tokens[token][2] : "";
      const marked = this.marks.filter(m => m.from < to && m.to > from).map(m => m.severity);
      const names = [style, marked.includes("error") ? "error" : marked[0] || ""].filter(n => n).join(" ");
      pieces.push(names ? element("span", {class: names}, text.slice(from, to)) : text.slice(from, to));
    }
    this.behind.replaceChildren(...pieces, "\n");
    const count = text.split("\n").length;
    this.lines.replaceChildren(element("span", {}, Array.from({length: count}, (_, i) => i + 1).join("\n") + "\n"));
    this.follow();
  }

  // The character under the pointer.
  point(e) {
    const style = getComputedStyle(this.area), box = this.area.getBoundingClientRect();
    const row = Math.floor((e.clientY - box.top + this.area.scrollTop - parseFloat(style.paddingTop)) / this.lineHeight());
    const column = Math.floor((e.clientX - box.left + this.area.scrollLeft - parseFloat(style.paddingLeft)) / this.letter());
    const rows = this.text.split("\n");
    const at = row >= 0 && row < rows.length && column >= 0 && column < rows[row].length ?
      rows.slice(0, row).reduce((sum, r) => sum + r.length + 1, 0) + column : -1;
    const here = this.marks.filter(m => m.from <= at && at < m.to), own = this.note.parentElement.getBoundingClientRect();
    if (here.length || at < 0 || !this.assist)
      this.tell(here.length ? [here.map(m => m.text).join("\n\n")] : [], e.clientX - own.left, e.clientY - own.top);
    else if (at !== this.over)
      this.assist.hover(at, e.clientX - own.left, e.clientY - own.top);
    this.over = at;
  }
}

// Places in bytes of UTF-8 as places of a string.
function placeOf(text) {
  if (/^[\x00-\x7f]*$/.test(text)) return bytes => Math.min(bytes, text.length);
  const ends = [];
  for (let i = 0; i < text.length;) {
    const code = text.codePointAt(i), units = code > 0xffff ? 2 : 1;
    for (let k = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; k > 0; k--) ends.push(i);
    i += units;
  }
  return bytes => bytes < ends.length ? ends[bytes] : text.length;
}
