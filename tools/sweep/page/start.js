addEventListener("DOMContentLoaded", () => {
  const place = id => document.getElementById(id);
  const sweep = new Sweep(JSON.parse(place("sweep").textContent));
  filtersOf(sweep, place("filters"));
  planOf(sweep, place("plan"));
  window.page = {sweep, front: new Front(sweep, place("front")), heat: new Heat(sweep, place("heat"))};
  window.page.parallel = new Parallel(sweep, place("parallel"));
  window.page.table = new Table(sweep, place("table"));
  leftOf(sweep, place("left"));
  const redraw = () => { window.page.front.draw(); window.page.parallel.draw(); };
  themeButton(redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  document.documentElement.dataset.ready = "";
});
