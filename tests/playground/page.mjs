// The playground in a real browser, from a folder: node tests/playground/page.mjs SITE OUT PACKAGES, with
// playwright-core in PACKAGES/node_modules; screenshots go to OUT. One line for each check, as TAP.
import {createRequire} from "node:module";
import {join, resolve} from "node:path";

const [site, out, packages] = process.argv.slice(2).map(p => resolve(p));
const {chromium} = createRequire(join(packages, "package.json"))("playwright-core");
const browser = await chromium.launch({executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"]});
const address = "file://" + join(site, "index.html");
const PATIENCE = 120000;

let number = 0, failed = 0;
function check(name, right, more = "") {
  number++;
  if (!right) failed++;
  console.log(`${right ? "ok" : "not ok"} ${number} - ${name}${right || more === "" ? "" : `: ${more}`}`);
}

async function open(url = address, options = {}) {
  const page = await browser.newPage({viewport: {width: 1440, height: 900}, ...options});
  page.setDefaultTimeout(PATIENCE);
  page.wrong = [];
  page.on("console", m => { if (!/Multiple readback operations/.test(m.text())) page.wrong.push(`console: ${m.text()}`); });
  page.on("pageerror", e => page.wrong.push(`error: ${e.message}`));
  page.on("dialog", d => { page.wrong.push("dialog"); d.dismiss(); });
  page.on("request", r => { if (!/^(file|blob|data|about):/.test(r.url())) page.wrong.push(`request: ${r.url()}`); });
  await page.goto(url);
  await page.waitForSelector("html[data-ready]");
  await seen(page);
  return page;
}

// The page of the last play is there; of one that failed there is none.
const seen = page => page.waitForFunction(() => {
  const {played, shown} = document.documentElement.dataset;
  return played && (shown === played || playground.plan.failed);
});

// Does something, and waits until it has been played.
async function played(page, act, what = "played") {
  const before = await page.evaluate(w => document.documentElement.dataset[w], what);
  await act();
  await page.waitForFunction(([w, b]) => document.documentElement.dataset[w] !== b && !document.documentElement.hasAttribute("data-busy"), [what, before]);
  if (what === "played") await seen(page);
}

const report = async page => {
  for (let i = 0; ; i++) { // the browser's news of a frame may be a little late
    const frame = await (await page.$("#panel-page iframe")).contentFrame();
    if (frame && frame.url() === "about:srcdoc") {
      await frame.waitForSelector("html[data-ready]");
      return frame;
    }
    if (i === 100) throw new Error("no page of a report");
    await page.waitForTimeout(100);
  }
};
const stepOf = async page => (await report(page)).locator(".tiles b").first().innerText();
const write = (page, text) => page.evaluate(t => {
  const area = document.querySelector("#plan textarea");
  area.value = t;
  area.dispatchEvent(new Event("input"));
}, text);

// ---- A plan ----

const page = await open();
check("it opens from a folder and plays GPT-3", /^\d+\.\d+ s$/.test(await stepOf(page)), await stepOf(page));
const frame = await report(page);
check("with its timeline", await frame.evaluate(() => window.page.runs[0].classes.length) >= 16);
await page.screenshot({path: join(out, "plan.png")});
const first = await stepOf(page);
await played(page, () => page.locator("[data-parameter=micro]").fill("2"));
check("a parameter changes the step", await stepOf(page) !== first, await stepOf(page));
await played(page, () => page.getByRole("button", {name: "micro × 2"}).click());
check("buttons double it", await page.locator("[data-parameter=micro]").inputValue() === "4");
await page.getByRole("tab", {name: "Text"}).click();
await page.waitForFunction(() => /step time/.test(document.querySelector("#panel-text pre").textContent));
check("the text report says what was asked", /micro=4/.test(await page.locator("#panel-text pre").innerText()));
await page.getByRole("tab", {name: "JSON"}).click();
await page.waitForFunction(() => document.querySelector("#panel-json pre").textContent.startsWith("{"));
check("JSON is JSON", JSON.parse(await page.locator("#panel-json pre").innerText()).step_time_ps > 0);
await page.getByRole("tab", {name: "Page"}).click();

const text = await page.locator("#plan textarea").inputValue();
await played(page, () => write(page, text.replace("heads: 96", "heads: 97").replace("adam()", "adan()")));
const messages = await page.locator(".message").allInnerTexts();
check("an error has its place", messages.some(m => /adan/.test(m) && /Line \d+/.test(m)), messages.join());
check("and is underlined", (await page.locator("#plan .behind .error").allInnerTexts()).includes("adan"));
await page.screenshot({path: join(out, "error.png")});
await played(page, () => page.getByRole("button", {name: /^Apply/}).first().click());
check("its repair is applied", /adam\(\)/.test(await page.locator("#plan textarea").inputValue()));
await played(page, () => write(page, text.replace("heads: 96", "heads: 64")));
check("a new text is played", !(await page.locator(".message.error").count()) && /^\d/.test(await stepOf(page)));
await played(page, () => write(page, "plan x() {\n"));
check("what is no plan is said", (await page.locator(".message.error").count()) > 0);
await played(page, () => page.getByRole("combobox", {name: "Example"}).selectOption("llama3_70b.ts"));
check("examples play", (await page.locator("#panel-page iframe.stale").count()) === 0);
await page.getByRole("tab", {name: "Command line"}).click();
await page.getByRole("textbox", {name: "Command"}).fill("list schedules");
await page.getByRole("textbox", {name: "Command"}).press("Enter");
await page.waitForFunction(() => /one_f_one_b/.test(document.querySelector(".console pre").textContent));
check("commands run", (await page.locator(".console pre").innerText()).startsWith("$ trainspec list schedules"));
await page.getByRole("textbox", {name: "Command"}).fill("run --format=svg PLAN");
await page.getByRole("textbox", {name: "Command"}).press("Enter");
await page.frameLocator(".console iframe").locator("svg").first().waitFor();
check("what they draw is shown", await page.frameLocator(".console iframe").locator("svg title").first().innerHTML() !== "");
await page.locator("#plan textarea").focus();
await played(page, () => page.keyboard.press("Control+Enter"));
check("it goes by keyboard", true);

// ---- Completion and hover ----

const area = page.locator("#plan textarea");
const put = (text, after) => page.evaluate(([t, a]) => { // the caret behind `after`
  const area = document.querySelector("#plan textarea"), at = t.indexOf(a) + a.length;
  area.value = t;
  area.dispatchEvent(new Event("input"));
  area.focus();
  area.setSelectionRange(at, at);
}, [text, after]);
await played(page, () => page.getByRole("combobox", {name: "Example"}).selectOption("gpt3_175b.ts"));
await put(text.replace("one_f_one_b(", "("), "schedule = ");
await page.keyboard.type("one");
await page.waitForSelector("#proposals:not([hidden])");
check("what may be written is proposed as one types", (await page.locator("#proposals b").allInnerTexts()).includes("one_f_one_b"), await page.locator("#proposals").innerText());
await page.screenshot({path: join(out, "proposals.png")});
await page.keyboard.press("Escape");
check("Escape takes it away", await page.locator("#proposals").isHidden() && /schedule = one\(/.test(await area.inputValue()));
await page.keyboard.press("Control+ ");
await page.waitForSelector("#proposals:not([hidden])");
check("a list has a choice that is told", await page.locator("#proposals [aria-selected=true]").count() === 1 && await area.getAttribute("aria-activedescendant") === "proposal-0" && await area.getAttribute("aria-expanded") === "true");
const wanted = await page.locator("#proposals b").first().innerText();
await page.keyboard.press("Enter");
check("Enter takes it", (await area.inputValue()) === text && wanted === "one_f_one_b", wanted);
await played(page, () => put(text, "schedule = one_f"));
await page.keyboard.press("Control+i");
await page.waitForSelector("#plan .note:not([hidden])");
check("what a word means, by keyboard", /one_f_one_b\(/.test(await page.locator("#plan .note").innerText()), await page.locator("#plan .note").innerText());
const at = await page.evaluate(t => { const e = playground.plan.editor, {x, y} = e.caret(t.indexOf("dgx_a100") + 3), box = e.note.parentElement.getBoundingClientRect(); return [box.left + x + 2, box.top + y + 6]; }, text);
await page.mouse.move(...at);
await page.waitForFunction(() => /dgx_a100/.test(document.querySelector("#plan .note").textContent) && !document.querySelector("#plan .note").hidden);
check("and by the pointer", /nodes: Int/.test(await page.locator("#plan .note").innerText()), await page.locator("#plan .note").innerText());
await page.screenshot({path: join(out, "hover.png")});
await page.mouse.move(5, 5);

await page.locator("[data-new]").click();
await page.waitForFunction(() => document.querySelector("[aria-label=Model]").options.length > 20);
await page.getByRole("textbox", {name: "Number of GPUs"}).fill("64");
await page.getByRole("combobox", {name: "Model"}).selectOption("llama3_8b");
await page.screenshot({path: join(out, "new.png")});
await played(page, () => page.getByRole("button", {name: "Find a plan"}).click());
check("a plan is found for a model and a machine", /llama3_8b/.test(await page.locator("#plan textarea").inputValue()) && /^\d/.test(await stepOf(page)));
await page.screenshot({path: join(out, "found.png")});

// ---- A link ----

await played(page, () => page.locator("[data-parameter]").first().fill("4"));
await page.getByRole("button", {name: "Share"}).click();
await page.waitForSelector(".link:not([hidden])");
const link = await page.locator(".link").inputValue();
const other = await open(link);
const stateOf = p => p.evaluate(() => JSON.stringify([playground.plan.state_.text, playground.plan.state_.values, playground.plan.name]));
check("a link opens what was shared", link.length < 8000 && await stateOf(other) === await stateOf(page), await stateOf(other));
check("nothing went wrong in it", !other.wrong.length, other.wrong.join("; "));
await other.close();
const damaged = await open(address + "#s=notalink");
check("a damaged link is no harm", /^\d/.test(await stepOf(damaged)) && !damaged.wrong.length, damaged.wrong.join("; "));
await damaged.close();

// ---- Schedules ----

await played(page, () => page.getByRole("tab", {name: "Schedules"}).click(), "lab");
const cards = () => page.evaluate(() => playground.lab.list_.map(c => ({key: c.key, time: c.time, idle: c.idle, peak: c.peak, ok: Boolean(c.run)})));
const of = (list, key) => list.find(c => c.key === key);
let list = await cards();
check("every schedule of the library is there and plays", list.length >= 15 && list.every(c => c.ok), JSON.stringify(list.filter(c => !c.ok)));
// p = 4, m = 8, F = I = W = 10 us: (m + p - 1)(F + B) = 330 us, of which m (F + B) = 240 us are work; p micro-batches held.
const plain = of(list, "one_f_one_b");
check("1F1B is as its formula says", plain.time === 330e6 && Math.abs(plain.idle - 90 / 330) < 1e-9 && plain.peak === 4, JSON.stringify(plain));
const gpipe = of(list, "gpipe");
check("GPipe too", gpipe.time === 330e6 && gpipe.peak === 8, JSON.stringify(gpipe));
check("the shortest step comes first", list.every((c, i) => !i || list[i - 1].time <= c.time || list[i - 1].peak <= 8 && c.peak > 8));
await page.screenshot({path: join(out, "lab.png")});
await played(page, () => page.locator("[data-knob=m]").fill("16"), "lab");
list = await cards();
check("a slider changes all", of(list, "one_f_one_b").time === 570e6 && of(list, "gpipe").peak === 16, JSON.stringify(of(list, "gpipe")));
await played(page, () => page.locator("[data-knob=memory]").fill("3"), "lab");
list = await cards();
check("what needs too much memory is marked", (await page.locator(".card.over").count()) === list.filter(c => c.peak > 3.001).length && list[0].peak <= 3.001);
check("zb_memory keeps to it", of(list, "zb_memory").peak <= 3.001, of(list, "zb_memory").peak);
await page.getByText("Your own schedule").click();
await played(page, () => page.getByRole("checkbox", {name: "play"}).check(), "lab");
list = await cards();
check("one's own schedule plays", of(list, "your own").ok);
await played(page, () => page.evaluate(() => {
  const area = document.querySelector(".own textarea");
  area.value = area.value.replace("F(i) }\n    for i in m", "G(i) }\n    for i in m");
  area.dispatchEvent(new Event("input"));
}), "lab");
check("its errors have their place", (await page.locator(".own .behind .error").count()) > 0 && !(await cards()).find(c => c.key === "your own").ok,
  await page.locator(".own pre:not(.behind, .lines)").innerText());
await page.screenshot({path: join(out, "own.png")});
await page.getByRole("combobox", {name: "Study"}).selectOption({label: "Slow messages"});
await page.waitForFunction(() => playground.lab.values.message === 8);
await page.waitForTimeout(400);
await page.waitForFunction(() => /played in/.test(document.querySelector("#lab .state").textContent));
await page.screenshot({path: join(out, "messages.png")});
await page.locator("[data-schedule=zb_v] .more").click({force: true});
await page.waitForFunction(() => playground.plan.name === "my_lab.ts");
await page.waitForFunction(() => !document.documentElement.hasAttribute("data-busy"));
check("a closer look at one", /^\d.* us$/.test(await stepOf(page)), await stepOf(page));
await page.screenshot({path: join(out, "closer.png")});
check("nothing went wrong", !page.wrong.length, page.wrong.join("; "));
await page.close();

// ---- How it looks ----

for (const [name, options] of [["dark", {colorScheme: "dark"}], ["narrow", {viewport: {width: 800, height: 1000}}]]) {
  const page = await open(address, options);
  await report(page);
  await page.screenshot({path: join(out, name + ".png")});
  check(`${name}: nothing sticks out`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await played(page, () => page.getByRole("tab", {name: "Schedules"}).click(), "lab");
  await page.screenshot({path: join(out, name + "-lab.png")});
  check(`${name}: nothing went wrong`, !page.wrong.length, page.wrong.join("; "));
  await page.close();
}
console.log(`1..${number}`);
await browser.close();
process.exit(failed ? 1 : 0);
