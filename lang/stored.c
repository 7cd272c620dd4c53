#include "lang/stored.h"

#include <string.h>

#include "lang/parser.h"

static const char *text_at(const char *const *texts, uint32_t text)
{
  return text ? texts[text - 1] : NULL;
}

ts_ast *ts_stored_file(ts_lang *lang, uint32_t file, const ts_stored_trees *all, size_t tree)
{
  const ts_stored_tree *t = tree < all->count ? &all->tree[tree] : &(ts_stored_tree){0};
  if (!t->node_count)
    return NULL;
  const char **texts = TS_NEW_ARRAY(lang->arena, const char *, t->text_count);
  for (uint32_t i = 0; i < t->text_count; i++) {
    const char *text = all->letters + all->text[t->text + i];
    texts[i] = ts_lang_intern(lang, text, strlen(text));
  }
  ts_ast *nodes = TS_NEW_ARRAY(lang->arena, ts_ast, t->node_count);
  ts_ast **children = TS_NEW_ARRAY(lang->arena, ts_ast *, t->child_count);
  for (uint32_t i = 0; i < t->child_count; i++) {
    uint32_t child = all->child[t->child + i];
    children[i] = child ? &nodes[child - 1] : NULL;
  }
  for (uint32_t i = 0; i < t->node_count; i++) {
    const ts_stored_node *n = &all->node[t->node + i];
    nodes[i] = (ts_ast){.kind = (ts_kind)n->kind,
                        .flags = n->flags,
                        .span = {file, n->begin, n->end},
                        .name_span = {n->named ? file : 0, n->name_begin, n->name_end},
                        .name = text_at(texts, n->name),
                        .dimension = n->dimension,
                        .literal = text_at(texts, n->literal),
                        .depth = n->depth,
                        .count = n->count,
                        .child = n->count ? children + n->child : NULL};
    memcpy(&nodes[i].u, &n->value, sizeof nodes[i].u);
  }
  return &nodes[t->node_count - 1];
}
