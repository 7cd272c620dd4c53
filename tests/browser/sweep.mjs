// Pages of sweeps in a real browser: node tests/browser/sweep.mjs FOLDER, with playwright-core in FOLDER/node_modules.
// FOLDER/sweeps holds the pages that tests/browser/run.sh wrote, and the same sweeps as JSON; screenshots go there. As TAP.
import {readFileSync, writeFileSync, readdirSync} from "node:fs";
import {join} from "node:path";
import {browser, check as checkPage, finish, folder, open as openPage} from "./harness.mjs";

const sweeps = join(folder, "sweeps");
const check = (name, right, more) => checkPage("sweep page: " + name, right, more);
const open = (name, options) => openPage(join(sweeps, name + ".html"), options);
const settle = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));

// Texts whose contrast with what is behind them is below WCAG's AA: 4.5, and 3 for large ones.
const faint = page => page.evaluate(() => {
  const parse = c => (c.match(/[\d.]+/g) || []).map(Number), wrong = [];
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !e.checkVisibility() || ["SCRIPT", "NOSCRIPT", "STYLE"].includes(e.tagName)) continue;
    const style = getComputedStyle(e), a = light(parse(style.color)), b = light(behind(e));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), size = parseFloat(style.fontSize);
    if (contrast < (size >= 24 ? 3 : 4.5)) wrong.push(`${e.tagName}.${e.className} "${e.textContent.trim().slice(0, 20)}" ${contrast.toFixed(2)}`);
  }
  return wrong;
});

