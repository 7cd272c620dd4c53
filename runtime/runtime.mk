# Folding, engine, collectives, memory, reports. Lists: ./dev sources.

#: libts_a_SOURCES += runtime/*.c runtime/*.h runtime/*.def
libts_a_SOURCES += \
	runtime/account/allocator.c \
	runtime/account/allocator.h \
	runtime/account/blame.c \
	runtime/account/blame.h \
	runtime/account/calibrated.c \
	runtime/account/calibrated.h \
	runtime/account/changes.c \
	runtime/account/changes.h \
	runtime/account/compose.c \
	runtime/account/compose.h \
	runtime/account/confidence.c \
	runtime/account/confidence.h \
	runtime/account/critical.c \
	runtime/account/energy.c \
	runtime/account/energy.h \
	runtime/account/forecast.c \
	runtime/account/forecast.h \
	runtime/account/labels.c \
	runtime/account/labels.h \
	runtime/account/link_use.c \
	runtime/account/link_use.h \
	runtime/account/lower_bounds.c \
	runtime/account/lower_bounds.h \
	runtime/account/memory.c \
	runtime/account/memory.h \
	runtime/account/modules.c \
	runtime/account/modules.h \
	runtime/account/network_use.c \
	runtime/account/network_use.h \
	runtime/account/op_marks.c \
	runtime/account/op_marks.h \
	runtime/account/overlap_cost.c \
	runtime/account/overlap_cost.h \
	runtime/account/peak.c \
	runtime/account/peak.h \
	runtime/account/peak_items.c \
	runtime/account/peak_items.h \
	runtime/account/program_calls.c \
	runtime/account/program_calls.h \
	runtime/account/queued.c \
	runtime/account/queued.h \
	runtime/account/representatives.c \
	runtime/account/representatives.h \
	runtime/account/result.h \
	runtime/account/rounds.c \
	runtime/account/rounds.h \
	runtime/account/run.c \
	runtime/account/run.h \
	runtime/account/time_bound.c \
	runtime/account/time_bound.h \
	runtime/account/timeline.c \
	runtime/account/timeline.h \
	runtime/collective/algorithm.h \
	runtime/collective/algorithm_aggregated.c \
	runtime/collective/algorithm_fabric.c \
	runtime/collective/algorithm_halving.c \
	runtime/collective/algorithm_hierarchical.c \
	runtime/collective/algorithm_one_shot.c \
	runtime/collective/algorithm_pairs.c \
	runtime/collective/algorithm_ring.c \
	runtime/collective/algorithm_switch.c \
	runtime/collective/algorithm_tree.c \
	runtime/collective/alpha_beta.c \
	runtime/collective/alpha_beta.h \
	runtime/collective/bound.c \
	runtime/collective/bound.h \
	runtime/collective/call.c \
	runtime/collective/call.h \
	runtime/collective/flow.c \
	runtime/collective/flow.h \
	runtime/collective/flow_alike.c \
	runtime/collective/flow_alike.h \
	runtime/collective/flow_model.c \
	runtime/collective/flow_model.h \
	runtime/collective/flow_pattern.c \
	runtime/collective/flow_pattern.h \
	runtime/collective/flow_traffic.c \
	runtime/collective/flow_traffic.h \
	runtime/collective/follow.c \
	runtime/collective/follow.h \
	runtime/collective/graph.c \
	runtime/collective/graph.h \
	runtime/collective/links.c \
	runtime/collective/links.h \
	runtime/collective/making.h \
	runtime/collective/network.c \
	runtime/collective/network.h \
	runtime/collective/network_internal.h \
	runtime/collective/packet.c \
	runtime/collective/packet.h \
	runtime/collective/packet_model.c \
	runtime/collective/packet_model.h \
	runtime/collective/packet_ns3.h \
	runtime/collective/packet_processes.c \
	runtime/collective/packet_processes.h \
	runtime/collective/plain_cluster.c \
	runtime/collective/plain_cluster.h \
	runtime/collective/profile.c \
	runtime/collective/profile.h \
	runtime/collective/requested.c \
	runtime/collective/requested.h \
	runtime/collective/sends.c \
	runtime/collective/sends.h \
	runtime/collective/statistical.c \
	runtime/collective/statistical.h \
	runtime/collective/table.c \
	runtime/collective/table.h \
	runtime/collective/white_box.c \
	runtime/collective/white_box.h \
	runtime/load/event_queue.c \
	runtime/load/event_queue.h \
	runtime/load/layout.c \
	runtime/load/match.c \
	runtime/load/ranks.c \
	runtime/load/ranks.h \
	runtime/load/stop.c \
	runtime/load/stop.h \
	runtime/load/tables.c \
	runtime/load/tables.h \
	runtime/load/tables_internal.h \
	runtime/load/workers.c \
	runtime/load/workers.h \
	runtime/pipeline/bound.c \
	runtime/pipeline/bound.h \
	runtime/pipeline/in_flight.c \
	runtime/pipeline/in_flight.h \
	runtime/pipeline/internal.h \
	runtime/pipeline/list.c \
	runtime/pipeline/memory_bound.c \
	runtime/pipeline/pipeline.h \
	runtime/pipeline/play.c \
	runtime/pipeline/problem.c \
	runtime/pipeline/problem.h \
	runtime/pipeline/search.c \
	runtime/play/at_once.c \
	runtime/play/at_once.h \
	runtime/play/contention.c \
	runtime/play/contention.h \
	runtime/play/engine.c \
	runtime/play/engine.h \
	runtime/play/engine_internal.h \
	runtime/play/explain.c \
	runtime/play/fan_out.c \
	runtime/play/fan_out.h \
	runtime/play/fold.c \
	runtime/play/fold.h \
	runtime/play/fold_links.c \
	runtime/play/fold_links.h \
	runtime/play/fragment_map.c \
	runtime/play/fragment_map.h \
	runtime/play/lanes.c \
	runtime/play/lanes.h \
	runtime/play/node.h \
	runtime/play/options.h \
	runtime/play/overlap.c \
	runtime/play/overlap.h \
	runtime/play/overlap_pairs.c \
	runtime/play/overlap_pairs.h \
	runtime/play/partition.c \
	runtime/play/partition.h \
	runtime/play/play.c \
	runtime/play/play.h \
	runtime/play/process.c \
	runtime/play/process.h \
	runtime/play/repeats.c \
	runtime/play/repeats.h \
	runtime/play/roles.c \
	runtime/play/roles.h \
	runtime/play/sharing.c \
	runtime/play/sharing.h \
	runtime/play/slowdown.c \
	runtime/play/slowdown.h \
	runtime/play/slowdown_learned.c \
	runtime/play/slowdown_learned.h \
	runtime/play/thread_pool.c \
	runtime/play/thread_pool.h \
	runtime/play/track.c \
	runtime/play/track.h \
	runtime/report/bisection.c \
	runtime/report/bisection.h \
	runtime/report/calibrated.c \
	runtime/report/calibrated.h \
	runtime/report/chrome.c \
	runtime/report/confidence.c \
	runtime/report/confidence.h \
	runtime/report/csv.c \
	runtime/report/extras.c \
	runtime/report/extras.h \
	runtime/report/facts.c \
	runtime/report/facts.h \
	runtime/report/figures.c \
	runtime/report/gzip.c \
	runtime/report/gzip.h \
	runtime/report/html.c \
	runtime/report/insight.c \
	runtime/report/json.c \
	runtime/report/links.c \
	runtime/report/links.h \
	runtime/report/lock.c \
	runtime/report/lock.h \
	runtime/report/members.c \
	runtime/report/members.h \
	runtime/report/modules.c \
	runtime/report/modules.h \
	runtime/report/out_of_memory.c \
	runtime/report/page.h \
	runtime/report/page_data.c \
	runtime/report/page_frame.c \
	runtime/report/page_lanes.c \
	runtime/report/page_lanes.h \
	runtime/report/picture.c \
	runtime/report/picture.h \
	runtime/report/plausible.c \
	runtime/report/plausible.h \
	runtime/report/provenance.c \
	runtime/report/report.h \
	runtime/report/runs.c \
	runtime/report/runs.h \
	runtime/report/stop.c \
	runtime/report/summary.c \
	runtime/report/summary.h \
	runtime/report/text.c \
	runtime/report/text_timeline.c \
	runtime/report/topology.c \
	runtime/report/topology.h \
	runtime/report/topology_fold.c \
	runtime/report/topology_fold.h \
	runtime/report/topology_page.c \
	runtime/report/topology_svg.c \
	runtime/report/utilization.c \
	runtime/report/warnings.c \
	runtime/report/warnings.h \
	runtime/report/ways_out.c \
	runtime/report/ways_out.h \
	runtime/report/window.h \
	runtime/study/change.c \
	runtime/study/change.h \
	runtime/study/compare.c \
	runtime/study/compare.h \
	runtime/study/goodput.c \
	runtime/study/goodput.h \
	runtime/study/sensitivity.c \
	runtime/study/sensitivity.h \
	runtime/study/spread.c \
	runtime/study/spread.h \
	runtime/study/steps.c \
	runtime/study/steps.h

