#include "report/html/html_parts.h"

#include "base/day.h"
#include "base/sha256.h"
#include "report/display.h"
#include "report/html/page_assets.h"
#include "report/plot/svg.h"
#include "report/xml_text.h"

#include <string.h>

void html_base64(struct text *text, const unsigned char *bytes, size_t count)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i < 3 ? count - i : 3;
        uint32_t group = (uint32_t)bytes[i] << 16U;
        group |= left > 1 ? (uint32_t)bytes[i + 1] << 8U : 0U;
        group |= left > 2 ? (uint32_t)bytes[i + 2] : 0U;
        char four[] = {digits[group >> 18U], digits[(group >> 12U) & 63U],
                       digits[(group >> 6U) & 63U], digits[group & 63U]};
        for (size_t k = left + 1; k < sizeof four; k++) {
            four[k] = '='; /* of bytes that are not there */
        }
        text_append_n(text, four, sizeof four);
    }
}

static unsigned char digit_of(char c)
{
    return (unsigned char)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* 'sha256-...' as a policy names a source. */
static void append_hash(struct text *text, const void *bytes, size_t count)
{
    struct sha256 hash;
    char digits[SHA256_TEXT_BYTES];
    unsigned char raw[SHA256_TEXT_BYTES / 2];
    sha256_init(&hash);
    sha256_add(&hash, bytes, count);
    sha256_finish(&hash, digits);
    for (size_t i = 0; i < sizeof raw; i++) {
        raw[i] =
            (unsigned char)(digit_of(digits[2 * i]) * 16 + digit_of(digits[2 * i + 1]));
    }
    text_append(text, "'sha256-");
    html_base64(text, raw, sizeof raw);
    text_append(text, "'");
}

void html_head(struct text *text, const char *title)
{
    struct text style = {0};
    text_append_n(&style, (const char *)page_style, page_style_size);
    svg_style(&style);
    text_append(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                      "<meta charset=\"utf-8\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\""
                      "default-src 'none'; base-uri 'none'; form-action 'none'; "
                      "script-src ");
    append_hash(text, page_script, page_script_size);
    text_append(text, "; style-src ");
    append_hash(text, text_string(&style), style.length);
    text_append(text, "\">\n<meta name=\"viewport\" content=\"width=device-width, "
                      "initial-scale=1\">\n"
                      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    xml_append_line(text, title);
    text_append(text, "</title>\n<style>");
    text_append_n(text, text_string(&style), style.length);
    text_append(text, "</style>\n</head>\n<body>\n<header>\n<h1>");
    xml_append_line(text, title);
    text_append(text, "</h1>\n");
    display_drop(text, &style);
}

void html_tail(struct text *text)
{
    text_append(text, "<script>");
    text_append_n(text, (const char *)page_script, page_script_size);
    text_append(text, "</script>\n</body>\n</html>\n");
}

void html_verdict(struct text *text, enum model_verdict verdict)
{
    static const char *const marks[MODEL_VERDICTS] = {
        [MODEL_VERDICT_SLOWER] = "▲",    [MODEL_VERDICT_FASTER] = "▼",
        [MODEL_VERDICT_SAME] = "=",      [MODEL_VERDICT_UNSURE] = "?",
        [MODEL_VERDICT_IDENTICAL] = "≡", [MODEL_VERDICT_FAILED] = "✕"};
    const char *name = model_verdict_name(verdict);
    text_append_format(
        text,
        "<span class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> "
        "%s</span>",
        name, marks[verdict], name);
}

void html_time(struct text *text, int64_t utc_ms)
{
    char moment[DAY_MOMENT_BYTES];
    day_utc(utc_ms, moment);
    if (utc_ms != 0 && moment[0] != '\0') {
        text_append_format(text, "<time datetime=\"%s\">%.10s %.5s UTC</time>", moment,
                           moment, moment + sizeof "2026-11-22");
    }
}

void html_table_begin(struct text *text, const char *caption)
{
    text_append_format(text,
                       "<details class=\"data\"><summary>%s</summary>\n"
                       "<div class=\"scroll\" role=\"region\" aria-label=\"%s\" "
                       "tabindex=\"0\"><table>\n",
                       caption, caption);
}

void html_table_head(struct text *text, const char *const *cells, size_t count)
{
    text_append(text, "<thead><tr>");
    for (size_t i = 0; i < count; i++) {
        text_append_format(text, "<th scope=\"col\">%s</th>", cells[i]);
    }
    text_append(text, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct text *text)
{
    text_append(text, "</tbody></table></div></details>\n");
}
