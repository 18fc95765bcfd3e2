/* Who owned a slot's bytes before, and who owns them next.
 *
 * The nearest in time come first. One that is farther away counts only with bytes that no nearer one owns, so that every byte has
 * one last owner and one next one. */
#include "base/size.h"
#include "base/sort.h"
#include "report/explain.h"

struct piece {
    uint64_t from, to; /* `to` excluded */
};

/* The bytes whose owner is not found yet. Each owner leaves at most one piece more, and at most EXPLAIN_LIST_LIMIT are taken. */
struct search {
    struct piece pieces[EXPLAIN_LIST_LIMIT + 2];
    size_t piece_count;
    struct sharer_list *found;
};

static bool overlaps_in_bytes(const struct owned_slot *a, const struct owned_slot *b)
{
    return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

/* Takes the owner's bytes away from what is searched; false if it owns none of them. */
static bool take_bytes(struct search *search, const struct piece *owner)
{
    struct piece left[EXPLAIN_LIST_LIMIT + 2];
    size_t count = 0;
    bool took = false;
    for (size_t i = 0; i < search->piece_count; i++) {
        const struct piece *piece = &search->pieces[i];
        if (owner->to <= piece->from || owner->from >= piece->to) {
            left[count++] = *piece;
            continue;
        }
        took = true;
        if (piece->from < owner->from) {
            left[count++] = (struct piece){piece->from, owner->from};
        }
        if (owner->to < piece->to) {
            left[count++] = (struct piece){owner->to, piece->to};
        }
    }
    for (size_t i = 0; i < count; i++) {
        search->pieces[i] = left[i];
    }
    search->piece_count = count;
    return took;
}

static void find_owners(const struct owned_slot *slot, const struct owned_slot **candidates, size_t count,
                        struct sharer_list *found)
{
    struct search search = {.pieces = {{slot->offset, slot->offset + slot->size}}, .piece_count = 1, .found = found};
    for (size_t i = 0; i < count && search.piece_count > 0; i++) {
        const struct owned_slot *other = candidates[i];
        const struct piece both = {size_max(slot->offset, other->offset),
                                   size_min(slot->offset + slot->size, other->offset + other->size)};
        if (found->count == EXPLAIN_LIST_LIMIT) {
            found->cut = true;
            return;
        }
        if (take_bytes(&search, &both)) {
            found->items[found->count++] = (struct sharer){other->allocation, both.from, both.to};
        }
    }
}

static int compare_latest(const void *a, const void *b, const void *context)
{
    (void)context;
    return SORT_BY((*(const struct owned_slot *const *)b)->end_op, (*(const struct owned_slot *const *)a)->end_op);
}

static int compare_earliest(const void *a, const void *b, const void *context)
{
    (void)context;
    return SORT_BY((*(const struct owned_slot *const *)a)->start_op, (*(const struct owned_slot *const *)b)->start_op);
}

void explain_sharing(struct arena *arena, const struct slot_table *slots, struct tensor_explanation *explained)
{
    const struct owned_slot *slot = explained->slot;
    const size_t first = slots->first[explained->arena->id];
    const size_t end = slots->first[explained->arena->id + 1];
    const struct owned_slot **before = ARENA_ARRAY(arena, const struct owned_slot *, end - first);
    const struct owned_slot **after = ARENA_ARRAY(arena, const struct owned_slot *, end - first);
    size_t before_count = 0;
    size_t after_count = 0;
    for (size_t i = first; i < end && slots->items[i].offset < slot->offset + slot->size; i++) {
        const struct owned_slot *other = &slots->items[i];
        if (other == slot || !overlaps_in_bytes(slot, other)) {
            continue;
        }
        if (other->end_op < slot->start_op) {
            before[before_count++] = other;
        } else {
            after[after_count++] = other;
        }
    }
    sort_stable(before, before_count, sizeof *before, compare_latest, NULL, arena);
    sort_stable(after, after_count, sizeof *after, compare_earliest, NULL, arena);
    find_owners(slot, before, before_count, &explained->before);
    find_owners(slot, after, after_count, &explained->after);
}