# Built by itself, so that the rest needs no C++ compiler.
EXTRA_DIST += runtime/collective/packet_ns3.cc
if HAVE_NS3
libts_a_LIBADD += runtime/collective/packet_ns3.o
ts_libs += $(NS3_LIBS) -lstdc++
runtime/collective/packet_ns3.o: runtime/collective/packet_ns3.cc runtime/collective/packet_ns3.h runtime/collective/packet.h ir/ir.h
	$(AM_V_GEN)$(MKDIR_P) runtime/collective && $(CXX) -std=c++17 -fPIC -Wall -Wextra $(DEFS) -I$(srcdir) \
	  $(NS3_CFLAGS) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $(srcdir)/runtime/collective/packet_ns3.cc
endif

# The page's style and scripts, embedded as they are; scripts in the order of their names.
#: page_styles = runtime/report/page/*.css
page_styles = \
	runtime/report/page/page.css \
	runtime/report/page/topology.css

#: page_scripts = runtime/report/page/*.js :!runtime/report/page/cluster/*
page_scripts = \
	runtime/report/page/colours.js \
	runtime/report/page/data.js \
	runtime/report/page/figures.js \
	runtime/report/page/format.js \
	runtime/report/page/memory.js \
	runtime/report/page/sequence.js \
	runtime/report/page/start.js \
	runtime/report/page/timeline.js \
	runtime/report/page/timeline_draw.js \
	runtime/report/page/timeline_inspect.js \
	runtime/report/page/timeline_sums.js \
	runtime/report/page/topology.js

# The page of a cluster has what it needs of them.
cluster_scripts = runtime/report/page/format.js runtime/report/page/colours.js runtime/report/page/sequence.js \
	runtime/report/page/topology.js runtime/report/page/cluster/start.js

EXTRA_DIST += $(page_styles) $(page_scripts) runtime/report/page/cluster/start.js tools/embed_text.awk
nodist_libts_a_SOURCES += runtime/report/page_files.c
CLEANFILES += runtime/report/page_files.c
runtime/report/page_files.c: $(page_styles) $(page_scripts) $(cluster_scripts) runtime/runtime.mk tools/embed_text.awk
	$(AM_V_GEN)$(MKDIR_P) runtime/report && { echo '#include "runtime/report/page.h"' && \
	  (cd $(srcdir) && $(AWK) -v name=ts_page_style -f tools/embed_text.awk $(page_styles)) && \
	  (cd $(srcdir) && $(AWK) -v name=ts_page_script -f tools/embed_text.awk $(page_scripts)) && \
	  (cd $(srcdir) && $(AWK) -v name=ts_topology_script -f tools/embed_text.awk $(cluster_scripts)); } > $@.tmp && mv $@.tmp $@
