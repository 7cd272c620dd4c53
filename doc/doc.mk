# Manual and references. Lists: ./dev sources.

#: nobase_dist_doc_DATA += doc/*.md doc/pictures/*.svg doc/pictures/accuracy/*.svg
nobase_dist_doc_DATA += \
	doc/README.md \
	doc/architecture.md \
	doc/calibration.md \
	doc/costs.md \
	doc/diagnostics.md \
	doc/editors.md \
	doc/getting_started.md \
	doc/graph_json.md \
	doc/ir.md \
	doc/language.md \
	doc/limits.md \
	doc/models.md \
	doc/networks.md \
	doc/overlap.md \
	doc/pictures/zb_v.svg \
	doc/reports.md \
	doc/roadmap.md \
	doc/schedules.md \
	doc/strategies.md \
	doc/tracer.md \
	doc/traces.md \
	doc/tutorial.md


#: dist_man_MANS = doc/man/*.1
dist_man_MANS = \
	doc/man/trainspec.1 \
	doc/man/tsc.1 \
	doc/man/tsfmt.1 \
	doc/man/tsrun.1

