// Pages in a real browser: node tests/browser/page.mjs FOLDER, with playwright-core in FOLDER/node_modules.
// FOLDER holds the pages that tests/browser/run.sh wrote, the traces of the same plays (NAME.json) and
// takes screenshots. One line for each check, as TAP.
import {existsSync, readFileSync, readdirSync} from "node:fs";
import {join} from "node:path";
import {check, finish, folder, open as openFile} from "./harness.mjs";

const open = (name, options = {}) => openFile(join(folder, name + ".html"), {viewport: {width: 1400, height: 900}, ...options});

const view = page => page.evaluate(() => { const t = window.page.timeline; return [t.from, t.to, t.step]; });
const settle = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));

// ---- What the page says is what was played ----

// Each node's start and end on each track, as the trace of the same play has them.
function tracks(file) {
  const found = {};
  for (const e of JSON.parse(readFileSync(file, "utf8")).traceEvents) {
    if (e.ph !== "X" || ["wait", "work", "issue"].includes(e.cat)) continue;
    (found[`${e.pid} ${e.tid}`] ||= []).push([e.args.start_ps, e.args.end_ps]);
  }
  return found;
}

const decoded = page => page.evaluate(() => {
  const found = {}, RECV = 3, RECORD = 4;
  const run = window.page.runs[0];
  run.classes.forEach((c, row) => {
    for (let stream = 0; stream <= run.host; stream++) {
      const lane = run.lane(row, stream), list = [];
      for (let b = 0; lane && b < lane.count; b++) {
        const p = lane.pattern(b), nodes = run.fragments[p.fragment].nodes, at = lane.begin(b);
        run.order(p.fragment, stream).forEach((n, i) => {
          const op = nodes[n][0];
          if (op === RECORD || (stream === run.host) !== (op > RECORD)) return;
          list.push([at + (op === RECV ? p.ready[i] : p.begun[i]), at + p.end[i]]);
        });
      }
      if (list.length) found[`${c.rank} ${stream === run.host ? 1 : 3 + stream}`] = list;
    }
  });
  return found;
});

// Sums that must come out as the report has them.
const sums = page => page.evaluate(() => {
  const wrong = [], add = list => list.reduce((a, b) => a + b, 0);
  const near = (a, b, what) => { if (Math.abs(a - b) > 1e-9 * Math.max(Math.abs(a), Math.abs(b)) + 1) wrong.push(`${what}: ${a}, not ${b}`); };
  const chart = window.page.timeline.memoryChart;
  window.page.runs.forEach((run, r) => {
    near(add(run.criticalPath().map(p => p.end - p.begin)), run.step, "critical path");
    run.classes.forEach((c, row) => {
      const idle = run.idle(row), of = kind => idle.sums[kind].total;
      near(of(0), c.time[8], `bubble of rank ${c.rank}`);
      near(of(1), c.time[7], `exposed communication of rank ${c.rank}`);
      near(add(c.time), run.step, `parts of rank ${c.rank}`);
      const modules = [0, 0];
      for (let i = 0; i < c.modules.length; i += 10) {
        modules[0] += add(c.modules.slice(i + 1, i + 8));
        modules[1] += c.modules[i + 8];
      }
      near(modules[0], add(c.time.slice(0, 7)), `compute by modules of rank ${c.rank}`);
      near(modules[1], c.time[7], `exposed by modules of rank ${c.rank}`);
      if (!c.memory) return;
      chart.choice = {run, r, row};
      const events = chart.events();
      if (events) near(events.total.reduce((a, b) => Math.max(a, b), 0), c.memory.peak, `peak of rank ${c.rank}`);
      if (events) near(add(chart.alive(c.memory.at).map(h => h.bytes)), c.memory.peak, `held at the peak of rank ${c.rank}`);
    });
  });
  return wrong;
});

for (const name of readdirSync(folder).filter(f => f.endsWith(".html")).map(f => f.slice(0, -5)).sort()) {
  const page = await open(name);
  const wrong = await sums(page);
  check(`${name}: sums are those of the report`, !wrong.length, wrong.slice(0, 3).join("; "));
  if (existsSync(join(folder, name + ".json"))) {
    const played = tracks(join(folder, name + ".json")), shown = await decoded(page);
    const ranks = new Set(Object.keys(shown).map(k => k.split(" ")[0]));
    const keys = Object.keys(played).filter(k => ranks.has(k.split(" ")[0]));
    const other = keys.filter(k => JSON.stringify(played[k]) !== JSON.stringify(shown[k]));
    check(`${name}: every node is where the trace has it`, keys.length > 0 && !other.length, other.join(", "));
  }
  await settle(page);
  await page.screenshot({path: join(folder, name + ".png"), fullPage: true});
  check(`${name}: no message, no error, no request`, !page.wrong.length, page.wrong.join("; "));
  await page.close();
}

// ---- What one can do ----

