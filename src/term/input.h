/*
 * Bytes from the terminal -> keys and mouse events.
 *
 * Understands UTF-8, what xterm, the Linux console, tmux, PuTTY, rxvt and their kin send as long as
 * nobody sets another mode (CSI and SS3 sequences, modifiers as xterm and rxvt tell them, the ESC
 * prefix of Alt), SGR and X10 mouse reports and bracketed paste. Everything else that is formed
 * like a sequence is swallowed whole: it never turns into keys. Knows no descriptor and no clock:
 * the caller feeds bytes and says when it stopped waiting for more. O(bytes), bounded buffers.
 *
 * ncurses' getch() is not asked: it knows no sequence that the terminal's description lacks (Home
 * of PuTTY as xterm, Ctrl with an arrow as screen) and makes keys of its bytes, loses characters
 * that come in pieces, and takes 4 s for a pasted megabyte.
 */
#ifndef PIPEGLASS_TERM_INPUT_H
#define PIPEGLASS_TERM_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "app/key.h"

enum {
	INPUT_BYTES = 4096,
	INPUT_ESCAPE_MS = 25 /* after this long an ESC was the key */
};

enum input_kind { INPUT_NOTHING, INPUT_KEY, INPUT_MOUSE };

struct input_event {
	enum input_kind kind;
	struct key key;
	bool pasted; /* a key that came with a paste: text, not a command */
	struct mouse mouse;
};

struct input {
	unsigned char bytes[INPUT_BYTES];
	size_t len;
	unsigned char erase; /* what the terminal's Backspace sends besides DEL */
	bool pasting;
};

void input_init(struct input *in, unsigned char erase);
/* Where to put bytes and how many; then say how many came. */
unsigned char *input_room(struct input *in, size_t *room);
void input_fed(struct input *in, size_t len);

/*
 * The next event. False: nothing more yet; input_waiting() then says whether bytes of an
 * unfinished sequence are held, which `final` (the wait is over) turns into what they are.
 */
bool input_next(struct input *in, bool final, struct input_event *ev);
bool input_waiting(const struct input *in);

#endif
