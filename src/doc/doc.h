/* Documents: YAML 1.1 (and JSON, its subset) as a tree whose every node knows its line and column.
 *
 * Hostile input is bounded: bytes, depth, nodes, and the size after alias expansion. Duplicate keys, more than one
 * document, merge keys and tags other than the core ones are errors with positions. */
#ifndef HELIA_DOC_DOC_H
#define HELIA_DOC_DOC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/attributes.h"
#include "diag/diag.h"

enum node_kind { NODE_SCALAR, NODE_SEQUENCE, NODE_MAPPING };

struct node;

struct node_pair {
    const struct node *key; /* always a scalar */
    const struct node *value;
};

struct node {
    enum node_kind kind;
    struct span span;
    const char *text; /* scalar: NUL-terminated UTF-8 */
    bool plain;       /* scalar written without quotes: 'null' and 'true' are words only then */
    union {
        const struct node **items; /* sequence */
        struct node_pair *pairs;   /* mapping, in the order written */
    };
    size_t count;
};

#define DOC_BYTES_LIMIT ((size_t)256 << 20)
#define DOC_DEPTH_LIMIT 64
#define DOC_NODES_LIMIT ((size_t)16 << 20) /* after alias expansion */

/* Reads one document from source `source` of the sink. An empty text gives an empty mapping. */
MUST_CHECK bool doc_parse(struct arena *arena, struct diagnostics *diagnostics, uint32_t source, const struct node **root);

/* Opens, registers and parses a file; a file that cannot be read is reported as file-unreadable at `span`. */
MUST_CHECK bool doc_read(struct arena *arena, struct diagnostics *diagnostics, const char *path, struct span span,
                         const struct node **root);

/* NULL if `node` is no mapping or has no such key. */
const struct node *node_get(const struct node *node, const char *key);
/* Follows "a.b.c"; NULL if a step is missing. A number steps into a list. */
const struct node *node_find(const struct node *node, const char *dotted_path);
/* True for an unquoted null, Null, NULL, ~ or nothing. */
bool node_is_null(const struct node *node);
/* "a mapping", "a list", "text", "null", for messages. */
const char *node_kind_name(const struct node *node);
/* A text of a document as messages show it: control characters become '?', what is longer than 80 bytes is cut. */
const char *node_printable(struct arena *arena, const char *text);

/* A copy of `root` in which `dotted_path` holds `value`; missing mappings are made, an existing value is replaced. Nothing is
 * changed in place. Reports (at value->span) a step through something that is no mapping. Keys are the literal
 * text between dots; a number steps into a list. */
MUST_CHECK bool node_with(struct arena *arena, struct diagnostics *diagnostics, const struct node *root, const char *dotted_path,
                          const struct node *value, const struct node **result);

/* `over` on top of `under`, mapping by mapping, key by key; lists and scalars are replaced whole. Either may be NULL. */
const struct node *node_overlay(struct arena *arena, const struct node *under, const struct node *over);

/* What stands for two values of one key. */
typedef const struct node *node_join(struct arena *arena, const char *key, const struct node *under, const struct node *over);
/* The keys of both mappings, those of `under` first; what both have is joined. */
const struct node *node_merge(struct arena *arena, const struct node *under, const struct node *over, node_join *join);

#endif
