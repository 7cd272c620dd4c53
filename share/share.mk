# For shells and editors. Lists: ./dev sources.


# bash-completion finds a file by the name of the command.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = share/bash-completion/trainspec
# zsh and fish, where Debian's look for what packages bring.
zshcompletiondir = $(datadir)/zsh/vendor-completions
dist_zshcompletion_DATA = share/zsh/_trainspec
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = share/fish/trainspec.fish
# Syntax and file types for editors; doc/editors.md. share/syntax.sh writes the syntax.
EXTRA_DIST += share/syntax.sh
vimftdetectdir = $(pkgdatadir)/vim/ftdetect
dist_vimftdetect_DATA = share/vim/ftdetect/trainspec.vim
vimftplugindir = $(pkgdatadir)/vim/ftplugin
dist_vimftplugin_DATA = share/vim/ftplugin/trainspec.vim
vimsyntaxdir = $(pkgdatadir)/vim/syntax
dist_vimsyntax_DATA = share/vim/syntax/trainspec.vim
vscodedir = $(pkgdatadir)/vscode
dist_vscode_DATA = share/vscode/package.json share/vscode/package-lock.json share/vscode/.vscodeignore share/vscode/README.md share/vscode/test.js \
	share/vscode/language-configuration.json share/vscode/trainspec.tmLanguage.json
vscodesrcdir = $(pkgdatadir)/vscode/src
dist_vscodesrc_DATA = share/vscode/src/extension.js
# A grammar for editors, which tree-sitter makes a parser of; doc/editors.md.
treesitterdir = $(pkgdatadir)/tree-sitter
dist_treesitter_DATA = share/tree-sitter/grammar.js share/tree-sitter/package.json
treesittersrcdir = $(treesitterdir)/src
dist_treesittersrc_DATA = share/tree-sitter/src/scanner.c share/tree-sitter/src/units.h
treesitterqueriesdir = $(treesitterdir)/queries
#: dist_treesitterqueries_DATA = share/tree-sitter/queries/*.scm
dist_treesitterqueries_DATA = \
	share/tree-sitter/queries/folds.scm \
	share/tree-sitter/queries/highlights.scm \
	share/tree-sitter/queries/indents.scm \
	share/tree-sitter/queries/tags.scm \
	share/tree-sitter/queries/textobjects.scm

# A container: docker build -f share/container/Dockerfile .
EXTRA_DIST += share/container/Dockerfile .dockerignore
# For checks of changes; doc/checks.md. pre-commit reads its list at the root of a repository.
githubdir = $(pkgdatadir)/github
dist_github_DATA = share/github/action.yml
dist_github_SCRIPTS = share/github/check.sh
precommitdir = $(pkgdatadir)/pre-commit
dist_precommit_SCRIPTS = share/pre-commit/check share/pre-commit/locked
dist_precommit_DATA = share/pre-commit/words
EXTRA_DIST += .pre-commit-hooks.yaml
# What the programs print as JSON; doc/json.md.
schemasdir = $(pkgdatadir)/schemas
#: dist_schemas_DATA = share/schemas/*.json
dist_schemas_DATA = \
	share/schemas/calibrate.json \
	share/schemas/calibration.json \
	share/schemas/compare.json \
	share/schemas/diagnostics.json \
	share/schemas/diff.json \
	share/schemas/fit.json \
	share/schemas/graph.json \
	share/schemas/journal.json \
	share/schemas/list.json \
	share/schemas/live.json \
	share/schemas/lock.json \
	share/schemas/log.json \
	share/schemas/network.json \
	share/schemas/replay.json \
	share/schemas/report.json \
	share/schemas/schedule.json \
	share/schemas/sweep.json \
	share/schemas/topology.json \
	share/schemas/trace.json

# What OSS-Fuzz builds the fuzz targets with.
#: EXTRA_DIST += share/oss-fuzz/*
EXTRA_DIST += \
	share/oss-fuzz/Dockerfile \
	share/oss-fuzz/README.md \
	share/oss-fuzz/build.sh \
	share/oss-fuzz/project.yaml

# Turns pickled memory snapshots into what `trainspec trace` reads.
dist_pkgdata_SCRIPTS = share/snapshot_to_json.py
install-data-hook:
	for program in tsc tsrun tsfmt; do \
	  (cd "$(DESTDIR)$(bashcompletiondir)" && rm -f $$program && $(LN_S) trainspec $$program) && \
	  (cd "$(DESTDIR)$(fishcompletiondir)" && rm -f $$program.fish && $(LN_S) trainspec.fish $$program.fish) || exit 1; done
# Folders of our own go with the last of their files.
uninstall-hook:
	for program in tsc tsrun tsfmt; do \
	  rm -f "$(DESTDIR)$(bashcompletiondir)/$$program" "$(DESTDIR)$(fishcompletiondir)/$$program.fish"; done
	for folder in $(pkgdatadir) $(docdir); do \
	  test ! -d "$(DESTDIR)$$folder" || find "$(DESTDIR)$$folder" -depth -type d -exec rmdir {} + 2>/dev/null || :; done
