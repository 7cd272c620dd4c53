// A machine for one command: the program's files in memory, its arguments, what it prints. It stands
// for the operating system below emscripten's C library (musl), whose calls have 64-bit pointers
// here; so the script that emscripten writes, which counts on 32 bits, is not used. doc/playground.md.
"use strict";

// Numbers of emscripten's headers: errno.h, fcntl.h, stat.h (64-bit layout).
const ERRNO = {EBADF: 8, EEXIST: 20, EINVAL: 28, EISDIR: 31, ENOENT: 44, ENOMEM: 48, ENOSYS: 52, ENOTDIR: 54,
  ENOTEMPTY: 55, ENOTTY: 59};
const OPEN = {WRONLY: 1, RDWR: 2, CREATE: 64, EXCLUSIVE: 128, TRUNCATE: 512, APPEND: 1024, DIRECTORY: 65536};
const MODE = {FILE: 0o100644, FOLDER: 0o40755, TERMINAL: 0o20620};
const STAT = {size: 128, mode: 16, links: 24, bytes: 48, block: 56, number: 120};
const DUPLICATE = [0, 1030]; // F_DUPFD, F_DUPFD_CLOEXEC

const WASM_PAGE = 65536;  // of a module's memory

class Refusal { constructor(errno) { this.errno = errno; } }
class Exit { constructor(code) { this.code = code; } }
const address = call => Object.assign(call, {isAddress: true});
const refuse = name => { throw new Refusal(ERRNO[name]); };

// Bytes that grow.
class Content {
  constructor(bytes = new Uint8Array(0)) { this.bytes = bytes; this.size = bytes.length; }

  write(at, from) {
    const end = at + from.length;
    if (end > this.bytes.length) {
      const more = new Uint8Array(Math.max(end, 2 * this.bytes.length, 4096));
      more.set(this.bytes.subarray(0, this.size));
      this.bytes = more;
    }
    this.bytes.set(from, at);
    this.size = Math.max(this.size, end);
  }

  get all() { return this.bytes.subarray(0, this.size); }
}

class Files {
  // contents: name -> text or bytes; folders are those that the names imply.
  constructor(contents) {
    this.files = new Map();
    this.folders = new Set(["/", "/dev", "/tmp"]);
    for (const [name, content] of Object.entries(contents)) this.put(name, content);
  }

  absolute(path) {
    const parts = [];
    for (const part of path.split("/"))
      if (part === "..") parts.pop();
      else if (part && part !== ".") parts.push(part);
    return "/" + parts.join("/");
  }

  put(name, content) {
    const path = this.absolute(name);
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) this.folders.add(path.slice(0, at));
    this.files.set(path, new Content(typeof content === "string" ? new TextEncoder().encode(content) : content));
  }

  bytes(name) { const file = this.files.get(this.absolute(name)); return file ? file.all : null; }

  find(path) {
    if (!path) refuse("ENOENT");
    const at = this.absolute(path);
    if (this.folders.has(at)) return {folder: at};
    const content = this.files.get(at);
    if (!content || path.endsWith("/")) refuse("ENOENT");
    return {content};
  }

  open(path, flags) {
    const at = this.absolute(path), content = this.files.get(at);
    if (at === "/dev/null") return {content: new Content(), at: 0};
    if (this.folders.has(at)) {
      if (flags & (OPEN.WRONLY | OPEN.RDWR)) refuse("EISDIR");
      return {folder: at};
    }
    if (content && flags & OPEN.CREATE && flags & OPEN.EXCLUSIVE) refuse("EEXIST");
    if (!content && !(flags & OPEN.CREATE)) refuse("ENOENT");
    if (flags & OPEN.DIRECTORY) refuse("ENOTDIR");
    if (!content && !this.folders.has(at.slice(0, at.lastIndexOf("/")) || "/")) refuse("ENOENT");
    if (!content || flags & OPEN.TRUNCATE) this.files.set(at, new Content());
    const opened = this.files.get(at);
    return {content: opened, at: flags & OPEN.APPEND ? opened.size : 0};
  }

  remove(path) { if (!this.files.delete(this.absolute(path))) refuse("ENOENT"); }

  rename(from, to) {
    const {content} = this.find(from);
    if (!content) refuse("EISDIR");
    this.files.delete(this.absolute(from));
    this.files.set(this.absolute(to), content);
  }
}

// The calls of the C library, over a program's memory.
class Machine {
  constructor(args, files, environment, input = "") {
    this.args = args;
    this.files = files;
    this.environment = environment;
    this.printed = [new Content(), new Content()];
    this.descriptors = [{content: new Content(new TextEncoder().encode(input)), at: 0}, {content: this.printed[0], at: 0, terminal: true},
      {content: this.printed[1], at: 0, terminal: true}];
  }

  // Views are made anew whenever memory has grown.
  get view() {
    if (!this.lastView || this.lastView.buffer !== this.memory.buffer) this.lastView = new DataView(this.memory.buffer);
    return this.lastView;
  }
  bytes(at, size) { return new Uint8Array(this.memory.buffer, at, size); }
  pointer(at) { return Number(this.view.getBigUint64(at, true)); }
  setLong(at, value) { this.view.setBigInt64(at, BigInt(value), true); }
  setInt(at, value) { this.view.setInt32(at, value, true); }
  text(at) {
    const all = new Uint8Array(this.memory.buffer);
    return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
  }

