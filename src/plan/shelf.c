#include "plan/shelf.h"

#include <stdbool.h>
#include <string.h>

#include "base/size.h"
#include "placement/placement.h"

/* Extents in a block: long enough to make the tree small and the walk straight, short enough to shift. */
#define BLOCK_SIZE 64u

/* What extents have in common. */
struct summary {
    uint64_t lowest; /* offset of the lowest; UINT64_MAX if there is none */
    uint64_t top;
    uint32_t first_start, last_start;
    uint32_t first_end, last_end;
    uint32_t first_position, last_position;
    uint64_t *widest;        /* by alignment: the widest gap between them, from the first aligned byte in it */
    struct columns *columns; /* NULL if the shelf has no grid */
};

/* A block holds the extents from its bound up to the next block's; it may be empty. The tree is an AA tree: its depth is at most
 * twice the logarithm of the number of blocks. */
struct shelf_block {
    struct shelf_block *left;
    struct shelf_block *right;
    uint32_t level;
    uint32_t count;
    uint64_t bound_offset;
    uint32_t bound_item;
    struct summary own;
    struct summary all; /* own and everything below */
    struct shelf_extent extents[BLOCK_SIZE];
};

/* ---- summaries ---- */

static void summary_clear(const struct shelf *shelf, struct summary *summary)
{
    *summary = (struct summary){
        .lowest = UINT64_MAX,
        .first_start = UINT32_MAX,
        .first_end = UINT32_MAX,
        .first_position = UINT32_MAX,
        .widest = summary->widest,
        .columns = summary->columns,
    };
    memset(summary->widest, 0, shelf->alignment_count * sizeof *summary->widest);
    if (summary->columns != NULL) {
        columns_clear(summary->columns);
    }
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The gap between what reaches up to `top` and what begins at `lowest`, without the bytes before the first aligned one. */
static uint64_t gap_between(uint64_t top, uint64_t lowest, uint64_t alignment)
{
    uint64_t begin = size_align(top, alignment);
    return lowest > begin ? lowest - begin : 0;
}

/* What lies above, all at once. Gaps of `next` are taken as they are, though the tops below may reach into them: a gap that is
 * stated too wide only costs a closer look. */
static void summary_join(const struct shelf *shelf, struct summary *summary, const struct summary *next)
{
    if (next->lowest == UINT64_MAX) {
        return;
    }
    bool is_first = summary->lowest == UINT64_MAX;
    for (size_t i = 0; i < shelf->alignment_count; i++) {
        uint64_t between = is_first ? 0 : gap_between(summary->top, next->lowest, shelf->alignments[i]);
        summary->widest[i] = size_max(summary->widest[i], size_max(between, next->widest[i]));
    }
    if (summary->columns != NULL) {
        columns_join(summary->columns, next->columns);
    }
    summary->lowest = size_min(summary->lowest, next->lowest);
    summary->top = size_max(summary->top, next->top);
    summary->first_start = lesser(summary->first_start, next->first_start);
    summary->last_start = greater(summary->last_start, next->last_start);
    summary->first_end = lesser(summary->first_end, next->first_end);
    summary->last_end = greater(summary->last_end, next->last_end);
    summary->first_position = lesser(summary->first_position, next->first_position);
    summary->last_position = greater(summary->last_position, next->last_position);
}

/* The gaps of a block, for one alignment. */
static uint64_t widest_gap(const struct shelf_block *block, uint64_t alignment)
{
    uint64_t widest = 0;
    uint64_t top = UINT64_MAX - alignment;
    for (uint32_t i = 0; i < block->count; i++) {
        widest = size_max(widest, gap_between(top, block->extents[i].offset, alignment));
        top = i == 0 ? block->extents[i].top : size_max(top, block->extents[i].top);
    }
    return widest;
}

static void summarize_block(const struct shelf *shelf, struct shelf_block *block)
{
    struct summary *own = &block->own;
    summary_clear(shelf, own);
    if (block->count > 0) {
        own->lowest = block->extents[0].offset;
    }
    for (uint32_t i = 0; i < block->count; i++) {
        const struct shelf_extent *extent = &block->extents[i];
        own->top = size_max(own->top, extent->top);
        own->first_start = lesser(own->first_start, extent->start);
        own->last_start = greater(own->last_start, extent->start);
        own->first_end = lesser(own->first_end, extent->end);
        own->last_end = greater(own->last_end, extent->end);
        own->first_position = lesser(own->first_position, extent->position);
        own->last_position = greater(own->last_position, extent->position);
        if (own->columns != NULL) {
            columns_add(own->columns, shelf->grid, extent->start, extent->end, extent->offset, extent->top);
        }
    }
    for (size_t i = 0; i < shelf->alignment_count; i++) {
        own->widest[i] = widest_gap(block, shelf->alignments[i]);
    }
}

static void summarize_tree(const struct shelf *shelf, struct shelf_block *block)
{
    summary_clear(shelf, &block->all);
    if (block->left != NULL) {
        summary_join(shelf, &block->all, &block->left->all);
    }
    summary_join(shelf, &block->all, &block->own);
    if (block->right != NULL) {
        summary_join(shelf, &block->all, &block->right->all);
    }
}

/* ---- the tree ---- */

static void add_columns(const struct shelf *shelf, struct shelf_block *block)
{
    block->own.columns = ARENA_NEW(shelf->arena, struct columns);
    block->all.columns = ARENA_NEW(shelf->arena, struct columns);
}

static struct shelf_block *block_new(struct shelf *shelf)
{
    struct shelf_block *block = ARENA_NEW(shelf->arena, struct shelf_block);
    block->level = 1;
    block->own.widest = ARENA_ARRAY(shelf->arena, uint64_t, shelf->alignment_count);
    block->all.widest = ARENA_ARRAY(shelf->arena, uint64_t, shelf->alignment_count);
    if (shelf->grid != NULL) {
        add_columns(shelf, block);
    }
    summarize_block(shelf, block);
    summarize_tree(shelf, block);
    return block;
}

/* All alignments of items that may go to the memory. */
static void list_alignments(struct shelf *shelf, const struct scratch_problem *problem, uint32_t memory)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < problem->item_count; i++) {
        if (problem->items[i].memory == memory || problem->items[i].memory == MEMORY_ANY) {
            bits |= slot_alignment(&problem->items[i], &problem->memories[memory]);
        }
    }
    shelf->alignments = ARENA_ARRAY(shelf->arena, uint64_t, 64);
    for (; bits != 0; bits &= bits - 1) {
        shelf->alignments[shelf->alignment_count++] = bits & (0 - bits);
    }
}

