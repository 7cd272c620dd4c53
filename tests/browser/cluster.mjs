// Pages of clusters in a real browser: node tests/browser/cluster.mjs FOLDER, with playwright-core in FOLDER/node_modules.
// FOLDER/clusters holds the pages that tests/browser/run.sh wrote; screenshots go there. As TAP.
import {readdirSync, statSync} from "node:fs";
import {join} from "node:path";
import {browser, check as checkPage, finish, folder, open} from "./harness.mjs";

const clusters = join(folder, "clusters");
const check = (name, right, more) => checkPage("cluster page: " + name, right, more);

// Texts of the picture whose contrast with the box behind them is below 4.5, lines and edges below 3.
const faint = page => page.evaluate(() => {
  const parse = c => (c.match(/[\d.]+/g) || []).map(Number), wrong = [];
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const svg = document.querySelector("svg.topology"), paper = parse(getComputedStyle(svg.querySelector(".paper")).fill);
  for (const t of svg.querySelectorAll("text")) {
    const box = t.closest(".part, .bundle"), behind = box ? parse(getComputedStyle(box.querySelector(".box, .label")).fill) :
      t.classList.contains("over") ? parse(getComputedStyle(svg.querySelector(".frame")).fill) : paper;
    const c = contrast(parse(getComputedStyle(t).fill), behind);
    if (c < 4.5) wrong.push(`"${t.textContent}" ${c.toFixed(2)}`);
  }
  for (const e of svg.querySelectorAll("path, .box, .label")) {
    const c = contrast(parse(getComputedStyle(e).stroke), paper);
    if (c < 3) wrong.push(`${e.tagName}.${e.getAttribute("class")} ${getComputedStyle(e).stroke} ${c.toFixed(2)}`);
  }
  return wrong;
});

// Labels and boxes that lie over each other.
const overlaps = page => page.evaluate(() => {
  const boxes = [...document.querySelectorAll(".topology .part > .box, .topology .bundle > .label")].map(e => e.getBBox());
  const inside = (a, b) => a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width + 1 && a.y + a.height <= b.y + b.height + 1;
  const meet = (a, b) => a.x < b.x + b.width - 1 && b.x < a.x + a.width - 1 && a.y < b.y + b.height - 1 && b.y < a.y + a.height - 1;
  return boxes.filter((a, i) => boxes.some((b, k) => i < k && meet(a, b) && !inside(a, b) && !inside(b, a))).length;
});

// Lines that go on behind a box: points of theirs, drawn by the piece, that lie inside of one.
const behind = page => page.evaluate(() => {
  const boxes = [...document.querySelectorAll(".topology .part > .box")].map(e => e.getBBox()), svg = document.querySelector("svg.topology"), wrong = [];
  for (const path of svg.querySelectorAll("g > path")) {
    if (path.closest(".part")) continue;
    for (const piece of path.getAttribute("d").split(/(?=M)/)) {
      const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
      line.setAttribute("d", piece);
      for (let k = 0, length = line.getTotalLength(); k <= 60; k++) {
        const at = line.getPointAtLength(length * k / 60);
        if (boxes.some(b => at.x > b.x + 2 && at.x < b.x + b.width - 2 && at.y > b.y + 2 && at.y < b.y + b.height - 2)) { wrong.push(piece); break; }
      }
    }
  }
  return wrong;
});

for (const name of readdirSync(clusters).filter(f => f.endsWith(".html")).map(f => f.slice(0, -5)).sort()) {
  const file = join(clusters, name + ".html");
  for (const [width, scheme] of [[1280, "light"], [1280, "dark"], [800, "light"], [800, "dark"]]) {
    const page = await open(file, {viewport: {width, height: 900}, colorScheme: scheme});
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    const weak = await faint(page), over = await overlaps(page);
    check(`${name}, ${width} px, ${scheme}: nothing sticks out or overlaps, texts and lines have contrast`, !wide && !weak.length && !over, `${wide} ${over} ${weak.slice(0, 4).join("; ")}`);
    await page.screenshot({path: join(clusters, `${name}-${width}-${scheme}.png`), fullPage: true});
    check(`${name}, ${width} px, ${scheme}: no message, no error, no request`, !page.wrong.length, page.wrong.join("; "));
    await page.close();
  }
  const page = await open(file);
  const links = await page.evaluate(() => { const c = window.page.cluster; return [c.links.length, +document.querySelectorAll(".tiles b")[3].textContent.replace(/,/g, "")]; });
  const hidden = await behind(page);
  check(`${name}: no link goes behind a box`, !hidden.length, hidden.slice(0, 3).join("; "));
  const outs = await page.locator("svg.topology .frame").count() && await page.locator("svg.topology .nic").count(), bisection = await page.locator(".tiles").textContent();
  check(`${name}: bisection and oversubscription, and NICs where links leave an island`, /bisection, each way[\d.]+ .B\/soversubscription [\d.]+ : 1/.test(bisection) && (outs > 0 || /torus|wafer/.test(name)), `${outs} ${bisection}`);
  check(`${name}: all links are told`, links[0] === links[1], links.join());
  await page.close();
}
check("10,240 GPUs are a page of less than 300 kB", statSync(join(clusters, "large.html")).size < 300e3);