  descriptor(fd) { return this.descriptors[fd] || refuse("EBADF"); }
  take(opened) {
    let fd = this.descriptors.findIndex(d => !d);
    if (fd < 0) fd = this.descriptors.length;
    this.descriptors[fd] = opened;
    return fd;
  }

  // A path beneath a folder that is open; -100 (AT_FDCWD): the folder of the machine, the root.
  beneath(fd, path) { return path.startsWith("/") || fd < 0 ? path : this.descriptor(fd).folder + "/" + path; }

  putStat(at, {content, folder, terminal}) {
    this.bytes(at, STAT.size).fill(0);
    this.setInt(at + STAT.mode, folder ? MODE.FOLDER : terminal ? MODE.TERMINAL : MODE.FILE);
    this.setLong(at + STAT.links, 1);
    this.setLong(at + STAT.bytes, content && !terminal ? content.size : 0);
    this.setLong(at + STAT.block, 4096);
  }

  // [address, size] of each of the pieces of a read or write.
  pieces(vector, count) {
    return Array.from({length: count}, (_, i) => [this.pointer(vector + 16 * i), this.pointer(vector + 16 * i + 8)]);
  }

  strings(list, addresses, text) {
    for (const one of list) {
      const bytes = new TextEncoder().encode(one + "\0");
      this.setLong(addresses, text);
      this.bytes(text, bytes.length).set(bytes);
      addresses += 8;
      text += bytes.length;
    }
  }

  // Calls that return a C `long`: a result, or an error number below zero.
  longs() {
    const f = this.files;
    return {
      __syscall_open: (path, flags) => this.take(f.open(this.text(path), flags)),
      __syscall_openat: (fd, path, flags) => this.take(f.open(this.beneath(fd, this.text(path)), flags)),
      __syscall_stat64: (path, at) => this.putStat(at, f.find(this.text(path))),
      __syscall_lstat64: (path, at) => this.putStat(at, f.find(this.text(path))),
      __syscall_fstat64: (fd, at) => this.putStat(at, this.descriptor(fd)),
      __syscall_fstatat64: (fd, path, at) => this.putStat(at, f.find(this.beneath(fd, this.text(path)))),
      __syscall_access: path => { f.find(this.text(path)); },
      __syscall_faccessat: (fd, path) => { f.find(this.beneath(fd, this.text(path))); },
      __syscall_unlink: path => f.remove(this.text(path)),
      __syscall_unlinkat: (fd, path) => f.remove(this.beneath(fd, this.text(path))),
      __syscall_rename: (from, to) => f.rename(this.text(from), this.text(to)),
      __syscall_renameat: (a, from, b, to) => f.rename(this.beneath(a, this.text(from)), this.beneath(b, this.text(to))),
      __syscall_readlink: path => { f.find(this.text(path)); refuse("EINVAL"); }, // nothing is a link
      __syscall_readlinkat: (fd, path) => { f.find(this.beneath(fd, this.text(path))); refuse("EINVAL"); },
      __syscall_getcwd: at => { this.bytes(at, 2).set([47, 0]); return 2; },
      __syscall_fcntl64: (fd, command) => {
        const opened = this.descriptor(fd);
        return DUPLICATE.includes(command) ? this.take(opened) : 0;
      },
      __syscall_ioctl: fd => { this.descriptor(fd); refuse("ENOTTY"); },
      __syscall_chmod: () => 0,
      __syscall_fchmod: () => 0,
      __syscall_fchown32: () => 0,
      _mmap_js: (address, size, protection, flags, fd, offset, allocated) => {
        const at = Number(this.exports.emscripten_builtin_memalign(BigInt(WASM_PAGE), BigInt(size)));
        if (!at) refuse("ENOMEM");
        const from = this.descriptor(fd).content.all.subarray(offset, offset + size);
        this.bytes(at, size).fill(0);
        this.bytes(at, from.length).set(from);
        this.setInt(allocated, 1);
        return at;
      },
      _munmap_js: () => 0,
    };
  }

