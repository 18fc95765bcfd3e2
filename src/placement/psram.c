#include "placement/psram.h"

#include <inttypes.h>

#include "placement/coarse.h"
#include "placement/engine.h"

bool psram_check_clock(struct arena *arena, struct diagnostics *diagnostics, const struct placement_inputs *inputs,
                       struct problem *problem)
{
    const struct size_value *clock = &inputs->config->target.psram.clock_hz;
    const struct soc *soc = inputs->soc;
    problem->psram_clock_hz = clock->set ? clock->value : DEFAULT_PSRAM_CLOCK_HZ;
    if (!clock->set) {
        return true;
    }
    const char **names = ARENA_ARRAY(arena, const char *, soc->psram_clock_count);
    for (size_t i = 0; i < soc->psram_clock_count; i++) {
        if (soc->psram_clocks_hz[i] == clock->value) {
            return true;
        }
        names[i] = arena_format(arena, "%" PRIu64, soc->psram_clocks_hz[i]);
    }
    bool has_external = location_memory(problem, LOCATION_PSRAM) != UINT32_MAX;
    if (soc->psram_clock_count == 0 && has_external) {
        return true; /* nobody has written down which clocks it offers */
    }
    if (!has_external) {
        diag_report(diagnostics, DIAG_PSRAM_CLOCK, clock->span, "%s has no PSRAM whose clock could be set", soc->name);
        return false;
    }
    struct diag *diag = diag_report(diagnostics, DIAG_PSRAM_CLOCK, clock->span, "the PSRAM clock of %s cannot be %" PRIu64 " Hz",
                                    soc->name, clock->value);
    diag_suggest(diagnostics, diag, "", "clocks in Hz", names, soc->psram_clock_count);
    return false;
}

static bool needs_power(const struct problem *problem, uint32_t memory)
{
    return memory < problem->memory_count && problem->soc->regions[problem->memories[memory].region].needs_power &&
           problem->memories[memory].tier == TIER_EXTERNAL;
}

static bool check_transport(struct diagnostics *diagnostics, const struct choice_value *transport)
{
    if (!transport->set || transport->value == TRANSPORT_RTT) {
        return true; /* RTT is the default */
    }
    diag_report(diagnostics, DIAG_PSRAM_TRANSPORT, transport->span,
                "the host uploads to PSRAM over J-Link, which requires transport: rtt");
    return false;
}

bool psram_check_use(struct diagnostics *diagnostics, const struct placement_inputs *inputs, const struct problem *problem)
{
    const struct engine *engine = &engines[problem->engine];
    for (size_t i = 0; i < problem->request_count; i++) {
        const struct request *request = &problem->requests[i];
        bool source = request->role == ROLE_CONSTANT && needs_power(problem, request->source_memory);
        if (!needs_power(problem, request->memory) && !source) {
            continue;
        }
        struct span span = source ? request->source_span : request->memory_span;
        switch (engine->psram) {
        case PSRAM_BY_HOST:
            return check_transport(diagnostics, &inputs->config->target.transport);
        case PSRAM_BY_EXTERNAL_ARENAS:
            if (!problem->allocate_arenas) {
                return true;
            }
            diag_report(
                diagnostics, DIAG_PSRAM_ARENAS, span,
                "PSRAM placement requires engine.config.aot_args.memory.allocate_arenas: false, or the same key in the top-level "
                "memory block");
            return false;
        case PSRAM_NEVER:
            diag_report(diagnostics, DIAG_PSRAM_UNSUPPORTED, span,
                        "the engine %s does not yet support PSRAM; its buffers may be in tcm or sram", engine->name);
            return false;
        }
    }
    return true;
}