const page = await open("gpt3");
const canvas = page.locator(".scroll canvas"), box = await canvas.boundingBox();
const [, , step] = await view(page);
await page.mouse.move(box.x + 500, box.y + 40);
for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -200);
await settle(page);
let [from, to] = await view(page);
const at = (500 - 132) / (box.width - 132) * step;
check("the wheel zooms to the pointer", to - from < step / 50 && from < at && at < to, `${from} to ${to}`);
await page.screenshot({path: join(folder, "zoomed.png")});
await page.mouse.down();
await page.mouse.move(box.x + 300, box.y + 40, {steps: 4});
await page.mouse.up();
const moved = await view(page);
check("a drag moves", moved[0] > from && Math.abs((moved[1] - moved[0]) - (to - from)) < 1, moved.join(" "));
await page.mouse.move(box.x + 400, box.y + 40);
await page.mouse.move(box.x + 402, box.y + 40);
await settle(page);
const tip = await page.locator("#timeline .tip").innerText();
check("hovering says what it is", /[FB]\(\d+\)/.test(tip) && /stage 0, rank 0 and 63 alike/.test(tip), tip);
await page.mouse.click(box.x + 402, box.y + 40);
const details = await page.locator("#timeline .details").innerText();
check("a click says what it waited for, and what for it", /Waited for\n/.test(details) && /Waited for it/.test(details), details);
await page.locator("#timeline .details button").first().click();
check("its links select others", (await page.locator("#timeline .details").innerText()) !== details);
for (let i = 0; i < 60; i++) await page.mouse.wheel(0, -200);
await settle(page);
[from, to] = await view(page);
check("down to single kernels", to - from < 1e9, to - from);
await page.screenshot({path: join(folder, "kernels.png")});
await page.getByRole("button", {name: "Fit"}).click();
[from, to] = await view(page);
check("and back to the whole step", from === 0 && to === step);
// What is summed up: the kinds fill the rows' time, the names are the work, and a part is less than all.
const summed = () => page.evaluate(() => {
  const t = window.page.timeline, {rows, from, to} = t.span, {kinds, names} = sumsBetween(rows, from, to), add = l => l.reduce((a, x) => a + x.time, 0);
  const work = add(kinds.filter(k => !WAITS.some(([name]) => name === k.name)));
  return {rows: rows.length, length: to - from, kinds: add(kinds), work, names: add(names), text: t.details.innerText};
});
await page.getByRole("button", {name: "Sum", exact: true}).click();
const whole = await summed();
check("sums of the step fill its rows", whole.rows === 16 && whole.length === step && Math.abs(whole.kinds / (16 * step) - 1) < 0.05 && Math.abs(whole.names / whole.work - 1) < 1e-9, JSON.stringify(whole));
check("and are shown by kind and name", /bubble\t/.test(whole.text) && /layer\[\*\]\.mlp\.down\t/.test(whole.text), whole.text);
await page.keyboard.down("Shift");
await page.mouse.move(box.x + 300, box.y + 30);
await page.mouse.down();
await page.mouse.move(box.x + 500, box.y + 100, {steps: 4});
await page.mouse.up();
await page.keyboard.up("Shift");
const span = await summed();
check("shift and drag sums up a part", span.rows === 3 && Math.abs(span.length / step - 200 / (box.width - 132)) < 0.01 &&
  Math.abs(span.kinds / (3 * span.length) - 1) < 1e-9 && Math.abs(span.names / span.work - 1) < 1e-9, JSON.stringify(span));
await page.locator(".alive summary").click();
await page.locator(".alive table").waitFor(); // it is filled after the click
const alive = await page.locator(".alive").innerText(), peak = await page.evaluate(() => { const m = window.page.timeline.memoryChart.choice; const c = m.run.classes[m.row].memory; return bytesText(c.peak + c.reserved); });
check("everything alive at the peak is listed", alive.includes("at the peak") && alive.includes(peak) && /layer\[\*\]\.mlp\.up\t/.test(alive), alive);
const search = page.locator("#timeline").getByRole("searchbox"), status = page.locator("#timeline .status");
const find = async text => { await search.fill(text); await search.press("Enter"); return status.innerText(); };
check("search finds work", /^1 of 16$/.test(await find("F(3)")), await status.innerText());
check("search goes on", /^2 of 16$/.test(await find("F(3)")), await status.innerText());
check("search finds operators", /^1 of /.test(await find("attn.qkv")), await status.innerText());
check("search finds ranks", /does as rank 0 does: stage 0/.test(await find("rank 37")), await status.innerText());
check("search says when nothing is there", /Nothing is called/.test(await find("nonsense")), await status.innerText());
await canvas.focus();
for (const key of ["0", "+", "ArrowRight", "n", "n", "ArrowDown", "Enter"]) await page.keyboard.press(key);
check("it goes by keyboard", /stage 1/.test(await page.locator("#timeline .details").innerText()), await page.locator("#timeline .details").innerText());
for (const name of ["streams", "path", "messages", "memory"]) await page.locator(`[data-show=${name}]`).click();
await page.locator(".icicle").scrollIntoViewIfNeeded();
for (const what of ["exposed", "memory"]) {
  await page.getByRole("combobox", {name: "What is shown"}).selectOption(what);
  check(`modules by ${what}`, (await page.locator(".icicle .outer").count()) > 3);
}
await settle(page);
check("nothing went wrong meanwhile", !page.wrong.length, page.wrong.join("; "));
await page.close();

