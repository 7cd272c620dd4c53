// The bundled extension with the real server, in an editor made up: what it opens is understood, lenses come, a page is shown.
// TRAINSPEC names the program (trainspec).
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const Module = require('module');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainspec-'));
const file = path.join(folder, 'tiny.trainspec');
fs.writeFileSync(file, `import std.models.gpt, std.clusters.dgx, std.costs.sources, std.optimizers.adam
plan tiny(tp: Int = 1) {
  model = gpt(layers: 2, hidden: 768, heads: 12, vocab: 50304, seq: 1024)
  cluster = dgx_a100(nodes: 1)
  mesh = { tp }
  batch = { micro: 1, global: 8 }
  optimizer = adam()
  costs = [roofline(a100_sxm_80g)]
}
`);

const done = {commands: {}, providers: {}, panels: [], errors: []};
const nothing = {dispose() {}};
const event = () => nothing;
class Plain { constructor(...values) { this.values = values; } }
class Emitter { constructor() { this.listeners = []; this.event = l => { this.listeners.push(l); return nothing; }; } fire(e) { this.listeners.forEach(l => l(e)); } dispose() {} }
class Position { constructor(line, character) { Object.assign(this, {line, character}); } }
class Range { constructor(start, end) { Object.assign(this, {start, end}); } }
class CodeLens { constructor(range, command) { Object.assign(this, {range, command}); } }
const uri = {scheme: 'file', fsPath: file, path: file, toString: () => `file://${file}`};
const document = {uri, fileName: file, languageId: 'trainspec', version: 1, isDirty: false, getText: () => fs.readFileSync(file, 'utf8'), save: async () => true};
const collection = {set() {}, delete() {}, clear() {}, dispose() {}, forEach() {}, get: () => []};
// Anything that is not named: a class, a function, or an enumeration, as it is used.
const anything = name => new Proxy(class extends Plain {}, {get: (t, key) => key in t || typeof key === 'symbol' ? t[key] : `${name}.${String(key)}`});
const overrides = {
  window: {activeTextEditor: {document}, visibleTextEditors: [], tabGroups: {all: [], onDidChangeTabs: event, onDidChangeTabGroups: event}, onDidChangeActiveTextEditor: event, onDidChangeVisibleTextEditors: event,
    createOutputChannel: () => ({append() {}, appendLine() {}, replace() {}, clear() {}, show() {}, hide() {}, dispose() {}}),
    showErrorMessage: async text => { done.errors.push(text); }, showWarningMessage: async () => {}, showInformationMessage: async () => {},
    createWebviewPanel: (...a) => { const panel = {webview: {html: ''}, options: a[3], title: a[1], onDidDispose: event}; done.panels.push(panel); return panel; }},
  workspace: {textDocuments: [document], notebookDocuments: [], workspaceFolders: undefined, getWorkspaceFolder: () => undefined,
    getConfiguration: () => ({get: name => ({path: process.env.TRAINSPEC || 'trainspec', arguments: [], lenses: true})[name]}),
    openTextDocument: async () => document, createFileSystemWatcher: () => ({onDidCreate: event, onDidChange: event, onDidDelete: event, dispose() {}})},
  commands: {registerCommand: (name, does) => { done.commands[name] = does; return nothing; }, executeCommand: async () => {}},
  languages: {match: () => 10, createDiagnosticCollection: () => ({...collection, set: (...a) => { done.diagnostics = a; }}),
    registerCodeLensProvider: (_, provider) => { done.providers.lens = provider; return nothing; },
    registerHoverProvider: (_, provider) => { done.providers.hover = provider; return nothing; }},
  env: {language: 'en', appName: 'test', clipboard: {}, openExternal: async () => true}, version: '1.82.0', extensions: {all: [], getExtension: () => undefined},
  Uri: {parse: () => uri, file: () => uri}, EventEmitter: Emitter, Position, Range, CodeLens,
  CancellationTokenSource: class { token = {isCancellationRequested: false, onCancellationRequested: event}; cancel() {} dispose() {} },
};
const open = (object, name) => new Proxy(object, {get: (t, key) => key in t ? t[key]
  : typeof key === 'symbol' ? undefined : /^(on|register)[A-Z]/.test(key) ? event : anything(`${name}.${key}`)});
const vscode = new Proxy(overrides, {get: (t, key) => !(key in t) ? anything(String(key))
  : ['window', 'workspace', 'languages', 'commands'].includes(key) ? open(t[key], key) : t[key]});

const load = Module._load;
Module._load = (name, ...rest) => name === 'vscode' ? vscode : load(name, ...rest);

(async () => {
  const extension = require('./dist/extension.js');
  await extension.activate({subscriptions: []});
  assert.deepStrictEqual(done.errors, []);
  const token = {isCancellationRequested: false, onCancellationRequested: event};
  const lenses = await done.providers.lens.provideCodeLenses(document, token);
  assert.match(lenses[0].command.title, /^[0-9.]+ m?s a step \| [0-9.]+ GiB of [0-9.]+ GiB$/);
  await done.commands[lenses[0].command.command](...lenses[0].command.arguments);
  assert.match(done.panels[0].webview.html, /^<!DOCTYPE html/);
  assert.match(done.panels[0].webview.html, /Content-Security-Policy/);
  await done.commands[lenses[1].command.command](...lenses[1].command.arguments);
  assert.match(done.panels[1].webview.html, /Content-Security-Policy[^]*<svg/);
  assert.strictEqual(done.panels[1].options.enableScripts, false);
  assert.deepStrictEqual(done.errors, []);
  await extension.deactivate();
  fs.rmSync(folder, {recursive: true});
  console.log('the extension starts the server, shows lenses, report and timeline');
})().catch(error => { console.error(error); process.exitCode = 1; }).finally(() => setTimeout(() => process.exit(), 100));
