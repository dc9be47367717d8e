/*
 * Bytes from the terminal -> keys, mouse events and answers to our questions.
 *
 * Understands UTF-8, what xterm, rxvt, the Linux console, kitty and their kin send (CSI and
 * SS3 sequences with modifiers, the ESC prefix of Alt), the strings of the terminal's own
 * description, SGR and X10 mouse reports and bracketed paste. Everything else that is formed
 * like a sequence is swallowed whole: it never turns into keys. Knows no descriptor and no
 * clock: the caller feeds bytes and says when it stopped waiting for more. O(bytes), bounded
 * buffers.
 */
#ifndef PIPEGLASS_TERM_INPUT_H
#define PIPEGLASS_TERM_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "app/key.h"

enum {
	INPUT_BYTES = 4096,
	INPUT_STRINGS = 64,
	INPUT_STRING = 16,
	INPUT_ESCAPE_MS = 25 /* after this long an ESC was the key */
};

enum input_kind { INPUT_NOTHING, INPUT_KEY, INPUT_MOUSE, INPUT_REPORT, INPUT_PLACE };

struct input_event {
	enum input_kind kind;
	struct key key;
	bool pasted; /* a key that came with a paste: text, not a command */
	struct mouse mouse;
	int mode, value; /* INPUT_REPORT: DECRPM, the state of a DEC private mode */
	int row, column; /* INPUT_PLACE: CPR, of the cursor, from 1; the first row is not told */
};

struct input {
	unsigned char bytes[INPUT_BYTES];
	size_t len;
	struct {
		unsigned char bytes[INPUT_STRING];
		size_t len;
		struct key key;
	} strings[INPUT_STRINGS];
	size_t string_count;
	bool utf8;           /* else bytes beyond ASCII go through the locale */
	unsigned char erase; /* what the terminal's Backspace sends besides DEL */
	bool pasting;
};

void input_init(struct input *in, bool utf8, unsigned char erase);
/* What the terminal's description says a key sends; too long or plain ones are ignored. */
void input_string(struct input *in, const char *bytes, struct key key);

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
