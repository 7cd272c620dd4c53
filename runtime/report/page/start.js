addEventListener("DOMContentLoaded", () => {
  const place = id => document.getElementById(id);
  const runs = [...document.querySelectorAll("script.run")].map(s => new Run(JSON.parse(s.textContent)));
  runs.forEach(run => waysOf(run, place("ways")));
  const timeline = new Timeline(place("timeline"), runs);
  window.page = {runs, timeline}; // for the console, and for tests
  themeButton(() => timeline.resize());
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
    window.page.cluster = clusterOf(document);
    timeline.resize();
    document.documentElement.dataset.ready = "";
  }, 0);
});