for (const name of readdirSync(sweeps).filter(f => f.endsWith(".html") && f !== "many.html").map(f => f.slice(0, -5)).sort()) {
  const json = JSON.parse(readFileSync(join(sweeps, name + ".json"), "utf8"));
  for (const [width, scheme] of [[1280, "light"], [1280, "dark"], [800, "light"], [800, "dark"]]) {
    const page = await open(name, {viewport: {width, height: 900}, colorScheme: scheme});
    await settle(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    const weak = await faint(page);
    check(`${name}, ${width} px, ${scheme}: nothing sticks out, texts have contrast`, !wide && !weak.length, `${wide} ${weak.slice(0, 4).join("; ")}`);
    await page.screenshot({path: join(sweeps, `${name}-${width}-${scheme}.png`), fullPage: true});
    check(`${name}, ${width} px, ${scheme}: no message, no error, no request`, !page.wrong.length, page.wrong.join("; "));
    await page.close();
  }
  const page = await open(name);
  const told = await page.evaluate(() => { const s = window.page.sweep; return [...Array(s.count).keys()].map(i => [s.point(i), s.states[s.state[i]], s.figures[0].of[i]]); });
  const near = (a, b) => a === b || Math.abs(a - b) <= 1e-5 * Math.abs(b);
  const other = json.plans.filter((p, i) => told[i][1] !== p.state || (p.step_time_ps !== undefined && !near(told[i][2], p.step_time_ps / 1e12)));
  const fronts = await page.evaluate(() => { const s = window.page.sweep; return [...Array(s.count).keys()].map(i => s.stateText(i).endsWith(", front")); });
  check(`${name}: the front of all goals`, json.plans.every((p, i) => (p.front || false) === fronts[i]));
  check(`${name}: plans, states and step times are those of the JSON, in its order`, json.plans.length === told.length && !other.length, JSON.stringify(other[0]));
  const wrong = await page.evaluate(() => { // by definition, of each pair of figures
    const s = window.page.sweep, wrong = [];
    for (const x of s.measures) for (const y of s.measures) {
      if (x === y) continue;
      const list = s.ranked.filter(i => x.of[i] !== null && y.of[i] !== null), front = s.front(list, x, y);
      const at = i => [x.better * x.of[i], y.better * y.of[i]];
      const beats = (a, b) => a[0] >= b[0] && a[1] >= b[1] && (a[0] > b[0] || a[1] > b[1]);
      const values = new Set(front.map(i => at(i).join()));
      for (const i of list) if (list.some(k => beats(at(k), at(i))) === values.has(at(i).join())) wrong.push(`${x.name} ${y.name} ${s.point(i)}`);
    }
    return wrong;
  });
  check(`${name}: the front of each two figures`, !wrong.length, wrong.slice(0, 3).join("; "));
  await page.close();
}

// ---- What one can do ----

const page = await open("degrees");
const shown = () => page.evaluate(() => window.page.sweep.shown.length);
const chosen = () => page.evaluate(() => window.page.sweep.at);
const column = n => page.locator(`.plans tbody tr > :nth-child(${n})`).allTextContents();
const all = await shown();
await page.fill("#search", "tp=8 pp=8");
check("words filter", await shown() > 0 && await shown() < all && (await column(2)).every(t => t === "8") && (await column(3)).every(t => t === "8"));
await page.fill("#search", "tp=");
check("a part of a value is none", await shown() === 0);
await page.fill("#search", "");
await page.selectOption("#filters select", "out of memory");
check("states filter", await shown() === 56);
await page.click("text=Show all");
check("all are back", await shown() === all);

const heads = await page.locator(".plans thead button").allTextContents();
for (const [k, head] of heads.entries()) {
  await page.locator(".plans thead button").nth(k).click();
  const right = await page.evaluate(k => {
    const t = window.page.table, by = t.columns[k], keys = [...document.querySelectorAll(".plans tbody tr")].map(r => by.key(+r.dataset.plan)).filter(v => v !== null);
    return keys.every((v, i) => !i || (typeof v === "string" ? compareText(keys[i - 1], v) <= 0 : keys[i - 1] <= v) === true || !t.up);
  }, k);
  const said = await page.locator(".plans thead th").nth(k).getAttribute("aria-sort");
  check(`sorts by ${head}`, right && /ascending|descending/.test(said), said);
}
await page.locator(".plans thead button").first().click();

await page.locator(".plans tbody tr").nth(4).click();
check("a row chooses its plan", await chosen() === await page.evaluate(() => +document.querySelectorAll(".plans tbody tr")[4].dataset.plan));
const command = await page.locator("#plan code").first().textContent();
check("its command names its parameters", /^tsrun -D tp=\d+ -D pp=\d+ -D dp=\d+ -D v=\d+ -D micro=\d+ \S*degrees\.ts$/.test(command), command);
const paged = await page.locator("#plan code").nth(1).textContent();
check("and one makes its page", paged === command.replace("tsrun", `tsrun --format=html -o plan-${await chosen() + 1}.html`), paged);
await page.locator(".heat button").first().click();
check("a cell of the heat map chooses one", await page.locator(".heat button[aria-pressed=true]").count() === 1);

// The front, by mouse and by keyboard.
const front = page.locator("#front canvas"), box = await front.boundingBox();
const place = await page.evaluate(() => window.page.front.places.find(p => p[2] === window.page.front.line[1]));
await page.mouse.move(box.x + place[0], box.y + place[1]);
check("a tip tells what is under the pointer", (await page.locator("#front .tip").textContent()).includes("tp="));
await page.mouse.click(box.x + place[0], box.y + place[1]);
check("a click on the front chooses", await chosen() === place[2]);
await front.focus();
await page.keyboard.press("Home");
const first = await chosen();
await page.keyboard.press("ArrowRight");
check("arrows go along the front", await page.evaluate(a => { const l = window.page.front.line; return l[0] === a && l[1] === window.page.sweep.at; }, first));
await page.selectOption("#front select >> nth=1", {label: "MFU"});
check("another figure is chosen", (await front.getAttribute("aria-label")).startsWith("MFU over step time"));

// Parallel coordinates: a drag along the first axis keeps some.
const lines = page.locator("#parallel canvas");
await lines.scrollIntoViewIfNeeded();
const at = await lines.boundingBox(), axis = await page.evaluate(() => [window.page.parallel.x(0), window.page.parallel.y(window.page.parallel.axes[0], window.page.parallel.axes[0].range[1])]);
await page.mouse.move(at.x + axis[0], at.y + axis[1] - 3);
await page.mouse.down();
await page.mouse.move(at.x + axis[0], at.y + axis[1] + 8, {steps: 4});
await page.mouse.up();
check("a drag along an axis filters", await shown() < all && (await column(2)).every(t => t === "8"));
await page.mouse.click(at.x + axis[0], at.y + 15);
check("a click on its name takes that back", await shown() === all);
await lines.focus();
await page.keyboard.press("ArrowUp");
check("arrows keep a value", await shown() < all);
await page.keyboard.press("Escape");
check("Escape takes that back", await shown() === all);

// All that can be used is reached by the tabulator.
const fresh = await open("degrees"), reached = new Set();
for (let i = 0; i < 70; i++) {
  await fresh.keyboard.press("Tab");
  reached.add(await fresh.evaluate(() => { const e = document.activeElement; return e.closest("section") ? e.closest("section").id : e.tagName; }));
}
check("the keyboard reaches every part", ["filters", "plan", "front", "heat", "parallel", "table"].every(id => reached.has(id)), [...reached].join());
await fresh.close();
await page.click(".theme");
check("dark by a button", await page.evaluate(() => document.documentElement.dataset.theme) === "dark" && !(await faint(page)).length);
await page.emulateMedia({media: "print"});
check("print is light", await page.evaluate(() => getComputedStyle(document.body).backgroundColor) === "rgb(255, 255, 255)");
check("no message, no error, no request in all that", !page.wrong.length, page.wrong.join("; "));
await page.close();

// ---- Many plans: those of one page, a thousand times ----
{
  const html = readFileSync(join(sweeps, "degrees.html"), "utf8"), [, before, text, after] = html.match(/^([^]*id="sweep">\n)([^]*?)(\n<\/script>[^]*)$/);
  const data = JSON.parse(text), times = Math.ceil(100000 / data.state.length);
  const stretch = list => Array.from({length: times}, (_, k) => list.map(v => typeof v === "number" && !Number.isInteger(v) ? v * (1 + k / times) : v)).flat();
  data.equal = data.front = [];
  for (const key of ["state", "limit", "low", "high"]) data[key] = stretch(data[key]);
  for (const list of [data.parameters, data.figures, data.goals, [data.why], [data.warnings]]) for (const c of list) c.of = stretch(c.of);
  writeFileSync(join(sweeps, "many.html"), before + JSON.stringify(data).replace(/</g, "\\u003c") + after);
  const begun = Date.now(), many = await open("many");
  await settle(many);
  const ready = Date.now() - begun, count = await many.evaluate(() => window.page.sweep.count);
  const filtered = await many.evaluate(() => { const t = performance.now(); window.page.sweep.search = "tp=8"; window.page.sweep.filter(); return performance.now() - t; });
  console.log(`# ${count} plans: ready after ${ready} ms, a filter takes ${filtered.toFixed(0)} ms`);
  check("100,000 plans: no error", count >= 100000 && !many.wrong.length, many.wrong.join("; "));
  await many.close();
}

// ---- A sweep under way, from its journal ----
for (const scheme of ["light", "dark"]) {
  const url = process.env.LIVE.trim(), live = await browser.newPage({viewport: {width: 1280, height: 900}, colorScheme: scheme}), wrong = [];
  let asked = 0;
  live.on("console", m => { if (!/favicon/.test(m.location().url)) wrong.push(m.text()); });
  live.on("pageerror", e => wrong.push(e.message));
  live.on("request", r => { asked += r.url().endsWith("/status.json"); if (!r.url().startsWith(url)) wrong.push(r.url()); });
  await live.goto(url);
  await live.waitForSelector("html[data-ready]");
  const text = await live.locator("#progress").innerText();
  const points = await live.evaluate(() => window.live.sweep.ranked.length);
  check(`live, ${scheme}: plans, best and front`, /78 of 78/.test(text) && /Best so far.*tp=8 pp=16/.test(text) && points >= 3 && asked > 0, text);
  const weak = await faint(live);
  check(`live, ${scheme}: texts have contrast; no error, no other request`, !weak.length && !wrong.length, `${weak.join("; ")} ${wrong.join("; ")}`);
  await live.screenshot({path: join(sweeps, `live-${scheme}.png`)});
  await live.close();
}

await finish();
