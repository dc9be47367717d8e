#include "config.h"

#include "ptykeys.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct {
	uint32_t code;
	const char *bytes; /* xterm's; %s: where modifiers go */
} key_bytes[] = {
    {K_UP, "\033[%sA"},       {K_DOWN, "\033[%sB"},
    {K_RIGHT, "\033[%sC"},    {K_LEFT, "\033[%sD"},
    {K_HOME, "\033[%sH"},     {K_END, "\033[%sF"},
    {K_PAGE_UP, "\033[5%s~"}, {K_PAGE_DOWN, "\033[6%s~"},
    {K_INSERT, "\033[2%s~"},  {K_DELETE, "\033[3%s~"},
    {K_BACKSPACE, "\177"},    {K_TAB, "\t"},
    {K_BACKTAB, "\033[Z"},    {K_ENTER, "\r"},
    {K_ESCAPE, "\033"},       {K_SPACE, " "},
    {K_F1, "\033OP"},         {K_F2, "\033OQ"},
    {K_F3, "\033OR"},         {K_F4, "\033OS"},
    {K_F5, "\033[15~"},
};

void ptykeys_add(struct sbuf *out, struct key k)
{
	char utf8[4], modifiers[16] = "";

	for (size_t i = 0; i < sizeof(key_bytes) / sizeof(key_bytes[0]); i++) {
		const char *at = strstr(key_bytes[i].bytes, "%s");

		if (key_bytes[i].code != k.code)
			continue;
		if (k.mods)
			snprintf(modifiers, sizeof(modifiers), "%s;%d",
				 at && at[2] == '~' ? "" : "1",
				 1 + (k.mods & MOD_SHIFT ? 1 : 0) + (k.mods & MOD_ALT ? 2 : 0) +
				     (k.mods & MOD_CTRL ? 4 : 0));
		sbuf_add(out, key_bytes[i].bytes,
			 at ? (size_t)(at - key_bytes[i].bytes) : strlen(key_bytes[i].bytes));
		if (at)
			sbuf_printf(out, "%s%s", modifiers, at + 2);
		return;
	}
	if (k.mods & MOD_ALT)
		sbuf_putc(out, 033);
	if (k.mods & MOD_CTRL)
		sbuf_putc(out, (char)(k.code & 0x1f));
	else
		sbuf_add(out, utf8, text_encode(k.code, utf8));
}