// ---- A plan that does not fit ----

const full = await open("full");
const ways = full.locator("#ways"), choices = ways.locator("button");
const known = await full.evaluate(() => window.page.runs[0].ways.at.map(w => [timeText(w[w.length - 3]), bytesText(w[w.length - 2]), w.slice(0, -3).join("\n")]));
check("ways out are buttons", await ways.isVisible() && known.length > 3 && await choices.count() === known.length);
const names = await choices.locator("small").allTextContents();
check("no two of them have the same name", new Set(names).size === names.length, names.join(" | "));
for (const [i, [step, peak, lines]] of known.entries()) {
  if (i % 2) { await choices.nth(i).focus(); await full.keyboard.press("Enter"); } else await choices.nth(i).click();
  const text = await ways.locator(".way").innerText();
  check(`way ${i + 1} shows its figures`, text.includes(step) && text.includes(peak) && text.includes(lines) && /the plan as it is/.test(text) &&
    await choices.nth(i).getAttribute("aria-pressed") === "true" && await ways.locator("button[aria-pressed=true]").count() === 1, text);
}
await full.screenshot({path: join(folder, "full-ways.png")});
check("and nothing else", !full.wrong.length, full.wrong.join("; "));
await full.close();

// ---- How it looks ----

const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);
for (const colorScheme of ["light", "dark"]) {
  const page = await open("gpt3", {colorScheme});
  const colours = await page.evaluate(() => {
    const style = getComputedStyle(document.documentElement), get = n => rgb(style.getPropertyValue(n).trim());
    const pixel = document.querySelector(".scroll canvas").getContext("2d").getImageData(2, 2, 1, 1).data;
    return {paper: get("--paper"), ink: get("--ink"), faint: get("--faint"), mark: get("--mark"), path: get("--path"),
            panel: get("--panel"), rail: get("--rail"), shades: SHADES, pixel: [...pixel.slice(0, 3)],
            lane: rgb(window.page.timeline.colours.transfer), outer: [...WAITS.map(w => rgb(w[1])), ...CATEGORIES.map(c => rgb(c[1]))]};
  });
  const texts = ["ink", "faint", "mark", "path"].flatMap(t => ["paper", "panel", "rail"].map(on => [`${t} on ${on}`, contrast(colours[t], colours[on])]));
  const fills = [...colours.shades, ...colours.outer, colours.lane].map((c, i) => [`black on fill ${i}`, contrast([0, 0, 0], c)]);
  const weak = [...texts, ...fills].filter(([, ratio]) => ratio < 4.5);
  check(`${colorScheme}: contrast is 4.5 and more`, !weak.length, weak.map(([n, r]) => `${n} ${r.toFixed(1)}`).join(", "));
  check(`${colorScheme}: the canvas is as the page`, colours.pixel.join() === colours.paper.join(), colours.pixel.join());
  await page.screenshot({path: join(folder, `${colorScheme}.png`)});
  await page.emulateMedia({media: "print", colorScheme});
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await settle(page);
  const printed = await page.evaluate(() => [...document.querySelector(".scroll canvas").getContext("2d").getImageData(2, 2, 1, 1).data]);
  check(`${colorScheme}: paper is white`, printed[0] === 255 && printed[1] === 255, printed.join());
  await page.screenshot({path: join(folder, `print-${colorScheme}.png`), fullPage: true});
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  check(`${colorScheme}: prints`, (await page.pdf({format: "A4", landscape: true})).length > 10000);
  check(`${colorScheme}: nothing went wrong`, !page.wrong.length, page.wrong.join("; "));
  await page.close();
}
for (const width of [800, 400]) {
  const page = await open("gpt3", {viewport: {width, height: 900}});
  check(`${width} px: nothing is cut off`, (await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
  await page.screenshot({path: join(folder, `${width}.png`)});
  await page.close();
}

// Speed is told, not judged: it is the machine's.
for (const [name, about] of [["gpt3", "GPT-3, 1,024 ranks, 192 micro-batches"], ["large", "64 stages, 512 micro-batches"]]) {
  const page = await open(name);
  await page.waitForFunction(() => performance.getEntriesByType("paint").length);
  const paint = await page.evaluate(() => performance.getEntriesByType("paint").map(e => Math.round(e.startTime))[0]);
  await page.mouse.move(700, 500);
  await page.evaluate(() => {
    window.frames_ = [];
    let last = performance.now();
    const frame = now => { window.frames_.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  });
  for (let i = 0; i < 40; i++) { await page.mouse.wheel(0, i < 30 ? -60 : 60); await page.waitForTimeout(16); }
  const frames = (await page.evaluate(() => window.frames_)).sort((a, b) => a - b);
  console.log(`# ${about}: first paint ${paint} ms, a frame ${frames[frames.length >> 1].toFixed(0)} ms, ` +
              `of twenty one ${frames[Math.floor(0.95 * frames.length)].toFixed(0)} ms and more`);
  await page.close();
}

await finish();
