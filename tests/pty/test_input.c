/*
 * Bytes of many terminals -> keys by their names in keymaps.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "../unit/testing.h"
#include "base/sbuf.h"
#include "term/input.h"

/* All events of some bytes as text; `final`: the escape timeout passed. */
static void decode(struct input *in, const char *bytes, size_t len, bool final, struct sbuf *out)
{
	struct input_event ev;
	char name[32];
	size_t room;

	memcpy(input_room(in, &room), bytes, len);
	input_fed(in, len);
	while (input_next(in, final, &ev)) {
		if (out->len)
			sbuf_putc(out, ' ');
		if (ev.kind == INPUT_KEY)
			sbuf_printf(out, "%s%s", ev.pasted ? "'" : "", key_name(ev.key, name));
		else
			sbuf_printf(out, "mouse%d:%d@%d,%d%s", ev.mouse.kind, ev.mouse.button,
				    ev.mouse.x, ev.mouse.y, ev.mouse.mods & MOD_CTRL ? "C" : "");
	}
}

TEST(bytes_become_keys)
{
	static const struct {
		const char *bytes, *keys;
	} cases[] = {
	    {"jG ", "j G <Space>"},
	    {"\r\n\t\177\033", "<Enter> <Enter> <Tab> <Backspace> <Esc>"},
	    {"\001\032\034\037", "<C-a> <C-z> <C-\\> <C-_>"},
	    {"\033[A\033[B\033[C\033[D\033[H\033[F", "<Up> <Down> <Right> <Left> <Home> <End>"},
	    {"\033OA\033OB\033OC\033OD\033OH\033OF", "<Up> <Down> <Right> <Left> <Home> <End>"},
	    {"\033[1;2A\033[1;3B\033[1;5C\033[1;6D", "<S-Up> <M-Down> <C-Right> <C-S-Left>"},
	    {"\033[2~\033[3~\033[5~\033[6~\033[5;5~",
	     "<Insert> <Delete> <PageUp> <PageDown> <C-PageUp>"},
	    {"\033OP\033OS\033[11~\033[15~\033[24~\033[[B", "<F1> <F4> <F1> <F5> <F12> <F2>"},
	    {"\033[1;2P\033[1;5S", "<S-F1> <C-F4>"},
	    {"\033[a\033Od\033[5$\033[6^\033[3@",
	     "<S-Up> <C-Left> <S-PageUp> <C-PageDown> <C-S-Delete>"},
	    {"\033[1;5Rq", "<C-F3> q"},
	    {"\033[Z", "<BackTab>"},
	    {"\033x\033X\033\015\033\033[A\033\001", "<M-x> <M-X> <M-Enter> <M-Up> <C-M-a>"},
	    {"\033[7~\033[8~\033[97;5u\033[27;5;98~q", "<Home> <End> q"},
	    {"h\303\244\350\252\236", "h ä 語"},
	    {"\303(\377\033[I\033[Oz", "( z"},
	    {"\033[?62;22c\033]11;rgb:0/0/0\033\\\033]0;x\aq", "q"},
	    {"\033[?2026;2$yq", "q"},
	    {"\033[<0;10;20M\033[<0;10;20m\033[<64;1;1M",
	     "mouse0:1@9,19 mouse1:1@9,19 mouse2:4@0,0"},
	    {"\033[<35;5;5M\033[<16;2;2Mq", "mouse0:1@1,1C q"},
	    {"\033[M !!\033[M#!!q", "mouse0:1@0,0 mouse1:1@0,0 q"},
	    {"\033[200~q\r\033[A\033[201~q", "'q '<Space> '[ 'A q"},
	    {"\033[200~lost\003q", "'l 'o 's 't q"},
	    {"\033\033", "<Esc> <Esc>"},
	    {"\033[", "<M-[>"},
	    {"\033[9999999999999999999999;1~q", "q"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct input in;
		struct sbuf out = {0};

		input_init(&in, 0177);
		decode(&in, cases[i].bytes, strlen(cases[i].bytes), false, &out);
		decode(&in, "", 0, true, &out);
		if (strcmp(sbuf_text(&out), cases[i].keys) != 0)
			fail_msg("case %zu: '%s', not '%s'", i, sbuf_text(&out), cases[i].keys);
		assert_false(input_waiting(&in));
		sbuf_free(&out);
	}
}

TEST(an_unfinished_sequence_waits)
{
	struct sbuf out = {0};
	struct input in;

	input_init(&in, 0177);
	decode(&in, "\033", 1, false, &out);
	assert_true(input_waiting(&in));
	decode(&in, "[1;", 3, false, &out);
	decode(&in, "5", 1, false, &out);
	assert_int_equal(out.len, 0);
	decode(&in, "C\303", 2, false, &out);
	assert_string_equal(sbuf_text(&out), "<C-Right>");
	decode(&in, "\244", 1, false, &out);
	assert_string_equal(sbuf_text(&out), "<C-Right> ä");
	assert_false(input_waiting(&in));
	sbuf_free(&out);
}