struct shelf shelf_new(const struct scratch_problem *problem, uint32_t memory, struct arena *arena)
{
    struct shelf shelf = {.arena = arena};
    list_alignments(&shelf, problem, memory);
    return shelf;
}

static void add_columns_below(const struct shelf *shelf, struct shelf_block *block)
{
    if (block == NULL) {
        return;
    }
    add_columns_below(shelf, block->left);
    add_columns_below(shelf, block->right);
    add_columns(shelf, block);
    summarize_block(shelf, block);
    summarize_tree(shelf, block);
}

void shelf_keep_columns(struct shelf *shelf, const struct column_grid *grid)
{
    shelf->grid = grid;
    add_columns_below(shelf, shelf->root);
}

struct shelf *shelves_new(const struct scratch_problem *problem, struct arena *arena)
{
    struct shelf *shelves = ARENA_ARRAY(arena, struct shelf, problem->memory_count);
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        shelves[m] = shelf_new(problem, m, arena);
    }
    return shelves;
}

/* True if the place (offset, item) lies before the block's bound. */
static bool lies_before(uint64_t offset, uint32_t item, const struct shelf_block *block)
{
    return offset != block->bound_offset ? offset < block->bound_offset : item < block->bound_item;
}

/* The first block's bound is 0, so there always is one. */
static struct shelf_block *find_block(const struct shelf *shelf, uint64_t offset, uint32_t item)
{
    struct shelf_block *found = NULL;
    for (struct shelf_block *block = shelf->root; block != NULL;) {
        bool before = lies_before(offset, item, block);
        found = before ? found : block;
        block = before ? block->left : block->right;
    }
    return found;
}

/* The extents of `changed` are others now. */
static void refresh(const struct shelf *shelf, struct shelf_block *block, const struct shelf_block *changed)
{
    if (block != changed) {
        bool before = lies_before(changed->bound_offset, changed->bound_item, block);
        refresh(shelf, before ? block->left : block->right, changed);
    }
    summarize_tree(shelf, block);
}

