/* The compiler's messages as an editor shows them. */
#ifndef TS_TOOLS_LSP_MESSAGES_H
#define TS_TOOLS_LSP_MESSAGES_H

#include "tools/lsp/documents.h"
#include "tools/lsp/rpc.h"

/* Tells what is wrong with a document: its own messages, and those of files that it imports and
 * that are not open. Files that had messages of it get an empty list. */
void lsp_tell(const lsp_documents *all, lsp_document *d, lsp_wire *wire);
/* Edits that messages between two places suggest, as CodeActions. */
cJSON *lsp_fixes(const lsp_documents *all, const lsp_document *d, uint32_t begin, uint32_t end);

#endif
