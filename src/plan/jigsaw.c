/* Where two neighbouring sections are both full up to the bound, nothing is wasted in either, so what ends between them must be
 * followed, byte by byte, by what starts there. Sizes are rarely equal by chance: if one item that ends and one that starts there
 * have the same size, they most likely lie at the same offset, and are glued side by side into a longer piece. Two pieces of the
 * same lifetime are most likely neighbours, and are glued one on the other. So a strip that was once cut from a full block is
 * often put together again, piece by piece, without any search; what cannot be glued is left to the search, which then has few
 * pieces.
 *
 * This is guessing, and a wrong guess only means that nothing is found. Several ways of guessing are tried. */
#include "plan/jigsaw.h"

#include "base/size.h"
#include "plan/random.h"
#include "plan/strip_search.h"
#include "plan/watch.h"

#define NO_PIECE UINT32_MAX

/* Little is spent on each guess: one that is right leaves so few pieces that they fall into place, and one that is wrong is found
 * to be so by no amount of searching. */
#define MOST_ATTEMPTS 24u
#define SEARCHES      6u
#define SEARCH_WORK   500u /* a piece */
/* Glueing takes the fourth power of the pieces when very many have one lifetime. Several times what a strip of a thousand items
 * that can be put together takes. */
#define MOST_WORK       UINT64_C(50000000)
#define USEFUL_FRACTION 4u /* further attempts are made when at most one piece is left of so many items */

enum piece_kind { PIECE_ITEM, PIECE_BESIDE, PIECE_ABOVE };

struct piece {
    enum piece_kind kind;
    uint32_t height; /* units */
    uint32_t first;  /* section */
    uint32_t last;
    uint32_t parts[2];   /* earlier and later, or below and above */
    uint32_t next_start; /* in the list of those that start at the same border */
    uint32_t next_end;
};

struct jigsaw {
    const struct strip *strip;
    struct piece *pieces; /* the items first, glued ones behind */
    uint32_t piece_count;
    uint32_t left;      /* pieces that are not part of another */
    uint32_t *starting; /* by border: list. Border b lies before section b; the last one behind all sections */
    uint32_t *ending;   /* by border: list */
    bool *is_full;      /* by border: nothing is wasted beside it */
    struct random random;
    bool is_random;
    uint64_t work; /* of this attempt */
    uint64_t work_limit;
};

/* ---- the lists at the borders ---- */

static void enlist(struct jigsaw *jigsaw, uint32_t index)
{
    struct piece *piece = &jigsaw->pieces[index];
    piece->next_start = jigsaw->starting[piece->first];
    jigsaw->starting[piece->first] = index;
    piece->next_end = jigsaw->ending[piece->last + 1];
    jigsaw->ending[piece->last + 1] = index;
    jigsaw->left++;
}

static void delist(struct jigsaw *jigsaw, uint32_t index)
{
    struct piece *piece = &jigsaw->pieces[index];
    uint32_t *link = &jigsaw->starting[piece->first];
    while (*link != index) {
        link = &jigsaw->pieces[*link].next_start;
    }
    *link = piece->next_start;
    link = &jigsaw->ending[piece->last + 1];
    while (*link != index) {
        link = &jigsaw->pieces[*link].next_end;
    }
    *link = piece->next_end;
    jigsaw->left--;
}

static void glue(struct jigsaw *jigsaw, enum piece_kind kind, uint32_t a, uint32_t b)
{
    const struct piece *first = &jigsaw->pieces[a];
    const struct piece *second = &jigsaw->pieces[b];
    delist(jigsaw, a);
    delist(jigsaw, b);
    jigsaw->pieces[jigsaw->piece_count] = (struct piece){
        .kind = kind,
        .height = kind == PIECE_ABOVE ? first->height + second->height : first->height,
        .first = first->first,
        .last = second->last,
        .parts = {a, b},
    };
    enlist(jigsaw, jigsaw->piece_count++);
}

static uint32_t count_starting(struct jigsaw *jigsaw, uint32_t border, uint32_t height)
{
    uint32_t count = 0;
    for (uint32_t p = jigsaw->starting[border]; p != NO_PIECE; p = jigsaw->pieces[p].next_start, jigsaw->work++) {
        count += height == 0 || jigsaw->pieces[p].height == height;
    }
    return count;
}

static uint32_t count_ending(struct jigsaw *jigsaw, uint32_t border, uint32_t height)
{
    uint32_t count = 0;
    for (uint32_t p = jigsaw->ending[border]; p != NO_PIECE; p = jigsaw->pieces[p].next_end, jigsaw->work++) {
        count += height == 0 || jigsaw->pieces[p].height == height;
    }
    return count;
}

/* ---- glueing ---- */

