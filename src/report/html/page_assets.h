/* What every page carries, from the files of the same names in this folder. */
#ifndef DUET_REPORT_HTML_PAGE_ASSETS_H
#define DUET_REPORT_HTML_PAGE_ASSETS_H

#include <stddef.h>

extern const unsigned char page_style[]; /* page.css */
extern const size_t page_style_size;
extern const unsigned char page_script[]; /* page.js */
extern const size_t page_script_size;

#endif
