/* Syntax trees of files that a program carries, as numbers: the build parses the texts, which stay
 * the source, and a session makes a tree of the numbers instead of parsing again. Digests of all
 * files likewise. */
#ifndef TS_LANG_STORED_H
#define TS_LANG_STORED_H

#include "base/digest.h"
#include "lang/ast.h"

typedef struct ts_stored_node {
  uint64_t value;                            /* the bytes of ts_ast.u */
  uint32_t begin, end, name_begin, name_end; /* of the spans */
  uint32_t name, literal;                    /* texts of the tree, + 1; 0: none */
  uint32_t child, count;                     /* its first child and how many it has */
  uint32_t flags;
  uint16_t depth;
  uint8_t kind, named; /* named: the name has a place */
  ts_dimension dimension;
} ts_stored_node;

/* Where a tree begins in the arrays that all share. */
typedef struct ts_stored_tree {
  uint32_t node, node_count; /* children before parents; 0: the file has no tree */
  uint32_t child, child_count;
  uint32_t text, text_count;
  uint8_t sha256[TS_DIGEST_SIZE]; /* of the file */
} ts_stored_tree;

typedef struct ts_stored_trees {
  uint32_t count; /* 0: none is stored, texts are parsed */
  const ts_stored_tree *tree;
  const ts_stored_node *node;
  const uint32_t *child; /* nodes of the tree, + 1; 0: an optional one that is absent */
  const uint32_t *text;  /* where it begins in `letters` */
  const char *letters;
} ts_stored_trees;

/* As ts_parse_file for the text that the tree was made of. NULL: it has none. */
ts_ast *ts_stored_file(ts_lang *lang, uint32_t file, const ts_stored_trees *all, size_t tree);

#endif
