// The engine without a browser: node tests/playground/reports.mjs ENGINE.wasm TRAINSPEC. What it prints and
// writes is compared, byte by byte, with what the program prints. One line for each check, as TAP.
import {spawnSync} from "node:child_process";
import {existsSync, readFileSync, readdirSync, rmSync} from "node:fs";
import {join, resolve} from "node:path";
import vm from "node:vm";

const [wasm, program] = process.argv.slice(2).map(p => resolve(p));
const root = resolve(import.meta.dirname, "../..");
vm.runInThisContext(readFileSync(join(root, "packages/playground/machine.js"), "utf8") + "\nglobalThis.runCommand = runCommand;");
const engine = new WebAssembly.Module(readFileSync(wasm));

const files = {};
for (const name of readdirSync(join(root, "examples"), {recursive: true, withFileTypes: true}))
  if (name.isFile()) files[join(name.parentPath, name.name).slice(join(root, "examples").length + 1)] = readFileSync(join(name.parentPath, name.name));

let number = 0, failed = 0;
function check(name, right, more = "") {
  number++;
  if (!right) failed++;
  console.log(`${right ? "ok" : "not ok"} ${number} - ${name}${right || more === "" ? "" : `: ${more}`}`);
}

function native(args, input = "") {
  const r = spawnSync(program, args, {cwd: join(root, "examples"), input: Buffer.from(input), encoding: "buffer", maxBuffer: 1 << 28});
  return {code: r.status, out: r.stdout.toString(), err: r.stderr.toString()};
}

// Where the first difference is.
function difference(a, b) {
  const left = a.split("\n"), right = b.split("\n"), at = left.findIndex((l, i) => l !== right[i]);
  return `line ${at + 1}: ${left[at]} | ${right[at]}`;
}

function same(args, more = {}, input = "") {
  const here = runCommand(engine, ["trainspec", ...args], {...files, ...more}, [], input), there = native(args, input);
  const equal = here.code === there.code && here.out === there.out && here.err === there.err;
  check(`trainspec ${args.join(" ")}`, equal, here.code !== there.code ? `exit code ${here.code}, not ${there.code}: ${here.err}` :
    here.out !== there.out ? difference(here.out, there.out) : difference(here.err, there.err));
  return here;
}

const plans = Object.keys(files).filter(n => n.endsWith(".ts") && !/^\s*extern fn/m.test(files[n].toString())).sort();
for (const plan of plans) same(["run", plan]);
same(["run", "--format=json", "gpt3_175b.ts"]);
same(["run", "--format=html", "gpt2_large.ts"]);
same(["run", "--format=csv", "-D", "pp=8", "-D", "dp=16", "gpt3_175b.ts"]);
same(["run", "--sensitivity", "--what-if", "nic=800Gb/s", "gpt3_175b.ts"]);
same(["run", "-D", "tp=5", "gpt3_175b.ts"]);
same(["run", "-D", "micro=64", "gpt3_175b.ts"]);
same(["compile", "-S", "schedule_lab.ts"]);
same(["list", "schedules", "--format=json"]);
same(["show", "llama3_70b"]);
same(["topo", "llama3_70b.ts"]);
same(["topo", "--run", "--format=html", "gpt3_175b.ts"]);

// The language server, for the editor: completion at each place of a line, and hover.
const plan = files["gpt3_175b.ts"].toString(), line = plan.split("\n").findIndex(l => l.includes("schedule ="));
const textDocument = {uri: "file:///gpt3_175b.ts"}, place = character => ({textDocument, position: {line, character}});
const messages = [{id: 1, method: "initialize", params: {capabilities: {}}},
  {method: "textDocument/didOpen", params: {textDocument: {...textDocument, languageId: "trainspec", version: 1, text: plan}}},
  ...[2, 6, 14, 20, 26].flatMap((c, i) => [{id: 10 + i, method: "textDocument/completion", params: place(c)}, {id: 20 + i, method: "textDocument/hover", params: place(c)}]),
  {id: 3, method: "shutdown"}, {method: "exit"}];
const told = same(["lsp", "--single-process"], {}, messages.map(m => JSON.stringify({jsonrpc: "2.0", ...m}))
  .map(m => `Content-Length: ${Buffer.byteLength(m)}\r\n\r\n${m}`).join(""));
check("which says something", /"label":"one_f_one_b"/.test(told.out) && told.out.includes("one_f_one_b("), told.out.slice(0, 400));

// What is written can be read again.
const compiled = runCommand(engine, ["trainspec", "compile", "-o", "plan.ir", "gpt2_large.ts"], files);
const again = runCommand(engine, ["trainspec", "run", "plan.ir"], {"plan.ir": compiled.file("plan.ir")});
check("an IR is written and played", compiled.code === 0 && again.code === 0 && /step time/.test(again.out), compiled.err + again.err);
const extern = runCommand(engine, ["trainspec", "run", "extern_cost.ts"], files);
check("native code is refused, with what to do", extern.code === 1 && /native code, and this build calls none/.test(extern.err), extern.err);
const none = runCommand(engine, ["trainspec", "run", "absent.ts"], files);
check("a file that is not there", none.code === 4 && /absent\.ts/.test(none.err), `${none.code} ${none.err}`);

// The time of the whole command, beside the program's; told, not judged.
const best = play => Math.min(...Array.from({length: 5}, () => { const t = performance.now(); play(); return performance.now() - t; }));
const here = best(() => runCommand(engine, ["trainspec", "run", "gpt3_175b.ts"], files));
const there = best(() => native(["run", "gpt3_175b.ts"]));
console.log(`# gpt3_175b: ${here.toFixed(0)} ms in WebAssembly, ${there.toFixed(0)} ms as a program: ${(here / there).toFixed(1)} times`);
console.log(`1..${number}`);
process.exit(failed ? 1 : 0);
