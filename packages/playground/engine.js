// The engine, in workers: every command line gets a machine of its own, so nothing is left over.

async function unpack(base64, format) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format))).arrayBuffer());
}

class Engine {
  // workers: command lines that are played at a time
  constructor(workers) {
    this.waiting = [];
    this.number = 0;
    this.idle = [];
    this.busy = new Map(); // worker -> its task
    this.code = URL.createObjectURL(new Blob([WORKER], {type: "text/javascript"}));
    this.ready = Engine.module().then(module => {
      this.module = module;
      for (let i = 0; i < workers; i++) this.start();
    });
  }

  // Once a page: all engines share the compiled module.
  static module() {
    return Engine.compiled ||= unpack(ENGINE, "gzip").then(bytes => WebAssembly.compile(bytes));
  }

  start() {
    const worker = new Worker(this.code);
    worker.postMessage({module: this.module});
    worker.addEventListener("message", ({data}) => {
      const task = this.busy.get(worker);
      this.busy.delete(worker);
      this.idle.push(worker);
      if (task) task.done(data);
      this.next();
    });
    this.idle.push(worker);
    this.next();
  }

  next() {
    while (this.waiting.length && this.idle.length) {
      const task = this.waiting.shift(), worker = this.idle.pop();
      this.busy.set(worker, task);
      worker.postMessage({...task.request, id: task.id});
    }
  }

  // {code, out, err, files, milliseconds, memory}; null if it was stopped.
  // request: {args, files: name -> text or bytes, wanted: names of files to hand back, environment,
  // input: what it reads from standard input}
  run(request) {
    return this.ready.then(() => new Promise(done => {
      this.waiting.push({request, done, id: this.number++});
      this.next();
    }));
  }

  // What waits is not played any more.
  drop() {
    const over = this.waiting;
    this.waiting = [];
    over.forEach(task => task.done(null));
  }

  // What is played or waits ends; nobody needs it any more.
  stop() {
    const over = [...this.waiting, ...this.busy.values()];
    this.waiting = [];
    for (const worker of this.busy.keys()) {
      worker.terminate();
      this.busy.delete(worker);
      this.start();
    }
    over.forEach(task => task.done(null));
  }
}

// The objects of --diagnostics=json, without its summary; what else was printed, as one without a place.
function diagnosticsOf(text) {
  const list = [], others = [];
  for (const line of text.split("\n").filter(l => l))
    try {
      const one = JSON.parse(line);
      if (one.type === "diagnostic") list.push(one);
    } catch (notJson) {
      others.push(line);
    }
  if (others.length)
    list.push({severity: "error", code: "", message: others[0], rendered: others.join("\n"), spans: [], children: []});
  return list;
}
