/*
 * Bytes from the terminal (src/term/input.h). Whatever comes, however it is cut into pieces:
 * the decoder gets to the end, keys are keys, and the pieces make no difference.
 *
 * The first byte says how long the pieces are.
 */
#include "config.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "term/input.h"

enum { EVENTS = 1 << 14 };

struct events {
	struct input_event list[EVENTS];
	size_t count;
};

static void check(const struct input_event *ev)
{
	assert(ev->kind != INPUT_NOTHING);
	if (ev->kind == INPUT_KEY) {
		assert(ev->key.code > 0 && ev->key.code < K_LAST);
		/* controls have names or MOD_CTRL */
		assert(ev->key.code >= 0x20 && ev->key.code != 0x7f);
		assert(!(ev->key.code >= 0x80 && ev->key.code < 0xa0));
		assert(ev->key.code >= KEY_NAMED || !(ev->key.mods & MOD_SHIFT));
	}
	if (ev->kind == INPUT_MOUSE)
		assert(ev->mouse.x >= 0 && ev->mouse.y >= 0 && ev->mouse.button > 0);
}

static void take(struct input *in, bool final, struct events *out)
{
	struct input_event ev;

	while (input_next(in, final, &ev)) {
		check(&ev);
		assert(out->count < EVENTS);
		out->list[out->count++] = ev;
	}
}

static void feed(const uint8_t *bytes, size_t len, size_t piece, struct events *out)
{
	static struct input in;

	input_init(&in, 0x7f);
	out->count = 0;
	while (len > 0) {
		size_t room, n = piece < len ? piece : len;
		unsigned char *to = input_room(&in, &room);

		/* what is unfinished is bounded: there is always room */
		assert(room > 0);
		n = n < room ? n : room;
		memcpy(to, bytes, n);
		input_fed(&in, n);
		bytes += n;
		len -= n;
		take(&in, false, out);
	}
	take(&in, true, out);
	assert(!input_waiting(&in));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static struct events whole, pieces;
	size_t piece;

	if (len < 2 || len > 2048)
		return 0;
	piece = 1 + bytes[0] % 32;
	feed(bytes + 1, len - 1, len, &whole);
	feed(bytes + 1, len - 1, piece, &pieces);
	assert(whole.count == pieces.count);
	for (size_t i = 0; i < whole.count; i++)
		assert(memcmp(&whole.list[i], &pieces.list[i], sizeof(whole.list[i])) == 0);
	return 0;
}
