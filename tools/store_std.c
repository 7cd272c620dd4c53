/* Run by the build: prints the C file that holds the syntax trees of the standard library
 * (lang/stored.h), one for each file that is named, in their order. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/exit.h"
#include "base/intern.h"
#include "base/output.h"
#include "lang/stored.h"

_Static_assert(sizeof((ts_ast *)0)->u == sizeof(uint64_t), "the value of a node is 64 bits");

typedef struct store {
  ts_arena *arena;
  TS_VEC(ts_stored_tree) trees;
  TS_VEC(ts_stored_node) nodes;
  TS_VEC(uint32_t) children;
  TS_VEC(uint32_t) texts;
  TS_VEC(const char *) spellings; /* of all trees */
  uint32_t letters;
} store;

/* What is being stored. */
typedef struct tree {
  store *all;
  ts_stored_tree at;
  ts_intern nodes, texts; /* their addresses */
} tree;

/* Its number in the tree, + 1. Texts are interned. */
static uint32_t put_text(tree *t, const char *text)
{
  store *all = t->all;
  if (!text)
    return 0;
  uint32_t known = (uint32_t)t->texts.all.count,
           number = ts_intern_bytes(&t->texts, &text, sizeof text);
  if (number < known)
    return number + 1;
  TS_PUSH(all->arena, &all->texts, all->letters);
  TS_PUSH(all->arena, &all->spellings, text);
  all->letters += (uint32_t)strlen(text) + 1;
  return number + 1;
}

/* Its number in the tree, + 1; 0: none. Children come before it. */
static uint32_t put_node(tree *t, const ts_ast *node)
{
  store *all = t->all;
  if (!node)
    return 0;
  uint32_t found = ts_intern_find(&t->nodes, &node, sizeof(const ts_ast *));
  if (found != TS_HASH_NONE)
    return found + 1;
  uint32_t *children = TS_NEW_ARRAY(all->arena, uint32_t, node->count);
  for (uint32_t i = 0; i < node->count; i++)
    children[i] = put_node(t, node->child[i]);
  ts_stored_node n = {.begin = node->span.begin,
                      .end = node->span.end,
                      .name_begin = node->name_span.begin,
                      .name_end = node->name_span.end,
                      .name = put_text(t, node->name),
                      .literal = put_text(t, node->literal),
                      .child = (uint32_t)all->children.count - t->at.child,
                      .count = node->count,
                      .flags = node->flags,
                      .depth = (uint16_t)node->depth,
                      .kind = (uint8_t)node->kind,
                      .named = node->name_span.file != 0,
                      .dimension = node->dimension};
  memcpy(&n.value, &node->u, sizeof n.value);
  for (uint32_t i = 0; i < node->count; i++)
    TS_PUSH(all->arena, &all->children, children[i]);
  TS_PUSH(all->arena, &all->nodes, n);
  return ts_intern_bytes(&t->nodes, &node, sizeof(const ts_ast *)) + 1;
}

static bool is_of_language(const char *path)
{
  size_t length = strlen(path);
  return length > 3 && !strcmp(path + length - 3, ".ts");
}

/* False after a message: it cannot be read, or has errors. */
static bool put_file(store *all, const char *path)
{
  tree t = {.all = all,
            .nodes.arena = all->arena,
            .texts.arena = all->arena,
            .at = {.node = (uint32_t)all->nodes.count,
                   .child = (uint32_t)all->children.count,
                   .text = (uint32_t)all->texts.count}};
  size_t size = 0;
  int error = 0;
  const char *text = ts_read_file(all->arena, path, &size, &error);
  if (!text) {
    ts_put_text(stderr, "%s: %s\n", path, strerror(error));
    return false;
  }
  ts_digest_bytes(text, size, t.at.sha256);
  if (is_of_language(path)) {
    ts_sources *sources = ts_sources_new(all->arena);
    ts_diags *diags = ts_diags_new(all->arena, sources);
    uint32_t file = ts_sources_add(sources, path, "stdlib", text, size);
    put_node(&t, ts_parse_file(ts_lang_new(all->arena, sources, diags), file));
    if (ts_diags_errors(diags) || ts_diags_warnings(diags)) {
      ts_put_text(stderr, "%s: %s\n", path, ts_diags_first_error(diags));
      return false;
    }
  }
  t.at.node_count = (uint32_t)all->nodes.count - t.at.node;
  t.at.child_count = (uint32_t)all->children.count - t.at.child;
  t.at.text_count = (uint32_t)t.texts.all.count;
  TS_PUSH(all->arena, &all->trees, t.at);
  return true;
}

static void print_nodes(const store *all)
{
  printf("static const ts_stored_node nodes[] = {\n");
  for (size_t i = 0; i < all->nodes.count; i++) {
    const ts_stored_node *n = &all->nodes.at[i];
    const ts_dimension *d = &n->dimension;
    printf("{%" PRIu64 "u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,{%d,%d,%d,%d,%d,%d}},\n", n->value,
           n->begin, n->end, n->name_begin, n->name_end, n->name, n->literal, n->child, n->count,
           n->flags, n->depth, n->kind, n->named, d->time, d->bits, d->work, d->money, d->power,
           d->mass);
  }
  printf("};\n");
}

static void print_numbers(const char *name, const uint32_t *number, size_t count)
{
  ts_put_text(stdout, "static const uint32_t %s[] = {\n", name);
  for (size_t i = 0; i < count; i++)
    printf(i % 16 == 15 ? "%u,\n" : "%u,", number[i]);
  printf("0};\n");
}

static void print_letters(const store *all)
{
  printf("static const char letters[] = {\n");
  for (size_t i = 0; i < all->spellings.count; i++) {
    for (const char *c = all->spellings.at[i]; *c; c++)
      printf("%d,", *c);
    printf("0,\n");
  }
  printf("0};\n");
}

static void print_all(const store *all)
{
  printf("/* Made by tools/store_std.c. */\n#include \"compiler/eval/stdlib_embed.h\"\n");
  printf("static const ts_stored_tree trees[] = {\n");
  for (size_t i = 0; i < all->trees.count; i++) {
    const ts_stored_tree *t = &all->trees.at[i];
    printf("{%u,%u,%u,%u,%u,%u,{", t->node, t->node_count, t->child, t->child_count, t->text,
           t->text_count);
    for (int k = 0; k < TS_DIGEST_SIZE; k++)
      printf("%u,", t->sha256[k]);
    printf("}},\n");
  }
  printf("};\n");
  print_nodes(all);
  print_numbers("children", all->children.at, all->children.count);
  print_numbers("texts", all->texts.at, all->texts.count);
  print_letters(all);
  printf("const ts_stored_trees ts_stdlib_trees = {%zu, trees, nodes, children, texts, letters};\n",
         all->trees.count);
}

int main(int argc, char **argv)
{
  store all = {.arena = ts_arena_new("standard library")};
  bool good = true;
  for (int i = 1; i < argc && good; i++)
    good = put_file(&all, argv[i]);
  if (good)
    print_all(&all);
  ts_arena_free(all.arena);
  return good && fflush(stdout) == 0 ? TS_EXIT_DONE : TS_EXIT_ENVIRONMENT;
}
