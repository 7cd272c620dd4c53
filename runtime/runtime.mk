# Folding, engine, collectives, memory, reports. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += runtime/*.c
libtrainspec_la_SOURCES += \
	runtime/account/allocator.c \
	runtime/account/blame.c \
	runtime/account/compose.c \
	runtime/account/critical.c \
	runtime/account/memory.c \
	runtime/account/network_use.c \
	runtime/account/overlap_cost.c \
	runtime/account/queued.c \
	runtime/account/representatives.c \
	runtime/account/run.c \
	runtime/account/timeline.c \
	runtime/collective/alpha_beta.c \
	runtime/collective/asked.c \
	runtime/collective/bound.c \
	runtime/collective/call.c \
	runtime/collective/flow.c \
	runtime/collective/flow_model.c \
	runtime/collective/flow_pattern.c \
	runtime/collective/flow_traffic.c \
	runtime/collective/follow.c \
	runtime/collective/graph.c \
	runtime/collective/network.c \
	runtime/collective/packet.c \
	runtime/collective/packet_model.c \
	runtime/collective/profile.c \
	runtime/collective/statistical.c \
	runtime/collective/table.c \
	runtime/collective/white_box.c \
	runtime/load/event_queue.c \
	runtime/load/intern.c \
	runtime/load/layout.c \
	runtime/load/match.c \
	runtime/load/ranks.c \
	runtime/load/stop.c \
	runtime/load/tables.c \
	runtime/load/workers.c \
	runtime/play/contention.c \
	runtime/play/engine.c \
	runtime/play/explain.c \
	runtime/play/fan.c \
	runtime/play/fold.c \
	runtime/play/overlap.c \
	runtime/play/overlap_pairs.c \
	runtime/play/play.c \
	runtime/play/roles.c \
	runtime/play/slowdown.c \
	runtime/play/slowdown_learned.c \
	runtime/play/track.c \
	runtime/report/chrome.c \
	runtime/report/csv.c \
	runtime/report/extras.c \
	runtime/report/facts.c \
	runtime/report/html.c \
	runtime/report/insight.c \
	runtime/report/json.c \
	runtime/report/out_of_memory.c \
	runtime/report/picture.c \
	runtime/report/plausible.c \
	runtime/report/provenance.c \
	runtime/report/stop.c \
	runtime/report/summary.c \
	runtime/report/text.c \
	runtime/report/topology.c \
	runtime/report/utilization.c \
	runtime/report/warnings.c \
	runtime/report/ways_out.c \
	runtime/study/change.c \
	runtime/study/compare.c \
	runtime/study/goodput.c \
	runtime/study/sensitivity.c \
	runtime/study/spread.c \
	runtime/study/steps.c

#: nobase_pkginclude_HEADERS += runtime/*.h runtime/*.def
nobase_pkginclude_HEADERS += \
	runtime/account/allocator.h \
	runtime/account/blame.h \
	runtime/account/compose.h \
	runtime/account/memory.h \
	runtime/account/network_use.h \
	runtime/account/overlap_cost.h \
	runtime/account/queued.h \
	runtime/account/representatives.h \
	runtime/account/result.h \
	runtime/account/run.h \
	runtime/account/timeline.h \
	runtime/collective/alpha_beta.h \
	runtime/collective/asked.h \
	runtime/collective/bound.h \
	runtime/collective/call.h \
	runtime/collective/flow.h \
	runtime/collective/flow_model.h \
	runtime/collective/flow_pattern.h \
	runtime/collective/flow_traffic.h \
	runtime/collective/follow.h \
	runtime/collective/graph.h \
	runtime/collective/network.h \
	runtime/collective/network_internal.h \
	runtime/collective/packet.h \
	runtime/collective/packet_model.h \
	runtime/collective/packet_ns3.h \
	runtime/collective/profile.h \
	runtime/collective/statistical.h \
	runtime/collective/table.h \
	runtime/collective/white_box.h \
	runtime/load/event_queue.h \
	runtime/load/intern.h \
	runtime/load/progress.h \
	runtime/load/ranks.h \
	runtime/load/stop.h \
	runtime/load/tables.h \
	runtime/load/tables_internal.h \
	runtime/load/workers.h \
	runtime/play/contention.h \
	runtime/play/engine.h \
	runtime/play/engine_internal.h \
	runtime/play/fan.h \
	runtime/play/fold.h \
	runtime/play/options.h \
	runtime/play/overlap.h \
	runtime/play/overlap_pairs.h \
	runtime/play/play.h \
	runtime/play/roles.h \
	runtime/play/slowdown.h \
	runtime/play/slowdown_learned.h \
	runtime/play/track.h \
	runtime/report/extras.h \
	runtime/report/facts.h \
	runtime/report/picture.h \
	runtime/report/plausible.h \
	runtime/report/report.h \
	runtime/report/summary.h \
	runtime/report/topology.h \
	runtime/report/warnings.h \
	runtime/report/ways_out.h \
	runtime/study/change.h \
	runtime/study/compare.h \
	runtime/study/goodput.h \
	runtime/study/sensitivity.h \
	runtime/study/spread.h \
	runtime/study/steps.h

# Built by itself, so that the rest needs no C++ compiler.
EXTRA_DIST += runtime/collective/packet_ns3.cc
if HAVE_NS3
libtrainspec_la_LIBADD += runtime/collective/packet_ns3.lo $(NS3_LIBS) -lstdc++
runtime/collective/packet_ns3.lo: runtime/collective/packet_ns3.cc runtime/collective/packet_ns3.h runtime/collective/packet.h ir/ir.h
	$(AM_V_GEN)$(MKDIR_P) runtime/collective && $(LIBTOOL) $(AM_V_lt) --tag=CC --mode=compile $(CXX) -std=c++17 -Wall -Wextra $(DEFS) -I$(srcdir) \
	  $(NS3_CFLAGS) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $(srcdir)/runtime/collective/packet_ns3.cc
endif
