// What the tests of pages have in common: Chromium by playwright-core of FOLDER/node_modules (their first argument), checks as TAP.
import {createRequire} from "node:module";
import {join, resolve} from "node:path";

export const folder = resolve(process.argv[2]);
const {chromium} = createRequire(join(folder, "package.json"))("playwright-core");
export const browser = await chromium.launch({executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"]});

let number = 0, failed = 0;
export function check(name, right, more = "") {
  number++;
  if (!right) failed++;
  console.log(`${right ? "ok" : "not ok"} ${number} - ${name}${right || more === "" ? "" : `: ${more}`}`);
}

// A page with what it should not have done: messages, errors, requests, dialogs.
export async function open(file, options = {}) {
  const page = await browser.newPage({viewport: {width: 1280, height: 900}, ...options});
  page.wrong = [];
  page.on("console", m => { // the tests themselves read canvases back
    if (!/Multiple readback operations/.test(m.text())) page.wrong.push(`console: ${m.text()}`);
  });
  page.on("pageerror", e => page.wrong.push(`error: ${e.message}`));
  page.on("dialog", d => { page.wrong.push("dialog"); d.dismiss(); });
  page.on("request", r => { if (!r.url().startsWith("file:")) page.wrong.push(`request: ${r.url()}`); });
  await page.goto("file://" + file);
  await page.waitForSelector("html[data-ready]");
  return page;
}

export async function finish() {
  await browser.close();
  console.log(`1..${number}`);
  process.exit(failed ? 1 : 0);
}
