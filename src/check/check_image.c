/* Rows about the image as a whole. */
#include "base/text.h"
#include "check/facts.h"

/* e_machine of the names that registry files use (ELF specification, EM_ numbers). */
static const struct {
    const char *name;
    uint16_t number;
} MACHINES[] = {
    {"arm", 40}, {"x86_64", 62}, {"avr", 83}, {"xtensa", 94}, {"aarch64", 183}, {"riscv", 243},
};

static const char *machine_name(struct arena *arena, uint16_t number)
{
    for (size_t i = 0; i < sizeof MACHINES / sizeof *MACHINES; i++) {
        if (MACHINES[i].number == number) {
            return MACHINES[i].name;
        }
    }
    return arena_format(arena, "machine %u", (unsigned)number);
}

void check_elf_class(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    if (request->soc->elf_class != 0 && request->image->elf_class != request->soc->elf_class) {
        finding_add(arena, result, "elf-class", "the image is of %u bits, %s is of %u bits", request->image->elf_class,
                    request->soc->name, request->soc->elf_class);
    }
}

void check_elf_machine(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    const char *wanted = request->soc->elf_machine;
    const char *found = machine_name(arena, request->image->machine);
    if (wanted && !text_equal_nocase(wanted, found)) {
        finding_add(arena, result, "elf-machine", "the image is for %s, %s is %s", found, request->soc->name, wanted);
    }
}

void check_image_stripped(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    if (result->facts->arena_count != 0 && !request->image->has_symbols) {
        finding_add(arena, result, "image-stripped",
                    "the image has no symbols, so it is unknown whether %zu planned arenas are where the plan puts them; check "
                    "before stripping",
                    result->facts->arena_count);
    }
}

void check_packed_unknown(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    (void)request;
    if (result->facts->ledger.packing == LEDGER_PACKED_UNKNOWN) {
        finding_add(arena, result, "packed-unknown",
                    "initialised data is packed and the symbols do not tell its size in memory; link with symbols or with "
                    "--datacompressor=off");
    }
}

void check_windows_unverified(const struct check_request *request, struct arena *arena, struct check_result *result)
{
    if (!request->profile->verified) {
        finding_add(
            arena, result, "windows-unverified",
            "nobody verified the windows of %s, profile %s, against a linker script: the table shows the plan, not the image",
            request->soc->name, request->profile->name);
    }
}
