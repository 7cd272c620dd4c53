# Manual and references. Lists: ./dev sources.

#: nobase_dist_doc_DATA += doc/*.md
nobase_dist_doc_DATA += \
	doc/architecture.md \
	doc/language.md \
	doc/roadmap.md

