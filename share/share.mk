# For shells and editors. Lists: ./dev sources.


# bash-completion finds a file by the name of the command.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = share/bash-completion/trainspec
# Syntax and file types for editors; doc/editors.md. share/syntax.sh writes the syntax.
EXTRA_DIST += share/syntax.sh
vimftdetectdir = $(pkgdatadir)/vim/ftdetect
dist_vimftdetect_DATA = share/vim/ftdetect/trainspec.vim
vimftplugindir = $(pkgdatadir)/vim/ftplugin
dist_vimftplugin_DATA = share/vim/ftplugin/trainspec.vim
vimsyntaxdir = $(pkgdatadir)/vim/syntax
dist_vimsyntax_DATA = share/vim/syntax/trainspec.vim
vscodedir = $(pkgdatadir)/vscode
dist_vscode_DATA = share/vscode/package.json share/vscode/language-configuration.json share/vscode/trainspec.tmLanguage.json
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
	  (cd "$(DESTDIR)$(bashcompletiondir)" && rm -f $$program && $(LN_S) trainspec $$program) || exit 1; done
# Folders of our own go with the last of their files.
uninstall-hook:
	for program in tsc tsrun tsfmt; do rm -f "$(DESTDIR)$(bashcompletiondir)/$$program"; done
	for folder in $(pkgdatadir) $(docdir); do \
	  test ! -d "$(DESTDIR)$$folder" || find "$(DESTDIR)$$folder" -depth -type d -exec rmdir {} + 2>/dev/null || :; done
