#include "image/image.h"

#include <string.h>

#include "base/text.h"

const char *const linker_names[] = {
    [LINKER_UNKNOWN] = "", [LINKER_GNU] = "gnu", [LINKER_LLD] = "lld", [LINKER_IAR] = "iar", [LINKER_ARM] = "arm"};

/* What producers write into .comment. The first row that matches wins: objects of GCC may be linked by any of the others, so
 * GCC's and clang's own mark is asked last. */
static const struct {
    const char *mark;
    enum image_linker linker;
} COMMENT_MARKS[] = {
    {"Linker: LLD", LINKER_LLD}, /* LLD as its project builds it */
    {" LLD ", LINKER_LLD},       /* "Linker: Debian LLD 14.0.6" */
    {"ArmLink", LINKER_ARM},     /* the command line of armlink 6 */
    {"armlink", LINKER_ARM},     /* "Component: ... Tool: armlink" */
    {"Component: ARM", LINKER_ARM}, {"Component: Arm", LINKER_ARM}, {"IAR ", LINKER_IAR},
    {"GCC:", LINKER_GNU},           {"clang version", LINKER_GNU}, /* without a mark of LLD it was linked by GNU ld */
    {"rustc version", LINKER_GNU},
};

/* Sections that one linker's images have and no other's. */
static const struct {
    const char *prefix;
    enum image_linker linker;
} SECTION_MARKS[] = {
    {".iar.", LINKER_IAR},
};

enum image_linker image_identify_linker(const struct image *image)
{
    for (size_t i = 0; i < sizeof SECTION_MARKS / sizeof *SECTION_MARKS; i++) {
        for (size_t j = 0; j < image->section_count; j++) {
            if (text_starts_with(image->sections[j].name, SECTION_MARKS[i].prefix)) {
                return SECTION_MARKS[i].linker;
            }
        }
    }
    for (size_t i = 0; i < sizeof COMMENT_MARKS / sizeof *COMMENT_MARKS; i++) {
        if (strstr(image->comment, COMMENT_MARKS[i].mark)) {
            return COMMENT_MARKS[i].linker;
        }
    }
    return LINKER_UNKNOWN;
}

uint64_t image_last_address(const struct image *image)
{
    return image->elf_class == 32 ? UINT32_MAX : UINT64_MAX - 1;
}

uint32_t image_find_section(const struct image *image, const char *name)
{
    uint32_t found = SECTION_NONE;
    for (size_t i = 1; i < image->section_count; i++) {
        if (!text_equal(image->sections[i].name, name)) {
            continue;
        }
        if (found != SECTION_NONE) {
            return SECTION_NONE;
        }
        found = (uint32_t)i;
    }
    return found;
}

size_t image_find_symbol(const struct image *image, const char *name, const struct image_symbol **first)
{
    size_t count = 0;
    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct image_symbol *symbol = &image->symbols[i];
        if (!symbol->is_defined || !text_equal(symbol->name, name)) {
            continue;
        }
        if (count == 0) {
            *first = symbol;
        }
        count++;
    }
    return count;
}
