// Colours of the language, by the grammar that editors use (share/vscode/trainspec.tmLanguage.json).

const RULES = GRAMMAR.patterns.map(p => p.begin ?
  // a string: up to its end on the line, escapes passed over
  {pattern: new RegExp(`${p.begin}(?:${p.patterns[0].match}|(?!${p.end}).)*(?:${p.end})?`, "my"), names: [p.name]} :
  {pattern: new RegExp(p.match, "my"), names: p.captures ? ["", p.captures[1].name, p.captures[2].name] : [p.name]});

// "keyword.control.trainspec" -> "keyword"
const STYLES = ["comment", "string", "numeric", "unit", "keyword", "type", "function"];
const styleOf = name => STYLES.find(s => name.includes("." + s) || name.startsWith(s)) || "";

// [from, to, style] of what has one, in order.
function tokensOf(text) {
  const tokens = [];
  for (let at = 0; at < text.length;) {
    let next = at + 1;
    for (const {pattern, names} of RULES) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (!found || !found[0]) continue;
      next = at + found[0].length;
      if (names.length === 1) {
        tokens.push([at, next, styleOf(names[0])]);
      } else { // a number, and its unit
        tokens.push([at, at + found[1].length, styleOf(names[1])]);
        if (found[2]) tokens.push([next - found[2].length, next, styleOf(names[2])]);
      }
      break;
    }
    if (next === at + 1 && /\w/.test(text[at]) && !(tokens.length && tokens[tokens.length - 1][1] === next))
      while (next < text.length && /\w/.test(text[next])) next++; // a name is passed as a whole
    at = next;
  }
  return tokens;
}
