// The folder that a browser opens: node packages/playground/site.mjs ENGINE.wasm FOLDER, from the root.
import {gzipSync, constants} from "node:zlib";
import {mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from "node:fs";
import {join} from "node:path";

const [engine, folder] = process.argv.slice(2);
const text = name => readFileSync(name, "utf8");
const code = names => names.map(name => text(name).replace(/^"use strict";\n/m, "")).join("\n");

// Files that plans read are bytes: as base64 in the page, where they are no text.
const files = {}, plans = {}, packed = {};
for (const name of readdirSync("examples").filter(n => n.endsWith(".ts")).sort()) {
  files[name] = text(join("examples", name));
  if (!/^\s*extern fn/m.test(files[name])) plans[name] = files[name]; // native code does not run in a browser
}
for (const name of readdirSync("examples/data").sort()) packed["data/" + name] = readFileSync(join("examples/data", name)).toString("base64");
files["lab.ts"] = text("packages/playground/lab.ts");

const page = ["colours", "format", "sequence", "data"].map(name => `runtime/report/page/${name}.js`);
const own = ["language", "editor", "share", "engine", "assist", "plan", "lab", "start"].map(name => `packages/playground/${name}.js`);
const constant = (name, value) => `const ${name} = ${JSON.stringify(value).replace(/</g, "\\u003c")};\n`;
const script = '"use strict";\n' +
  constant("WORKER", '"use strict";\n' + code(["packages/playground/machine.js", "packages/playground/worker.js"])) +
  constant("GRAMMAR", JSON.parse(text("share/vscode/trainspec.tmLanguage.json"))) +
  constant("PLANS", plans) + constant("PACKED", packed) +
  "const FILES = {..." + JSON.stringify(files).replace(/</g, "\\u003c") +
  ", ...Object.fromEntries(Object.entries(PACKED).map(([name, data]) => [name, Uint8Array.from(atob(data), c => c.charCodeAt(0))]))};\n" +
  code([...page, ...own]);

rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});
const put = (name, content) => writeFileSync(join(folder, name), content);
put("index.html", text("packages/playground/index.html"));
put("playground.css", text("runtime/report/page/page.css") + text("packages/playground/style.css"));
put("playground.js", script);
put("engine.js", `const ENGINE = "${gzipSync(readFileSync(engine), {level: constants.Z_BEST_COMPRESSION}).toString("base64")}";\n`);
