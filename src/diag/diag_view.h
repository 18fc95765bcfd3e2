/* What both renderings need: the findings in order, and the lines of a source. */
#ifndef HELIA_DIAG_DIAG_VIEW_H
#define HELIA_DIAG_DIAG_VIEW_H

#include "diag/diag.h"

/* The kept findings by source, line and column; equal ones as reported. In the sink's arena. */
const struct diag **diag_in_order(const struct diagnostics *diagnostics);

/* The line that `span` points into, without its end. False if the source's text does not have it. */
MUST_CHECK bool diag_source_line(struct diagnostics *diagnostics, struct span span, struct bytes *line);

#endif