static bool is_spent(const struct jigsaw *jigsaw)
{
    return jigsaw->work >= jigsaw->work_limit;
}

/* Glues one pair side by side that belongs together at a border; false if there is none, or the work is spent. */
static bool glue_beside(struct jigsaw *jigsaw, uint32_t border)
{
    for (uint32_t p = jigsaw->ending[border]; p != NO_PIECE && !is_spent(jigsaw); p = jigsaw->pieces[p].next_end) {
        uint32_t height = jigsaw->pieces[p].height;
        if (count_starting(jigsaw, border, height) != 1 || count_ending(jigsaw, border, height) != 1) {
            continue;
        }
        uint32_t q = jigsaw->starting[border];
        while (jigsaw->pieces[q].height != height) {
            q = jigsaw->pieces[q].next_start;
        }
        glue(jigsaw, PIECE_BESIDE, p, q);
        return true;
    }
    return false;
}

static void glue_all_beside(struct jigsaw *jigsaw)
{
    for (uint32_t border = 1; border < jigsaw->strip->section_count; border++) {
        while (jigsaw->is_full[border] && glue_beside(jigsaw, border)) {
            continue;
        }
    }
}

/* How unlikely it is that two pieces of the same lifetime are not neighbours: the less, the more likely. Together as high as a
 * piece that ends where they start, or starts where they end, is as good as certain; else it counts how few others start and end
 * with them. */
static uint64_t doubt(struct jigsaw *jigsaw, const struct piece *a, const struct piece *b)
{
    uint32_t height = a->height + b->height;
    uint64_t doubts = (uint64_t)count_starting(jigsaw, a->first, 0) * count_ending(jigsaw, a->last + 1, 0);
    if (count_ending(jigsaw, a->first, height) + count_starting(jigsaw, a->last + 1, height) == 0) {
        doubts += UINT32_MAX;
    }
    if (jigsaw->is_random) {
        doubts = doubts * (4 + random_below(&jigsaw->random, 12));
    }
    return doubts;
}

/* Glues the least doubtful pair of the same lifetime; false if there is none, or the work is spent. */
static bool glue_above(struct jigsaw *jigsaw)
{
    uint32_t pair[2] = {NO_PIECE, NO_PIECE};
    uint64_t least = UINT64_MAX;
    for (uint32_t border = 0; border < jigsaw->strip->section_count; border++) {
        for (uint32_t a = jigsaw->starting[border]; a != NO_PIECE; a = jigsaw->pieces[a].next_start) {
            const struct piece *first = &jigsaw->pieces[a];
            if (!jigsaw->is_full[border] || !jigsaw->is_full[first->last + 1]) {
                continue;
            }
            for (uint32_t b = first->next_start; b != NO_PIECE && !is_spent(jigsaw); b = jigsaw->pieces[b].next_start) {
                jigsaw->work++;
                uint64_t doubts = jigsaw->pieces[b].last == first->last ? doubt(jigsaw, first, &jigsaw->pieces[b]) : UINT64_MAX;
                if (doubts >= least) {
                    continue;
                }
                least = doubts;
                pair[0] = a;
                pair[1] = b;
            }
        }
    }
    if (pair[0] == NO_PIECE || is_spent(jigsaw)) {
        return false;
    }
    glue(jigsaw, PIECE_ABOVE, pair[0], pair[1]);
    return true;
}

static void put_together(struct jigsaw *jigsaw)
{
    const struct strip *strip = jigsaw->strip;
    for (size_t border = 0; border <= strip->section_count; border++) {
        jigsaw->starting[border] = NO_PIECE;
        jigsaw->ending[border] = NO_PIECE;
    }
    jigsaw->piece_count = (uint32_t)strip->item_count;
    jigsaw->left = 0;
    for (uint32_t i = 0; i < strip->item_count; i++) {
        const struct strip_item *item = &strip->items[i];
        jigsaw->pieces[i] = (struct piece){.height = item->height, .first = item->first, .last = item->last};
        enlist(jigsaw, i);
    }
    do {
        glue_all_beside(jigsaw);
    } while (glue_above(jigsaw));
}

/* ---- what is left ---- */

static struct strip strip_of_pieces(struct jigsaw *jigsaw, uint32_t *piece_of, struct arena *arena)
{
    struct strip strip = *jigsaw->strip;
    strip.items = ARENA_ARRAY(arena, struct strip_item, jigsaw->left);
    strip.item_count = 0;
    for (uint32_t border = 0; border < strip.section_count; border++) {
        for (uint32_t p = jigsaw->starting[border]; p != NO_PIECE; p = jigsaw->pieces[p].next_start) {
            const struct piece *piece = &jigsaw->pieces[p];
            piece_of[strip.item_count] = p;
            strip.items[strip.item_count++] = (struct strip_item){
                .size = piece->height * strip.unit,
                .height = piece->height,
                .alignment = 1,
                .first = piece->first,
                .last = piece->last,
            };
        }
    }
    return strip;
}