/* A left child on the same level becomes the parent. */
static struct shelf_block *skew(const struct shelf *shelf, struct shelf_block *block)
{
    struct shelf_block *left = block->left;
    if (left == NULL || left->level != block->level) {
        return block;
    }
    block->left = left->right;
    left->right = block;
    summarize_tree(shelf, block);
    return left;
}

/* Of three on the same level, the middle one becomes the parent, one level up. */
static struct shelf_block *split(const struct shelf *shelf, struct shelf_block *block)
{
    struct shelf_block *right = block->right;
    if (right == NULL || right->right == NULL || right->right->level != block->level) {
        return block;
    }
    block->right = right->left;
    right->left = block;
    right->level++;
    summarize_tree(shelf, block);
    return right;
}

static struct shelf_block *insert_block(const struct shelf *shelf, struct shelf_block *block, struct shelf_block *added)
{
    if (block == NULL) {
        summarize_tree(shelf, added);
        return added;
    }
    if (lies_before(added->bound_offset, added->bound_item, block)) {
        block->left = insert_block(shelf, block->left, added);
    } else {
        block->right = insert_block(shelf, block->right, added);
    }
    struct shelf_block *top = split(shelf, skew(shelf, block));
    summarize_tree(shelf, top);
    return top;
}

/* The upper half of a full block gets a block of its own. */
static void divide(struct shelf *shelf, struct shelf_block *block)
{
    struct shelf_block *upper = block_new(shelf);
    upper->count = BLOCK_SIZE / 2;
    block->count = BLOCK_SIZE - upper->count;
    memcpy(upper->extents, block->extents + block->count, upper->count * sizeof *upper->extents);
    upper->bound_offset = upper->extents[0].offset;
    upper->bound_item = upper->extents[0].item;
    summarize_block(shelf, block);
    summarize_block(shelf, upper);
    refresh(shelf, shelf->root, block);
    shelf->root = insert_block(shelf, shelf->root, upper);
}

/* ---- changes ---- */

/* As long as there is one block, nothing asks for its summary. */
static bool is_alone(const struct shelf *shelf)
{
    return shelf->root->left == NULL && shelf->root->right == NULL;
}

static void note_change(const struct shelf *shelf, struct shelf_block *block)
{
    if (is_alone(shelf)) {
        return;
    }
    summarize_block(shelf, block);
    refresh(shelf, shelf->root, block);
}

/* How many extents of the block lie before a place. */
static uint32_t rank_in(const struct shelf_block *block, uint64_t offset, uint32_t item)
{
    uint32_t rank = 0;
    while (rank < block->count &&
           (block->extents[rank].offset != offset ? block->extents[rank].offset < offset : block->extents[rank].item < item)) {
        rank++;
    }
    return rank;
}

void shelf_add(struct shelf *shelf, const struct shelf_extent *extent)
{
    if (shelf->root == NULL) {
        shelf->root = block_new(shelf);
    }
    struct shelf_block *block = find_block(shelf, extent->offset, extent->item);
    if (block->count == BLOCK_SIZE) {
        divide(shelf, block);
        block = find_block(shelf, extent->offset, extent->item);
    }
    uint32_t rank = rank_in(block, extent->offset, extent->item);
    memmove(block->extents + rank + 1, block->extents + rank, (block->count - rank) * sizeof *block->extents);
    block->extents[rank] = *extent;
    block->count++;
    note_change(shelf, block);
}

void shelf_remove(struct shelf *shelf, const struct shelf_extent *extent)
{
    struct shelf_block *block = find_block(shelf, extent->offset, extent->item);
    uint32_t rank = rank_in(block, extent->offset, extent->item);
    block->count--;
    memmove(block->extents + rank, block->extents + rank + 1, (block->count - rank) * sizeof *block->extents);
    note_change(shelf, block);
}

/* ---- searching ---- */

enum verdict { VERDICT_FOUND, VERDICT_PASSED, VERDICT_UNCLEAR };

struct walk {
    struct shelf_search *search;
    size_t alignment_index;
    const struct column_grid *grid;
    struct column_search columns; /* of the search, if there is a grid */
    uint64_t visited;
    bool again; /* something was left out */
};

/* What looking at columns costs, in extents. */
#define COLUMNS_COST 8

