addEventListener("DOMContentLoaded", async () => {
  const place = id => document.getElementById(id), root = document.documentElement;
  const theme = element("button", {"aria-label": "Light or dark", title: "Light or dark"}, "\u25d0");
  const share = element("button", {}, "Share");
  const link = element("input", {class: "link", readonly: true, hidden: true, "aria-label": "Link to what you see"});
  let started = false;
  const state = () => ({tab: tabs.name, plan: plan.state_, lab: lab.state_});
  // The address follows what one does, so that a reload shows the same again.
  let waiting;
  const changed = () => {
    link.hidden = true;
    if (!started) return;
    clearTimeout(waiting);
    waiting = setTimeout(async () => history.replaceState(null, "", await linkTo(state())), 400);
  };
  const plan = new PlanPage(place("plan"), changed);
  const lab = new Lab(place("lab"), changed, (text, values) => {
    tabs.show("plan");
    plan.load({name: "my_lab.ts", text, values, view: "page"});
  });
  const tabs = new Tabs("Parts of the playground", [["plan", "Plan", place("plan")], ["lab", "Schedules", place("lab")]], name => {
    if (name === "lab") lab.list_ ? lab.paint() : lab.play();
    if (name === "plan" && started && !root.dataset.played) plan.play();
    changed();
  });
  place("tabs").append(tabs.bar);
  place("main").append(...tabs.panels);
  place("tools").append(link, share, theme);
  theme.addEventListener("click", () => {
    const dark = rgb(getComputedStyle(root).getPropertyValue("--paper").trim())[0] < 128;
    root.dataset.theme = dark ? "light" : "dark";
    lab.paint();
    if (plan.page) plan.showPage(plan.page);
  });
  share.addEventListener("click", async () => {
    const text = await linkTo(state());
    history.replaceState(null, "", text);
    link.value = text;
    link.hidden = false;
    link.select();
    try {
      await navigator.clipboard.writeText(text);
      share.textContent = "Copied";
      setTimeout(() => { share.textContent = "Share"; }, 1500);
    } catch (refused) {
      link.focus(); // to be copied by hand
    }
  });
  const show = async () => {
    const given = await sharedState() || {};
    if (given.lab) lab.load(given.lab);
    if (given.tab === "lab") {
      tabs.show("lab", true);
      await lab.play();
    }
    if (given.tab !== "lab" || given.plan) await plan.load(given.plan || {name: FIRST});
  };
  addEventListener("hashchange", async () => { started = false; await show(); started = true; });
  await show();
  started = true;
  window.playground = {plan, lab, tabs}; // for the console, and for tests
  root.dataset.ready = "";
});
