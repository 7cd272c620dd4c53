# Folding, engine, collectives, memory, reports. Lists: ./dev sources.

#: libtrainspec_la_SOURCES += runtime/*.c
libtrainspec_la_SOURCES += \
	runtime/agenda.c \
	runtime/alike.c \
	runtime/allocator.c \
	runtime/blame.c \
	runtime/change.c \
	runtime/collective/alpha_beta.c \
	runtime/collective/bound.c \
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
	runtime/compare.c \
	runtime/compose.c \
	runtime/contention.c \
	runtime/crew.c \
	runtime/critical.c \
	runtime/engine.c \
	runtime/explain.c \
	runtime/fan.c \
	runtime/fold.c \
	runtime/goodput.c \
	runtime/intern.c \
	runtime/kinds.c \
	runtime/layout.c \
	runtime/match.c \
	runtime/memory.c \
	runtime/network_use.c \
	runtime/overlap.c \
	runtime/overlap_pairs.c \
	runtime/plausible.c \
	runtime/play.c \
	runtime/queued.c \
	runtime/ranks.c \
	runtime/report/chrome.c \
	runtime/report/csv.c \
	runtime/report/extras.c \
	runtime/report/facts.c \
	runtime/report/format.c \
	runtime/report/html.c \
	runtime/report/insight.c \
	runtime/report/json.c \
	runtime/report/names.c \
	runtime/report/out_of_memory.c \
	runtime/report/picture.c \
	runtime/report/provenance.c \
	runtime/report/stop.c \
	runtime/report/summary.c \
	runtime/report/text.c \
	runtime/report/topology.c \
	runtime/report/utilization.c \
	runtime/report/ways_out.c \
	runtime/sensitivity.c \
	runtime/slowdown.c \
	runtime/slowdown_fit.c \
	runtime/slowdown_learned.c \
	runtime/spread.c \
	runtime/steps.c \
	runtime/stop.c \
	runtime/tables.c \
	runtime/timeline.c \
	runtime/track.c \
	runtime/warnings.c

#: nobase_pkginclude_HEADERS += runtime/*.h runtime/*.def
nobase_pkginclude_HEADERS += \
	runtime/agenda.h \
	runtime/alike.h \
	runtime/allocator.h \
	runtime/blame.h \
	runtime/change.h \
	runtime/collective/bound.h \
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
	runtime/collective/white_box.h \
	runtime/compare.h \
	runtime/compose.h \
	runtime/contention.h \
	runtime/crew.h \
	runtime/engine.h \
	runtime/engine_internal.h \
	runtime/fan.h \
	runtime/fold.h \
	runtime/goodput.h \
	runtime/intern.h \
	runtime/kinds.h \
	runtime/memory.h \
	runtime/network_use.h \
	runtime/overlap.h \
	runtime/overlap_pairs.h \
	runtime/plausible.h \
	runtime/play.h \
	runtime/progress.h \
	runtime/queued.h \
	runtime/ranks.h \
	runtime/report/extras.h \
	runtime/report/facts.h \
	runtime/report/format.h \
	runtime/report/names.h \
	runtime/report/picture.h \
	runtime/report/report.h \
	runtime/report/summary.h \
	runtime/report/topology.h \
	runtime/report/ways_out.h \
	runtime/result.h \
	runtime/sensitivity.h \
	runtime/slowdown.h \
	runtime/slowdown_fit.h \
	runtime/slowdown_learned.h \
	runtime/spread.h \
	runtime/steps.h \
	runtime/stop.h \
	runtime/tables.h \
	runtime/tables_internal.h \
	runtime/timeline.h \
	runtime/track.h \
	runtime/warnings.h

# Built by itself, so that the rest needs no C++ compiler.
EXTRA_DIST += runtime/collective/packet_ns3.cc
if HAVE_NS3
libtrainspec_la_LIBADD += runtime/collective/packet_ns3.lo $(NS3_LIBS) -lstdc++
runtime/collective/packet_ns3.lo: runtime/collective/packet_ns3.cc runtime/collective/packet_ns3.h runtime/collective/packet.h ir/ir.h
	$(AM_V_GEN)$(MKDIR_P) runtime/collective && $(LIBTOOL) $(AM_V_lt) --tag=CC --mode=compile $(CXX) -std=c++17 -Wall -Wextra $(DEFS) -I$(srcdir) \
	  $(NS3_CFLAGS) $(CPPFLAGS) $(CXXFLAGS) -c -o $@ $(srcdir)/runtime/collective/packet_ns3.cc
endif