/* Raises the search above what columns alone rule out. */
static enum verdict pass_columns(struct walk *walk, const struct summary *summary)
{
    struct shelf_search *search = walk->search;
    if (walk->columns.last_group == 0 || summary->last_position >= search->position) {
        return VERDICT_UNCLEAR;
    }
    walk->visited += COLUMNS_COST;
    uint64_t passed = columns_pass(summary->columns, walk->grid, &walk->columns, search->offset, search->size);
    search->offset = size_align(passed, search->alignment);
    return summary->top <= search->offset ? VERDICT_PASSED : VERDICT_UNCLEAR;
}

/* What a summary alone says about the extents that it stands for; all that lie below have been passed. */
static enum verdict judge(struct walk *walk, const struct summary *summary)
{
    struct shelf_search *search = walk->search;
    if (summary->top <= search->offset) {
        return VERDICT_PASSED;
    }
    if (summary->lowest >= search->offset + search->size) {
        return VERDICT_FOUND;
    }
    if (summary->first_start > search->end || summary->last_end < search->start || summary->first_position >= search->position) {
        return VERDICT_PASSED;
    }
    bool all_meet =
        summary->last_start <= search->end && summary->first_end >= search->start && summary->last_position < search->position;
    if (!all_meet || summary->widest[walk->alignment_index] >= search->size) {
        return pass_columns(walk, summary);
    }
    search->offset = size_align(summary->top, search->alignment);
    return VERDICT_PASSED;
}

/* Written so that only the end of the walk is a branch: whether lives meet is as good as random. */
static enum verdict walk_block(struct walk *walk, const struct shelf_block *block)
{
    struct shelf_search search = *walk->search;
    uint32_t i = 0;
    for (; i < block->count && block->extents[i].offset < search.offset + search.size; i++) {
        const struct shelf_extent *extent = &block->extents[i];
        bool meets = (extent->start <= search.end) & (extent->end >= search.start) & (extent->position < search.position);
        uint64_t above = size_align(extent->top, search.alignment) & (0 - (uint64_t)meets);
        search.offset = size_max(search.offset, above);
    }
    walk->search->offset = search.offset;
    walk->visited += i;
    return i < block->count ? VERDICT_FOUND : VERDICT_PASSED;
}

/* Where columns have raised the search, those of the next blocks will most often raise it above the rest of this block too. It is
 * left out, and the walk begins again from where it ends: what lies below is passed quickly then. */
static enum verdict look_at(struct walk *walk, const struct shelf_block *block, uint64_t before)
{
    if (walk->search->offset > before) {
        walk->again = true;
        return VERDICT_PASSED;
    }
    return walk_block(walk, block);
}

static enum verdict judge_block(struct walk *walk, const struct shelf_block *block)
{
    uint64_t before = walk->search->offset;
    enum verdict verdict = judge(walk, &block->own);
    return verdict == VERDICT_UNCLEAR ? look_at(walk, block, before) : verdict;
}

static enum verdict walk_tree(struct walk *walk, const struct shelf_block *block)
{
    if (block == NULL) {
        return VERDICT_PASSED;
    }
    walk->visited++;
    uint64_t before = walk->search->offset;
    enum verdict verdict = judge(walk, &block->all);
    if (verdict != VERDICT_UNCLEAR) {
        return verdict;
    }
    if (block->left == NULL && block->right == NULL) {
        return look_at(walk, block, before);
    }
    if (walk_tree(walk, block->left) == VERDICT_FOUND || judge_block(walk, block) == VERDICT_FOUND) {
        return VERDICT_FOUND;
    }
    return walk_tree(walk, block->right);
}

void shelf_find_gap(struct shelf *shelf, struct shelf_search *search)
{
    if (shelf->root == NULL) {
        return;
    }
    struct walk walk = {.search = search};
    while (shelf->alignments[walk.alignment_index] < search->alignment) {
        walk.alignment_index++;
    }
    if (shelf->grid != NULL) {
        walk.grid = shelf->grid;
        walk.columns = column_search_new(shelf->grid, search->start, search->end);
    }
    if (is_alone(shelf)) {
        (void)walk_block(&walk, shelf->root);
    } else {
        do {
            walk.again = false;
            (void)walk_tree(&walk, shelf->root);
        } while (walk.again);
    }
    shelf->visited += walk.visited;
}
