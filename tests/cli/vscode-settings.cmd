# Settings that reach a command line are the user's: a workspace, which may be a stranger's, has no say. Pictures have no scripts.
command -v jq >/dev/null || { cat vscode-settings.out; exit; }
cd ../../share/vscode; jq -c '.contributes.configuration.properties | to_entries[] | select(.value.type != "boolean") | [.key, .value.scope]' package.json
jq -c '.capabilities.untrustedWorkspaces.restrictedConfigurations' package.json
grep -o "enableScripts: [^,}]*\|'--', document.fileName\|default-src 'none'" src/extension.js
