// What pictures on a canvas share: their size, their resolution, a tip, and colours of the page.

class Picture {
  constructor(place, label, height) {
    this.height = height;
    this.canvas = element("canvas", {role: "img", tabindex: 0, "aria-label": label});
    this.tip = element("div", {class: "tip", hidden: true});
    place.append(element("div", {class: "chart"}, this.canvas), this.tip);
    new ResizeObserver(() => this.draw()).observe(this.canvas.parentElement);
  }

  // A clean canvas; the width that is there, in pixels of the page.
  begin() {
    const width = Math.max(240, this.canvas.parentElement.clientWidth), ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.width = width + "px";
    this.canvas.style.height = this.height + "px";
    const c = this.canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.font = "12px system-ui, sans-serif";
    this.colours = theme();
    this.width = width;
    return c;
  }

  where(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  showTip(event, lines) {
    this.tip.hidden = !lines;
    if (!lines) return;
    this.tip.replaceChildren(...lines.map(l => element("div", {}, l)));
    const box = this.tip.getBoundingClientRect();
    this.tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
    this.tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - box.height - 8)) + "px";
  }
}

// Ticks of an axis from low to high: 1, 2 or 5 times a power of ten apart, or of two for bytes.
function ticks(low, high, most, binary) {
  const least = (high - low) / most || 1;
  const power = binary ? 2 ** Math.floor(Math.log2(least)) : 10 ** Math.floor(Math.log10(least));
  const step = (binary ? [1, 2] : [1, 2, 5, 10]).map(k => k * power).find(s => s >= least * 0.999) || power;
  const list = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-6; v += step) list.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return list;
}

const selectOf = (label, list, value, change) => {
  const select = element("select", {onchange: () => change(list[select.value])},
    list.map((f, i) => element("option", {value: i, selected: f === value}, f.title)));
  return element("label", {}, label, select);
};
