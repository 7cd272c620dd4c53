// Quantities for people, as the text reports write them.

function significant(value, digits = 4) {
  if (!value) return "0";
  const whole = Math.floor(Math.log10(Math.abs(value))) + 1;
  return value.toFixed(Math.max(0, Math.min(3, digits - whole)));
}

function scaled(value, steps, names) {
  let i = 0;
  while (i + 1 < names.length && Math.abs(value) >= steps) { value /= steps; i++; }
  return significant(value) + " " + names[i];
}

const timeText = ps => !ps ? "0 s" : ps < 1e12 ? scaled(ps, 1000, ["ps", "ns", "us", "ms"]) : significant(ps / 1e12) + " s";
const bytesText = bytes => scaled(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]);
const countText = n => Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
const shareText = share => (100 * share).toFixed(1) + " %";
const rateText = (value, unit) => scaled(value, 1000, ["", "k", "M", "G", "T", "P"].map(p => p + unit));

// A tick of an axis whose ticks are `step` apart: as many digits as tell them apart.
function tickText(ps, step) {
  const units = ["ps", "ns", "us", "ms", "s"], largest = Math.max(ps, step);
  const unit = Math.max(0, Math.min(4, Math.floor(Math.log10(largest) / 3 + 1e-9)));
  return (ps / 1000 ** unit).toFixed(Math.max(0, Math.ceil(3 * unit - Math.log10(step) - 1e-9))) + " " + units[unit];
}

// 1, 2 or 5 times a power of ten, not below `least`.
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map(k => k * power).find(step => step >= least);
}

// An element with attributes and children; text is always text.
function element(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(e.style, value);
    else if (value !== false && value !== null) e.setAttribute(name, value === true ? "" : value);
  e.append(...children.flat().filter(c => c !== null && c !== undefined));
  return e;
}
