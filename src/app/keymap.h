/*
 * Keys -> command lines, as data: `bind MODE KEYS COMMAND`.
 *
 * A key sequence is either bound or the beginning of longer ones, never both: binding one
 * removes what stands in its way, so no key ever waits for a timeout. `<Any>` in a sequence
 * stands for any character, which the command gets for `%k`; an exact key goes first. A mode
 * other than main looks in main for what it does not bind (prompt excepted). Look-up costs
 * one pass over the bindings (some 200).
 */
#ifndef PIPEGLASS_APP_KEYMAP_H
#define PIPEGLASS_APP_KEYMAP_H

#include "app/key.h"
#include "base/sbuf.h"
#include "base/status.h"
#include "base/vec.h"

/* mode, help; in the order of the words of ARG_MODE */
#define MODE_INFO(_)                                                                               \
	_(MAIN, "everywhere except at a prompt")                                                   \
	_(RESOURCE, "while curves fill the window (view resources); then the keys of main")        \
	_(OVERVIEW, "in the overview; then the keys of main")                                      \
	_(TASKS, "in the component view and the task view; then the keys of main")                 \
	_(NETWORK, "in the network view; then the keys of main")                                    \
	_(BLOCKS, "in the block view; then the keys of main")                                      \
	_(LISTS, "in lists of source lines, objects and classes; then the keys of main")            \
	_(PANE, "while a pane has the focus; then the keys of main")                               \
	_(REDUCE, "while the pane reduce has the focus; then the keys of pane")                    \
	_(CPI0, "while the pane cpi0 has the focus; then the keys of pane")                        \
	_(PROMPT, "while a prompt is open")

enum key_mode {
#define MODE_ENUM(name, help) KEYS_##name,
	MODE_INFO(MODE_ENUM)
#undef MODE_ENUM
	    KEYS_MODES
};

extern const char *const key_mode_help[KEYS_MODES];

enum { KEYMAP_SEQUENCE = 4 };

struct key_sequence {
	struct key keys[KEYMAP_SEQUENCE];
	int count;
};

struct binding {
	enum key_mode mode;
	struct key_sequence sequence;
	char *command;
	const char *origin; /* "default", "vi", "user": of the file it came from; static */
};

struct keymap {
	VEC(struct binding) bindings;
	const char *origin; /* of what is bound from now on */
};

enum keymap_answer { KEYMAP_UNBOUND, KEYMAP_PREFIX, KEYMAP_BOUND };

void keymap_free(struct keymap *m);

/* "gg", "<C-x>s", "m<Any>". STATUS_USAGE says which part is no key. */
enum status keymap_sequence(const char *text, struct key_sequence *out, struct error *e);
void keymap_spell(const struct key_sequence *s, struct sbuf *out); /* appends */

void keymap_bind(struct keymap *m, enum key_mode mode, const struct key_sequence *s,
		 const char *command);
bool keymap_unbind(struct keymap *m, enum key_mode mode, const struct key_sequence *s);

/* Where a mode looks for what it does not bind; KEYS_MODES: nowhere. */
enum key_mode keymap_behind(enum key_mode mode);

/*
 * *out: what is bound; of a prefix the first of the longer ones. keymap_next() tells the others,
 * those of the modes behind as well.
 */
enum keymap_answer keymap_find(const struct keymap *m, enum key_mode mode,
			       const struct key_sequence *typed, const struct binding **out);

const struct binding *keymap_next(const struct keymap *m, enum key_mode mode,
				  const struct binding *after, const struct key_sequence *typed);

/* The first key sequence bound to exactly that command, there or behind; NULL: there is none. */
const struct binding *keymap_for(const struct keymap *m, enum key_mode mode, const char *command);

/* All key sequences of the mode bound to exactly that command, blanks between; appends. */
void keymap_keys_of(const struct keymap *m, enum key_mode mode, const char *command,
		    struct sbuf *out);
/* Is a binding before the i-th of the same mode and command? Then it was listed there. */
bool keymap_listed_before(const struct keymap *m, size_t i);

/* The command with %k replaced by what was typed for <Any>, quoted when it must be. */
void keymap_expand(const struct binding *b, const struct key_sequence *typed, struct sbuf *out);

#endif
