// Search, the menu of narrow windows, and colours of code. Without this script all pages are there.
"use strict";

const field = document.getElementById("find");
const found = document.getElementById("found");
const menu = document.getElementById("menu");
const navigation = document.getElementById("navigation");

menu.addEventListener("click", () => {
  const open = navigation.classList.toggle("open");
  menu.setAttribute("aria-expanded", String(open));
});
const here = navigation.querySelector("[aria-current]");
if (here) navigation.scrollTop = Math.max(0, here.offsetTop - navigation.clientHeight / 2);

// All words must be there; those in headings count more.
function search(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = [];
  if (!words.length) return hits;
  for (const [page, anchor, heading, title, text] of window.searchIndex || []) {
    const head = `${heading} ${title}`.toLowerCase(), body = text.toLowerCase();
    let worth = 0;
    for (const word of words) {
      const here = (head.includes(word) ? 10 : 0) + (body.includes(word) ? 1 : 0);
      if (!here) { worth = 0; break; }
      worth += here;
    }
    if (worth) hits.push({ worth, page, anchor, heading, title, text });
  }
  return hits.sort((a, b) => b.worth - a.worth).slice(0, 12);
}

function excerpt(text, query) {
  const word = query.toLowerCase().split(/\s+/)[0], at = Math.max(0, text.toLowerCase().indexOf(word) - 50);
  return text.slice(at, at + 150);
}

function show() {
  const hits = search(field.value);
  found.replaceChildren(...hits.map((hit) => {
    const item = document.createElement("li"), link = document.createElement("a");
    const where = document.createElement("small"), what = document.createElement("div");
    link.href = `${hit.page}#${hit.anchor}`;
    what.textContent = hit.heading;
    where.textContent = `${hit.title}: ${excerpt(hit.text, field.value)}`;
    link.append(what, where);
    link.addEventListener("click", () => { found.hidden = true; });
    item.append(link);
    return item;
  }));
  found.hidden = !hits.length;
}

field.addEventListener("input", show);
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && found.querySelector("a")) found.querySelector("a").click();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); }
  if (event.key === "Escape") { found.hidden = true; field.blur(); }
});
document.addEventListener("click", (event) => { if (!event.target.closest(".find")) found.hidden = true; });

// Plans and commands; other blocks (reports, tables) stay as they are.
const words = "plan|model|op|block|strategy|schedule|cluster|gpu|record|search|rule|fn|let|import|export|if|then|else|for|in|at|not|and|or|true|false|none|vary|require|minimize|maximize|set|match|split|over|before|after|forward|backward|weight|output|saves|kernel|stages|yield|repeat|as|device|switch|link";
const tokens = new RegExp(`(//.*$)|("(?:[^"\\\\]|\\\\.)*")|\\b(${words})\\b|\\b(\\d+(?:\\.\\d+)?(?:\\s?(?:GiB|MiB|KiB|GB|MB|TB|B|Gb|us|ms|ns|s|W|GB/s|Gb/s))?)\\b`, "gm");

function escape(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function coloured(text) {
  let out = "", last = 0;
  for (const match of text.matchAll(tokens)) {
    const kind = match[1] ? "c" : match[2] ? "s" : match[3] ? "k" : "n";
    out += escape(text.slice(last, match.index)) + `<span class="${kind}">${escape(match[0])}</span>`;
    last = match.index + match[0].length;
  }
  return out + escape(text.slice(last));
}

for (const code of document.querySelectorAll("pre code")) {
  const text = code.textContent;
  if (/^(?:import |plan |schedule |strategy |search |fn |op |model |cluster |\/\/)/m.test(text) && !/^\$ /m.test(text))
    code.innerHTML = coloured(text);
  else if (/^\$ /m.test(text))
    code.innerHTML = escape(text).replace(/^\$ (.*)$/gm, '<span class="p">$ </span><strong>$1</strong>');
}
