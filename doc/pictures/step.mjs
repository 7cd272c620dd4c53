// The README's pictures, light and dark: node doc/pictures/step.mjs FOLDER PAGE.html, with playwright-core in FOLDER/node_modules
// (build/browser after ./dev browser) and the page of its plan: trainspec run --format=html -D tp=4 -D pp=4 -D recompute=full, of the README.
import {browser, open} from "../../tests/browser/harness.mjs";
import {resolve} from "node:path";

for (const colorScheme of ["light", "dark"]) {
  const page = await open(resolve(process.argv[3]), {viewport: {width: 1200, height: 735}, colorScheme});
  await page.screenshot({path: new URL(`step_${colorScheme}.png`, import.meta.url).pathname});
}
await browser.close();
