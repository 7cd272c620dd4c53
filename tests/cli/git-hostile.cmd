# Folders of strangers whose repository names commands, seen by all that reads repositories: none of the commands runs, and what is not at hand is said.
if ! command -v git >/dev/null || ! command -v jq >/dev/null; then cat git-hostile.out; exit; fi
scratch=$(mktemp -d "$scratch/XXXXXX"); trap 'rm -rf "$scratch"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME="$scratch" RAN="$scratch/RAN"
hooks=$(cd ../.. && pwd)/share; from=$PWD
mkdir "$scratch/bin"; printf '#!/bin/sh\ntouch "$RAN"\n' >"$scratch/bin/ran"; chmod +x "$scratch/bin/ran"; ran=$scratch/bin/ran
configure() { # GIT-FOLDER BARE URL: every key that names a command
  mkdir -p "$1/hooks" "$1/objects/info" "$1/refs/heads" "$1/info"; [ -e "$1/HEAD" ] || echo 'ref: refs/heads/main' >"$1/HEAD"
  for hook in post-checkout post-index-change reference-transaction pre-auto-gc; do cp "$ran" "$1/hooks/$hook"; done
  echo '* filter=evil diff=evil' >"$1/info/attributes"
  cat >"$1/config" <<END
[core]
	repositoryformatversion = 1
	bare = $2
	fsmonitor = $ran
	sshCommand = $ran
	gitProxy = $ran
	askPass = $ran
	pager = $ran
	editor = $ran
	hooksPath = $1/hooks
	alternateRefsCommand = $ran
[extensions]
	partialClone = origin
[remote "origin"]
	url = $3
	promisor = true
	uploadpack = $ran
	vcs = evil
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[filter "evil"]
	clean = $ran
	smudge = $ran
	process = $ran
	required = true
[diff]
	external = $ran
[diff "evil"]
	textconv = $ran
	command = $ran
[credential]
	helper = !$ran
[pager]
	cat-file = $ran
[alias]
	cat-file = !$ran
	rev-parse = !$ran
[gpg]
	program = $ran
[uploadpack]
	packObjectsHook = $ran
END
  [ "$3" = vcs ] || sed -i '/vcs = evil/d' "$1/config"
}
PATH=$scratch/bin:$PATH; cp "$ran" "$scratch/bin/git-remote-evil"
try() { # COMMAND...: what it says of git, whether a command ran
  rm -f "$RAN"; "$@" >"$scratch/said" 2>&1 </dev/null; status=$?
  said=$(grep -oE 'its old content is not at hand|at hand: check out.*|moved the step by [^,]*' "$scratch/said" | sort -u | paste -sd ';')
  [ ! -e "$RAN" ] || said="A COMMAND OF THE FOLDER RAN"; echo "  ${1##*/}: exit $status; $said"
}
all() {
  try tsrun --locked plan.ts; try trainspec lock --check plan.ts; try "$hooks/pre-commit/locked" plan.ts
  try env PLANS=plan.ts FORMAT=false LOCKED=false BEFORE=main RUNNER_TEMP="$scratch" bash "$hooks/github/check.sh"
}
folder() { rm -rf "$scratch/plans"; mkdir "$scratch/plans"; cp "$from/_plan.ts" "$scratch/plans/plan.ts"; cp "$from/_sizes.ts" "$from/_ops.csv" "$scratch/plans"; cd "$scratch/plans" && trainspec lock plan.ts 2>/dev/null; }
change() { sed -i 's@layers: Int = 2@layers: Int = 3@' plan.ts; echo '# later' >>_ops.csv; }
for url in "$scratch/plans" ext::ran ssh://host/x vcs; do
  folder; change; configure "$PWD" true "$url"; echo "== like a bare repository, ${url##*/}"; all
  folder; change; configure "$PWD/.git" false "$url"; echo "== a repository, ${url##*/}"; all
done
folder; change; configure "$scratch/plans/away" false "$scratch"; echo 'gitdir: away' >.git; echo "== a repository elsewhere"; all
# One with all objects: they are read, and still no command runs.
folder; git init -q .; git add .; git -c user.name=a -c user.email=a@b commit -qm one; git branch -qM main
change; configure "$PWD/.git" false "$PWD"; echo "== a whole repository"; all
# What never ends, or is too large.
folder; change; mkdir -p .git/objects/info .git/refs; echo 'ref: refs/heads/main' >.git/HEAD; ln -s /dev/zero .git/objects/info/alternates; echo "== endless"; try trainspec lock --check plan.ts
