#include "emit/quote.h"

#include <string.h>

static bool is_printable_ascii(char c)
{
    return c >= ' ' && c <= '~';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void quote_comment(struct text *out, const char *text)
{
    const char *printable = text_printable(out->arena, text, strlen(text));
    char before = '\0';
    for (const char *c = printable; *c != '\0'; c++) {
        /* "*" beside "/" would close this comment or look like the start of another; a backslash could continue the line. */
        bool harmful = *c == '\\' || (*c == '/' && before == '*') || (*c == '*' && before == '/');
        before = harmful ? '_' : *c;
        text_add_char(out, before);
    }
}

void quote_c_string(struct text *out, const char *text)
{
    text_add_char(out, '"');
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            text_print(out, "\\%c", *c);
        } else if (*c == '?') {
            text_add(out, "\\077"); /* two of them could start a trigraph */
        } else if (is_printable_ascii(*c)) {
            text_add_char(out, *c);
        } else {
            text_print(out, "\\%03o", (unsigned)(unsigned char)*c);
        }
    }
    text_add_char(out, '"');
}

void quote_ld_name(struct text *out, const char *name)
{
    if (text_is_identifier(name)) {
        text_add(out, name);
        return;
    }
    text_add_char(out, '"');
    for (const char *c = name; *c != '\0'; c++) {
        text_add_char(out, is_printable_ascii(*c) && *c != '"' && *c != '\\' ? *c : '_');
    }
    text_add_char(out, '"');
}

void quote_ld_string(struct text *out, const char *text)
{
    text_add_char(out, '"');
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            text_add_char(out, '\'');
        } else {
            text_add_char(out, is_printable_ascii(*c) ? *c : '?');
        }
    }
    text_add_char(out, '"');
}

void quote_make(struct text *out, const char *path)
{
    size_t backslashes = 0;
    for (const char *c = path; *c != '\0'; c++) {
        if (*c == ' ' || *c == '\t') {
            /* Make halves the backslashes that stand before a blank, and only there. */
            text_add_repeated(out, '\\', backslashes + 1);
            text_add_char(out, *c);
        } else if (*c == '#') {
            text_add_repeated(out, '\\', backslashes + 1);
            text_add_char(out, '#');
        } else if (*c == '$') {
            text_add(out, "$$");
        } else if (*c == ':' && c[1] != '\0') {
            text_add(out, "\\:");
        } else {
            text_add_char(out, *c == '\n' || *c == '\r' ? '?' : *c);
        }
        backslashes = *c == '\\' ? backslashes + 1 : 0;
    }
}

const char *quote_identifier_part(struct arena *arena, const char *text)
{
    char *part = arena_copy_text(arena, text);
    for (char *c = part; *c != '\0'; c++) {
        if (!is_word(*c)) {
            *c = '_';
        }
    }
    return part;
}
