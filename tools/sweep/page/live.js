// The page of a sweep or a play that is under way: it asks for what is new every second, until all is done.

const EVERY = 1000, HISTORY = 300;

const duration = x => x < 60 ? `${significant(x, 3)} s` : x < 3600 ? `${Math.floor(x / 60)} min ${Math.round(x % 60)} s` : `${Math.floor(x / 3600)} h ${Math.round(x % 3600 / 60)} min`;
const tile = (name, value, more) => element("div", {}, element("span", {}, name), element("b", {}, value), element("small", {}, more || "\u00a0"));

class Live {
  constructor() {
    this.place = document.getElementById("progress");
    this.history = []; // [seconds of our clock, plans done]
    const measure = (name, unit, title) => ({name, title, better: -1, of: [], text: UNITS[unit]}); // units of live.json's schema
    this.sweep = {measures: [measure("step_time", "s", "step time"), measure("peak_memory", "bit", "peak memory")], ranked: [], at: -1, listeners: [], names: [],
      states: [], shown: [], low: [], high: [], equalTo: () => false, // a journal has none of these
      choose: i => { this.sweep.at = i; this.draw(); }, point: i => this.sweep.names[i], front: Sweep.prototype.front};
    this.said = element("p", {class: "status", role: "status"});
    document.querySelector("header").append(this.said);
    this.front = new Front(this.sweep, document.getElementById("front"));
    this.table = document.getElementById("plans");
    this.ask();
  }

  async ask() {
    let wait = EVERY;
    try {
      const answer = await fetch("status.json", {cache: "no-store"});
      const data = await answer.json();
      if (!answer.ok) throw new Error(data.error || answer.statusText);
      this.take(data);
      this.said.textContent = data.sweep && data.sweep.done ? "Done." : "";
      if (data.sweep && data.sweep.done) wait = 10 * EVERY;
    } catch (e) {
      this.said.textContent = `No answer (${e.message}). It may have ended; this page asks again.`;
      wait = 5 * EVERY;
    }
    document.documentElement.dataset.ready = "";
    setTimeout(() => this.ask(), document.hidden ? 10 * EVERY : wait);
  }

  // What a play says: how far it is, and what its streams do.
  takePlay({play, lanes}) {
    this.place.replaceChildren(
      element("div", {class: "tiles"},
        tile(play.what, `${significant(100 * play.share, 3)} %`, play.unit ? `${countText(play.done)} ${play.unit}` : ""),
        tile("to go", play.seconds_left === undefined ? "?" : duration(play.seconds_left), `${duration(play.seconds)} since it began`),
        tile("streams", countText(play.streams), `${countText(play.through)} are through`),
        tile("may go on", countText(play.ready), "others wait")),
      element("progress", {max: 1, value: play.share, "aria-label": "of the play"}));
    document.getElementById("front").hidden = true;
    this.table.hidden = !lanes.length;
    this.table.replaceChildren(element("table", {class: "plans live streams"},
      element("thead", {}, element("tr", {}, ["rank, stream", "item", "does", "played up to", "queue"].map(h => element("th", {scope: "col"}, h)))),
      element("tbody", {}, lanes.map(l => element("tr", {},
        element("th", {scope: "row"}, `${l.rank} ${l.stream}`),
        element("td", {}, l.item === undefined ? "" : l.micro_batch === undefined ? l.item : `${l.item}(${l.micro_batch})`),
        element("td", {}, l.state), element("td", {}, UNITS.s(l.time)), element("td", {}, countText(l.queue)))))));
  }

  take(data) {
    if (data.play) { this.takePlay(data); return; }
    const s = data.sweep, time = duration;
    const done = s ? s.known + s.played : 0, share = s && s.plans ? done / s.plans : 0;
    this.data = data;
    if (s) {
      const now = performance.now() / 1000;
      this.history.push([now, s.played]);
      if (this.history.length > HISTORY) this.history.shift();
      const past = this.history.find(h => now - h[0] < 30) || this.history[0], span = now - past[0];
      const late = span > 2 ? (s.played - past[1]) / span : s.plans_per_second || 0;
      this.place.replaceChildren(
        element("div", {class: "tiles"},
          tile("plans", `${countText(done)} of ${countText(s.plans)}`, s.known ? `${countText(s.known)} of them known before` : ""),
          tile("plans a second", s.done ? "done" : significant(late, 3), s.plans_per_second ? `${significant(s.plans_per_second, 3)} since it began` : ""),
          tile("to go", s.done ? "0 s" : s.seconds_left === undefined ? "?" : time(s.seconds_left), s.silent_seconds > 10 && !s.done ? `nothing new for ${time(s.silent_seconds)}` : ""),
          tile("fit", countText(data.states.ok || 0), data.states["out of memory"] ? `${countText(data.states["out of memory"])} out of memory` : "")),
        element("progress", {max: 1, value: share, "aria-label": "plans done"}),
        element("p", {}, s.best ? `Best so far by ${s.goal}: ${s.best}` : `No plan that fits yet; ${s.goal}`));
    } else {
      this.place.replaceChildren(element("p", {}, "No sweep has written here yet."));
    }
    const chosen = this.sweep.names[this.sweep.at];
    this.sweep.names = data.front.map(f => f.parameters);
    this.sweep.measures[0].of = data.front.map(f => f.step_time);
    this.sweep.measures[1].of = data.front.map(f => f.peak_memory);
    this.sweep.ranked = data.front.map((_, i) => i);
    this.sweep.at = chosen === undefined ? -1 : this.sweep.names.indexOf(chosen);
    this.draw();
  }

  draw() {
    const {measures: [time, memory], names, ranked, at} = this.sweep;
    for (const id of ["front", "plans"]) document.getElementById(id).hidden = !ranked.length;
    this.front.draw();
    this.table.replaceChildren(element("table", {class: "plans live"},
      element("thead", {}, element("tr", {}, ["plan", "step time", "peak memory"].map(h => element("th", {scope: "col"}, h)))),
      element("tbody", {}, ranked.map(i => element("tr", {class: i === at ? "chosen" : null},
        element("th", {scope: "row"}, names[i]), element("td", {}, time.text(time.of[i])), element("td", {}, memory.text(memory.of[i])))))));
  }
}

addEventListener("DOMContentLoaded", () => { window.live = new Live(); });
