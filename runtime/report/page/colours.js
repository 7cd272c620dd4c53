// Colours keep their meaning in all pictures. Those of work are Okabe and Ito's, which people with
// colour blindness can tell apart; all are light enough for black text (contrast of 5 and more).

const WORK = {
  f: ["#56b4e9", "forward"], b: ["#3cb88e", "backward"], i: ["#3cb88e", "gradients of inputs"],
  w: ["#e69f00", "gradients of weights"], p: ["#9fcf6a", "forward and backward as one"],
  o: ["#cc79a7", "optimizer"], r: ["#b9a8d6", "recompute"], c: ["#ee8a4a", "communication"],
  x: ["#a8a8a8", "other"],
};
const KINDS = Object.keys(WORK);
const PHASES = [["forward", "f"], ["backward (input)", "i"], ["backward (weight)", "w"],
                ["recompute", "r"], ["optimizer", "o"], ["communication", "c"], ["other", "x"]];
const WAITS = [["bubble", "#9a9a9a"], ["exposed communication", "#e0532b"], ["host", "#d9c400"],
               ["other compute stream", "#7f7fd5"]];
// What memory holds has hues of its own, but for the optimizer's.
const CATEGORIES = [["parameters", "#9fb3c8"], ["gradients", "#b98b5e"], ["optimizer", "#cc79a7"],
                    ["activations", "#3bb6c9"], ["temporaries", "#f2a6a0"], ["buffers", "#a9a24a"]];
const CHUNK_SHADES = 4; // chunks after these begin anew

const colourNumber = (kind, chunk) => KINDS.indexOf(kind) * CHUNK_SHADES + chunk % CHUNK_SHADES;

const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
const css = c => `rgb(${c.map(Math.round).join(",")})`;
const mix = (a, b, share) => a.map((v, i) => v + (b[i] - v) * share);

// [r, g, b] of each colour number: chunks after a rank's first are lighter or darker.
const CHUNKS = [[255, 0], [255, 0.5], [0, 0.16], [255, 0.74]];
const SHADES = KINDS.flatMap(kind =>
  CHUNKS.map(([to, share]) => mix(rgb(WORK[kind][0]), [to, to, to], share)));
const SHADES_CSS = SHADES.map(css);

// The colours of the page itself, as the style has them now.
function theme() {
  const style = getComputedStyle(document.documentElement);
  const get = name => style.getPropertyValue(name).trim();
  return {paper: rgb(get("--paper")), ink: get("--ink"), faint: get("--faint"), line: get("--line"),
          rail: get("--rail"), path: get("--path"), mark: get("--mark"), transfer: get("--transfer"),
          busy: get("--busy"), best: get("--best")};
}

// The button for light or dark, in the page's head.
function themeButton(changed) {
  const button = element("button", {class: "theme", "aria-label": "Light or dark", title: "Light or dark"}, "\u25d0");
  document.querySelector("header").append(button);
  button.addEventListener("click", () => {
    const dark = rgb(getComputedStyle(document.documentElement).getPropertyValue("--paper").trim())[0] < 128;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    changed();
  });
}
