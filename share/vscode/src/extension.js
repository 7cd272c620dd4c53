// The client of `trainspec lsp`, and two doors beside a plan: its report and its timeline.
const {execFile} = require('child_process');
const vscode = require('vscode');
const {LanguageClient, CodeLensRequest} = require('vscode-languageclient/node');

let client;
const pages = new Map(); // title -> panel

const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const settings = () => vscode.workspace.getConfiguration('trainspec');

function start() {
  const lenses = settings().get('lenses');
  client = new LanguageClient('trainspec', 'TrainSpec',
    {command: settings().get('path'), args: ['lsp', ...settings().get('arguments')]},
    {documentSelector: [{language: 'trainspec', scheme: 'file'}], initializationOptions: {lenses}});
  return client.start().catch(error => vscode.window.showErrorMessage(
    `TrainSpec's language server did not start: ${error.message}. The setting trainspec.path names the program.`));
}

// `trainspec run` of a plan, as a page beside the file. Without arguments: of the file that is shown.
async function show(title, format, uri, plan) {
  const document = uri ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))
    : vscode.window.activeTextEditor?.document;
  if (!document)
    return;
  if (document.isDirty)
    await document.save();
  const options = ['run', `--format=${format}`, ...settings().get('arguments'), ...(plan ? [`--plan=${plan}`] : []), '--', document.fileName];
  const found = await new Promise(done => execFile(settings().get('path'), options, {maxBuffer: 1 << 28},
    (error, page, messages) => done({page, messages, missing: error?.code === 'ENOENT'})));
  if (!found.page) {
    vscode.window.showErrorMessage(found.missing ? `There is no program ${settings().get('path')}: set trainspec.path.`
      : found.messages.split('\n')[0] || 'TrainSpec has no answer.');
    return;
  }
  const name = `${plan ?? document.fileName.replace(/.*[\\/]/, '')}: ${title}`;
  let panel = pages.get(name);
  if (!panel) {
    panel = vscode.window.createWebviewPanel('trainspec', name, vscode.ViewColumn.Beside, {enableScripts: format === 'html', retainContextWhenHidden: true});
    panel.onDidDispose(() => pages.delete(name));
    pages.set(name, panel);
  }
  // A report brings its own policy, which allows its own script only. A picture has none, and needs none.
  panel.webview.html = format === 'svg' ? `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><body style="background:#fff">${found.page}</body>` : found.page;
}

exports.activate = async context => {
  const command = (name, does) => context.subscriptions.push(vscode.commands.registerCommand(name, does));
  // A button passes the file's address as an object, a lens passes text and the plan's name.
  const door = (title, format) => (uri, plan) => show(title, format, uri?.toString(), typeof plan === 'string' ? plan : undefined);
  command('trainspec.report', door('report', 'html'));
  command('trainspec.timeline', door('timeline', 'svg'));
  command('trainspec.save', async uri => (await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))).save());
  command('trainspec.restart', async () => { await client.stop(); await start(); });
  // The server plays what is saved: its lenses are asked for again then.
  context.subscriptions.push(vscode.workspace.onDidSaveTextDocument(document => {
    if (document.languageId === 'trainspec')
      client.getFeature(CodeLensRequest.method)?.getProvider(document)?.onDidChangeCodeLensEmitter.fire();
  }));
  await start();
};

exports.deactivate = () => client?.stop();
