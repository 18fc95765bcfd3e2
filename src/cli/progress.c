#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

#define SECOND               UINT64_C(1000000) /* microseconds */
#define BETWEEN_MICROSECONDS UINT64_C(150000)  /* so that numbers can be read before they change */

/* Of a terminal that does not know its width. */
#define USUAL_COLUMNS 80

/* Back to the first column, and nothing behind it: ECMA-48's CR and EL, which every terminal but a "dumb" one knows. */
#define WIPE "\r\033[K"

uint64_t clock_microseconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec / 1000;
}

bool progress_is_possible(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && terminal != NULL && terminal[0] != '\0' && strcmp(terminal, "dumb") != 0;
}

/* A job in the background would write into the line that its user is typing. */
static bool is_in_background(void)
{
    const pid_t front = tcgetpgrp(STDERR_FILENO);
    return front > 0 && front != getpgrp();
}

/* What fits without touching the last column, where terminals differ in what comes next. */
static int columns(void)
{
    struct winsize size = {0};
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return (known ? size.ws_col : USUAL_COLUMNS) - 1;
}

/* "9999", "12.3 K", "750.2 M": one decimal, cut off. */
static const char *format_count(struct arena *arena, uint64_t count)
{
    static const char units[] = "KMGTPE";
    if (count < 10000) {
        return arena_format(arena, "%" PRIu64, count);
    }
    size_t unit = 0;
    for (; count >= 1000000; count /= 1000) {
        unit++;
    }
    return arena_format(arena, "%" PRIu64 ".%" PRIu64 " %c", count / 1000, count % 1000 / 100, units[unit]);
}

/* "optimal: 12 s, nodes 29.5 M, best 1045504 B, bound 986112 B, gap 5.7%", a gap being a share of what is used, as in the tables.
 * Work stands where there are no nodes. What is not known is left out: a planner built outside tells nothing. */
static const char *format_line(struct arena *arena, const struct planner_progress *told, uint64_t seconds)
{
    struct text line = text_start(arena);
    text_print(&line, "%s: %" PRIu64 " s", told->planner->name, seconds);
    if (told->nodes > 0) {
        text_print(&line, ", nodes %s", format_count(arena, told->nodes));
    } else if (told->work > 0) {
        text_print(&line, ", work %s", format_count(arena, told->work));
    }
    if (told->best != NO_LAYOUT_FITS) {
        text_print(&line, ", best %" PRIu64 " B", told->best);
    }
    text_print(&line, ", bound %" PRIu64 " B", told->bound);
    if (told->best != NO_LAYOUT_FITS) {
        text_print(&line, ", gap %.1f%%", told->best > 0 ? 100.0 * (double)(told->best - told->bound) / (double)told->best : 0);
    }
    return line.data;
}

static void tell(void *context, const struct planner_progress *told)
{
    struct progress *progress = context;
    uint64_t now = clock_microseconds();
    if (now < progress->next_write || is_in_background()) {
        return;
    }
    struct arena arena = {0};
    fprintf(stderr, WIPE "%.*s", columns(), format_line(&arena, told, (now - progress->begin) / SECOND));
    arena_free(&arena);
    progress->next_write = now + BETWEEN_MICROSECONDS;
    progress->is_shown = true;
}

const struct planner_observer *progress_begin(struct progress *progress)
{
    uint64_t now = clock_microseconds();
    *progress = (struct progress){
        .observer = {.tell = tell, .context = progress},
        .begin = now,
        .next_write = now + SECOND,
    };
    return &progress->observer;
}

void progress_end(struct progress *progress)
{
    if (progress->is_shown && !is_in_background()) {
        fputs(WIPE, stderr);
    }
}
