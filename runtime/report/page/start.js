addEventListener("DOMContentLoaded", () => {
  const place = id => document.getElementById(id);
  const runs = [...document.querySelectorAll("script.run")].map(s => new Run(JSON.parse(s.textContent)));
  const button = element("button", {class: "theme", "aria-label": "Light or dark", title: "Light or dark"}, "\u25d0");
  document.querySelector("header").append(button);
  runs.forEach(run => waysOf(run, place("ways")));
  const timeline = new Timeline(place("timeline"), runs);
  window.page = {runs, timeline}; // for the console, and for tests
  button.addEventListener("click", () => {
    const dark = rgb(getComputedStyle(document.documentElement).getPropertyValue("--paper").trim())[0] < 128;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    timeline.resize();
  });
  // What is further down comes after the first picture.
  setTimeout(() => {
    if (runs.some(r => r.classes.some(c => c.memory))) timeline.memoryChart = new MemoryChart(timeline);
    for (const run of runs) {
      stagesOf(run, place("stages"), runs.length > 1, timeline.step);
      new Modules(run, place("modules"), runs.length > 1);
      networkOf(run, place("network"), runs.length > 1);
      if (run.coarse || run.left_out)
        timeline.status.textContent = "To keep the page small, kernels of some work items are left out.";
    }
    timeline.resize();
    document.documentElement.dataset.ready = "";
  }, 0);
});
