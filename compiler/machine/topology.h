/* topology("system.xml"): a node as a collective library sees it, as a record of the language. */
#ifndef TS_COMPILER_MACHINE_TOPOLOGY_H
#define TS_COMPILER_MACHINE_TOPOLOGY_H

#include "compiler/eval/function.h"

ts_value ts_builtin_topology(const ts_builtin_call *c);

#endif
