# For shells and editors. Lists: ./dev sources.


# bash-completion finds a file by the name of the command.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = share/bash-completion/trainspec
# Turns pickled memory snapshots into what `trainspec trace` reads.
dist_pkgdata_SCRIPTS = share/snapshot_to_json.py
install-data-hook:
	for program in tsc tsrun tsfmt; do \
	  (cd "$(DESTDIR)$(bashcompletiondir)" && rm -f $$program && $(LN_S) trainspec $$program) || exit 1; done
uninstall-hook:
	for program in tsc tsrun tsfmt; do rm -f "$(DESTDIR)$(bashcompletiondir)/$$program"; done
