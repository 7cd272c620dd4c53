// In a worker: plays command lines, one after another, so that the page stays alive. machine.js stands
// before it.
let engine;
addEventListener("message", ({data}) => {
  if (data.module) { engine = data.module; return; }
  try {
    const {code, out, err, milliseconds, memory, file} = runCommand(engine, data.args, data.files, data.environment, data.input);
    const written = Object.fromEntries((data.wanted || []).map(name => [name, file(name)]));
    const texts = Object.fromEntries(Object.entries(written).map(([name, bytes]) => [name, bytes && new TextDecoder().decode(bytes)]));
    postMessage({id: data.id, code, out, err, milliseconds, memory, files: texts});
  } catch (error) {
    const full = error instanceof RangeError || /memory|stack/i.test(error.message);
    postMessage({id: data.id, code: 70, out: "", milliseconds: 0, memory: 0, files: {},
      err: full ? "This browser has too little memory for the plan. The programs of the command line play it.\n"
                : `The engine stopped: ${error.message}\n`});
  }
});
