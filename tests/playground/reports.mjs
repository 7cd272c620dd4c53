// The engine without a browser: node tests/playground/reports.mjs ENGINE.wasm TRAINSPEC. What it prints and
// writes is compared, byte by byte, with what the program prints. One line for each check, as TAP.
import {spawnSync} from "node:child_process";
import {existsSync, readFileSync, readdirSync, rmSync} from "node:fs";
import {join, resolve} from "node:path";
import vm from "node:vm";

const [wasm, program] = process.argv.slice(2).map(p => resolve(p));
const root = resolve(import.meta.dirname, "../..");
vm.runInThisContext(readFileSync(join(root, "playground/machine.js"), "utf8") + "\nglobalThis.runCommand = runCommand;");
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

function native(args, input) {
  const r = spawnSync(program, args, {cwd: join(root, "examples"), input, encoding: "buffer", maxBuffer: 1 << 28});
  return {code: r.status, out: r.stdout.toString(), err: r.stderr.toString()};
}

// Where the first difference is.
function difference(a, b) {
  const left = a.split("\n"), right = b.split("\n"), at = left.findIndex((l, i) => l !== right[i]);
  return `line ${at + 1}: ${left[at]} | ${right[at]}`;
}

function same(args, more = {}) {
  const here = runCommand(engine, ["trainspec", ...args], {...files, ...more}), there = native(args);
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