  // Calls of WASI, which return an error number.
  wasi() {
    return {
      fd_close: fd => { this.descriptor(fd); this.descriptors[fd] = null; },
      fd_read: (fd, vector, count, read) => {
        const d = this.descriptor(fd);
        if (!d.content) refuse("EISDIR");
        let total = 0;
        for (const [at, size] of this.pieces(vector, count)) {
          const from = d.content.all.subarray(d.at, d.at + size);
          this.bytes(at, from.length).set(from);
          d.at += from.length;
          total += from.length;
        }
        this.setLong(read, total);
      },
      fd_write: (fd, vector, count, written) => {
        const d = this.descriptor(fd);
        let total = 0;
        for (const [at, size] of this.pieces(vector, count)) {
          d.content.write(d.at, this.bytes(at, size));
          d.at += size;
          total += size;
        }
        this.setLong(written, total);
      },
      fd_seek: (fd, offset, from, at) => {
        const d = this.descriptor(fd);
        if (!d.content || d.terminal) refuse("EINVAL");
        d.at = offset + (from === 0 ? 0 : from === 1 ? d.at : d.content.size);
        this.setLong(at, d.at);
      },
      fd_sync: () => 0,
      fd_fdstat_get: (fd, at) => { this.descriptor(fd); this.bytes(at, 24).fill(0); this.view.setUint8(at, 4); },
      environ_sizes_get: (count, size) => {
        this.setLong(count, this.environment.length);
        this.setLong(size, this.environment.reduce((sum, e) => sum + new TextEncoder().encode(e).length + 1, 0));
      },
      environ_get: (addresses, text) => this.strings(this.environment, addresses, text),
      clock_time_get: (clock, precision, at) => this.setLong(at, Math.round(1e6 * performance.now())),
      proc_exit: code => { throw new Exit(code); },
    };
  }

  // What else emscripten's library asks for: memory, clocks, the end. `address` marks what returns one.
  others() {
    const clock = (number, at) => {
      const now = performance.now();
      this.setLong(at, Math.floor(now / 1000));
      this.setLong(at + 8, Math.floor(now % 1000 * 1e6));
      return 0;
    };
    return {
      emscripten_memcpy_big: address((to, from, size) => { new Uint8Array(this.memory.buffer).copyWithin(to, from, from + size); return to; }),
      emscripten_resize_heap: size => {
        const pages = Math.ceil((size - this.memory.buffer.byteLength) / WASM_PAGE);
        const spare = Math.ceil(this.memory.buffer.byteLength / WASM_PAGE / 4); // so that it grows seldom
        for (const more of [Math.max(pages, spare), pages])
          try { this.memory.grow(more); return 1; } catch (refused) { /* with less, or not at all */ }
        return 0;
      },
      emscripten_get_heap_max: address(() => 65535 * WASM_PAGE),
      clock_gettime: clock,
      __clock_gettime: clock,
      gettimeofday: at => { this.bytes(at, 16).fill(0); return 0; }, // times of day appear nowhere
      _dlopen_js: address(() => 0),                                  // no libraries
      _dlsym_js: address(() => 0),
      __assert_fail: (what, file, line) => {
        this.printed[1].write(this.printed[1].size, new TextEncoder().encode(`${this.text(file)}:${line}: ${this.text(what)}\n`));
        throw new Exit(134);
      },
      abort: () => { throw new Exit(134); },
    };
  }

  // What the module asks for. A call that is not known here is refused as one that the system does
  // not have.
  imports(module) {
    const failing = error => { if (error instanceof Refusal) return error.errno; throw error; };
    const numbers = args => args.map(a => typeof a === "bigint" ? Number(a) : a);
    const known = {};
    for (const [name, call] of Object.entries(this.longs()))
      known[name] = (...args) => { try { return BigInt(call(...numbers(args)) || 0); } catch (e) { return BigInt(-failing(e)); } };
    for (const [name, call] of Object.entries(this.wasi()))
      known[name] = (...args) => { try { return call(...numbers(args)) || 0; } catch (e) { return failing(e); } };
    for (const [name, call] of Object.entries(this.others()))
      known[name] = call.isAddress ? (...args) => BigInt(call(...numbers(args))) : (...args) => call(...numbers(args));
    const imports = {};
    for (const {module: from, name} of WebAssembly.Module.imports(module))
      (imports[from] ||= {})[name] = known[name] ||
        (name.startsWith("__syscall_") ? () => BigInt(-ERRNO.ENOSYS) : () => { throw new Error(`the engine asks for ${name}`); });
    return imports;
  }

  run(module) {
    const instance = new WebAssembly.Instance(module, this.imports(module));
    this.exports = instance.exports;
    this.memory = instance.exports.memory;
    instance.exports.__wasm_call_ctors();
    const text = this.args.reduce((sum, a) => sum + new TextEncoder().encode(a).length + 1, 0);
    const at = Number(instance.exports.malloc(BigInt(8 * (this.args.length + 1) + text)));
    this.strings(this.args, at, at + 8 * (this.args.length + 1));
    this.setLong(at + 8 * this.args.length, 0);
    try {
      const code = instance.exports.main(this.args.length, BigInt(at));
      instance.exports.fflush(0n); // of what is still in buffers
      return code;
    } catch (end) {
      if (end instanceof Exit) return end.code;
      throw end;
    }
  }
}

// Runs a command line over a compiled module: its exit code, what it printed, its files. input: what it
// reads from standard input.
function runCommand(module, args, contents = {}, environment = [], input = "") {
  const files = new Files(contents), machine = new Machine(args, files, environment, input);
  const began = performance.now(), code = machine.run(module);
  const text = i => new TextDecoder().decode(machine.printed[i].all);
  return {code, out: text(0), err: text(1), milliseconds: performance.now() - began,
          memory: machine.memory.buffer.byteLength, file: name => files.bytes(name)};
}
