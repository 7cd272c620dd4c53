/* Between an editor and the process that works on plans. A plan may be endless, larger than memory
 * or hit a fault of ours: the worker is a child with a limit on memory, and each document has a
 * limit of time. What was open is handed to the next worker, but for the document that ended the
 * last one: that waits for its text to change. So no plan freezes the editor or takes the server
 * away. */
#ifndef TS_TOOLS_LSP_GUARD_H
#define TS_TOOLS_LSP_GUARD_H

#include "tools/lsp/rpc.h"

/* What a worker reports to the guard, besides the messages to the editor: it works on the document
 * `uri` now, or it waits for messages. */
#define LSP_WORKING "$/working"
#define LSP_WAITING "$/waiting"

/* Passes messages between the editor and workers until the editor says `exit` or goes away. Each
 * worker is a child that runs `work` with a wire to here, until that returns, under the program's
 * ceiling of memory (base/heap.h). `seconds`: for a look at a document. Returns an exit code:
 * TS_EXIT_DONE only after `shutdown`, as the protocol asks. */
int lsp_guard(lsp_wire *editor, double seconds, void (*work)(void *context, lsp_wire *wire),
              void *context);

#endif