// ---- What one can do ----

const page = await open(join(clusters, "unequal.html"));
const details = () => page.locator("#cluster .details").textContent();
const view = () => page.evaluate(() => window.page.cluster.view);
const find = async text => { await page.fill("#cluster-search", text); await page.keyboard.press("Enter"); return details(); };
check("a device is found, with its links", /gpu\[3, 1\], rank 25.*leaf\[0, 1\]: 25\.00 GB\/s.*used [\d.]+ %/s.test(await find("gpu[3, 1]")), await details());
check("a rank is found", /gpu\[1, 2\], rank 10/.test(await find("rank 10")), await details());
check("another way to write it", /gpu\[0, 4\]/.test(await find("gpu 0 4")), await details());
check("an array is found", /leaf\[2, 8\]: 16 switches/.test(await find("leaf")), await details());
check("many alike links are one line", /8 of gpu, such as/.test(await find("leaf[0, 0]")) || (await page.locator("#cluster .details li").count()) < 24, await details());
check("what is not there is said", /Nothing is called/.test(await find("gpu[99, 0]")), await details());

const whole = await view(), box = await page.locator("svg.topology").boundingBox();
await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
await page.mouse.wheel(0, -400);
const near = await view();
check("the wheel zooms, and the point stays", near[2] < whole[2] && Math.abs((near[0] + near[2] / 2) - (whole[0] + whole[2] / 2)) < 1, near.join());
await page.mouse.down();
await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2 + 30, {steps: 4});
await page.mouse.up();
check("a drag moves", (await view())[0] < near[0]);
await page.click("button[aria-label='All of it']");
check("0 shows all", (await view()).join() === whole.join());
await page.locator(".bundle").first().hover();
check("a tip tells what is under the pointer", /links of .*tier/.test(await page.locator("#cluster .tip:not([hidden])").textContent()));
await page.locator("[data-v]").first().hover();
check("and of a single one", /\[|spine/.test(await page.locator("#cluster .tip:not([hidden])").textContent()));
await page.locator(".bundle").nth(1).click();
check("a click tells it below", /slowest gpu\[3, 1\] - leaf\[0, 1\] with 25 GB\/s/.test(await details()), await details());
await page.locator("svg.topology .part").first().focus();
await page.keyboard.press("Enter");
check("Enter does so, too", /switch|devices/.test(await details()), await details());
await page.keyboard.press("+");
check("keys zoom", (await view())[2] < whole[2]);
const names = await page.evaluate(() => [...document.querySelectorAll("svg [role=button]")].filter(e => !e.getAttribute("aria-label") || e.tabIndex !== 0).length);
check("all that can be pressed has a name and is reached by the tabulator", names === 0);
await page.click(".theme");
check("the button makes it dark", await page.evaluate(() => getComputedStyle(document.body).backgroundColor) === "rgb(20, 23, 27)");
await page.emulateMedia({media: "print"});
check("paper is light", await page.evaluate(() => getComputedStyle(document.body).backgroundColor) === "rgb(255, 255, 255)");
check("it did nothing else", !page.wrong.length, page.wrong.join("; "));
await page.close();

// The page of a run has the same picture.
const report = await open(join(folder, "gpt3.html"));
check("a run's page shows the cluster and its use", /use [\d.]+ %, busiest/.test(await report.locator("#cluster svg").textContent()));
check("once", await report.locator("#cluster-search").count() === 1);
await report.close();

// Without scripts the picture and the table are there.
const plain = await browser.newPage({javaScriptEnabled: false});
await plain.goto("file://" + join(clusters, "unequal.html"));
check("without scripts", await plain.locator("svg.topology .part").count() > 3 && await plain.locator("#cluster tbody tr").count() === 3);
await finish();