/* A part comes after its whole, so going backwards passes every offset down. `by_piece` has the offsets of whole pieces. */
static void take_apart(const struct jigsaw *jigsaw, uint64_t *by_piece)
{
    for (uint32_t p = jigsaw->piece_count; p-- > jigsaw->strip->item_count;) {
        const struct piece *piece = &jigsaw->pieces[p];
        uint64_t lower = jigsaw->pieces[piece->parts[0]].height * jigsaw->strip->unit;
        by_piece[piece->parts[0]] = by_piece[p];
        by_piece[piece->parts[1]] = by_piece[p] + (piece->kind == PIECE_ABOVE ? lower : 0);
    }
}

/* Searches a layout of the pieces at the bound. */
static bool search_pieces(struct jigsaw *jigsaw, uint64_t *offsets, uint64_t work_limit, struct effort *effort,
                          struct arena *arena)
{
    uint32_t *piece_of = ARENA_ARRAY(arena, uint32_t, jigsaw->left);
    struct strip strip = strip_of_pieces(jigsaw, piece_of, arena);
    struct strip_search *search = strip_search_new(&strip, arena);
    uint32_t *rank = ARENA_ARRAY(arena, uint32_t, strip.item_count);
    uint64_t *found = ARENA_ARRAY(arena, uint64_t, strip.item_count);
    enum strip_answer answer = STRIP_UNDECIDED;
    for (uint32_t k = 0; k < SEARCHES && answer == STRIP_UNDECIDED && effort->work < work_limit; k++) {
        for (size_t i = 0; i < strip.item_count; i++) {
            rank[i] = (strip.items[i].last - strip.items[i].first + 1) * (16 + random_below(&jigsaw->random, 8));
        }
        const struct effort before = *effort;
        answer = strip_search_run(search, strip.bound, rank, UINT64_MAX, SEARCH_WORK * strip.item_count, found, effort);
        watch_effort(jigsaw->strip->watch, &before, effort);
    }
    if (answer != STRIP_FOUND) {
        return false;
    }
    uint64_t *by_piece = ARENA_ARRAY(arena, uint64_t, jigsaw->piece_count);
    for (size_t i = 0; i < strip.item_count; i++) {
        by_piece[piece_of[i]] = found[i];
    }
    take_apart(jigsaw, by_piece);
    for (size_t i = 0; i < jigsaw->strip->item_count; i++) {
        offsets[i] = by_piece[i];
    }
    return true;
}

static struct jigsaw jigsaw_new(const struct strip *strip, struct arena *arena)
{
    size_t sections = strip->section_count;
    struct jigsaw jigsaw = {
        .strip = strip,
        .pieces = ARENA_ARRAY(arena, struct piece, 2 * strip->item_count),
        .starting = ARENA_ARRAY(arena, uint32_t, sections + 1),
        .ending = ARENA_ARRAY(arena, uint32_t, sections + 1),
        .is_full = ARENA_ARRAY(arena, bool, sections + 1),
    };
    for (size_t border = 0; border <= sections; border++) {
        bool is_full_before = border == 0 || strip->total[border - 1] * strip->unit == strip->bound;
        bool is_full_behind = border == sections || strip->total[border] * strip->unit == strip->bound;
        jigsaw.is_full[border] = is_full_before && is_full_behind;
    }
    return jigsaw;
}

bool jigsaw_solve(const struct strip *strip, uint64_t *offsets, uint64_t work_limit, struct effort *effort, struct arena *arena)
{
    if (!strip->is_exact || strip->has_alignment) {
        return false;
    }
    struct arena_mark mark = arena_mark(arena);
    struct jigsaw jigsaw = jigsaw_new(strip, arena);
    bool is_solved = false;
    work_limit = size_min(work_limit, effort->work + MOST_WORK);
    for (uint32_t attempt = 0; attempt < MOST_ATTEMPTS && !is_solved && effort->work < work_limit; attempt++) {
        struct arena_mark attempt_mark = arena_mark(arena);
        jigsaw.is_random = attempt > 0;
        jigsaw.work = 0;
        jigsaw.work_limit = work_limit - effort->work;
        put_together(&jigsaw);
        effort->work += jigsaw.work;
        watch_work(strip->watch, jigsaw.work);
        if (jigsaw.left == strip->item_count) {
            break;
        }
        is_solved = search_pieces(&jigsaw, offsets, work_limit, effort, arena);
        arena_rewind(arena, attempt_mark);
        if (jigsaw.left > strip->item_count / USEFUL_FRACTION) {
            break;
        }
    }
    arena_rewind(arena, mark);
    return is_solved;
}
