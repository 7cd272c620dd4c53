addEventListener("DOMContentLoaded", () => {
  themeButton(() => {});
  window.page = {cluster: clusterOf(document)}; // for the console, and for tests
  document.documentElement.dataset.ready = "";
});
