/*
 * What is kept in the state directory: histories, and the marks of traces, which are one.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/state.h"
#include "base/paths.h"

struct history *kept_history(const char *name)
{
	struct history *h = history_new();
	struct sbuf path = {0};
	struct error ignored;

	path_of(&path, PATH_STATE, name);
	if (h && path.len)
		history_load(h, path.text, &ignored);
	sbuf_free(&path);
	return h;
}

enum status kept_save(struct history *h, const char *name, struct error *e)
{
	struct sbuf path = {0}, dir = {0};
	enum status status = STATUS_OK;
	int errnum = 0;

	path_of(&path, PATH_STATE, name);
	path_of(&dir, PATH_STATE, "");
	if (path.len && dir.len)
		errnum = path_make(dir.text);
	if (errnum)
		status = error_errno(e, STATUS_IO, errnum, "cannot save %s: %s", name, dir.text);
	else if (path.len)
		status = history_save(h, path.text, e);
	sbuf_free(&path);
	sbuf_free(&dir);
	return status;
}

/* ---- marks ---- */

/* One line a mark, the newest at the end: KEY LETTER ITEM TICK; one that was removed: KEY LETTER. */
enum { KEY_LEN = 32 };

static const char file_name[] = "marks";

static void make_key(const struct source_id *id, char key[KEY_LEN + 1])
{
	snprintf(key, KEY_LEN + 1, "%016" PRIx64 "%016" PRIx64, id->edge_hash, id->size);
}

static void load_line(struct places *p, const char *line, const char *key)
{
	uint64_t item;
	int64_t tick;
	char letter;
	int fields;

	if (strncmp(line, key, KEY_LEN) != 0)
		return;
	fields = sscanf(line + KEY_LEN, " %c %" SCNu64 " %" SCNd64, &letter, &item, &tick);
	if (fields == 3)
		places_mark(p, letter, item, tick);
	else if (fields == 1)
		places_unmark(p, letter);
}

void places_load(struct places *p, const struct source_id *id)
{
	struct history *h = kept_history(file_name);
	char key[KEY_LEN + 1];

	make_key(id, key);
	for (size_t age = h ? history_count(h) : 0; age-- > 0;)
		load_line(p, history_get(h, age), key);
	history_free(h);
	p->newest = '\0';
}

enum status places_save(const struct places *p, char letter, const struct source_id *id,
			struct error *e)
{
	const struct mark *m = places_find(p, letter);
	struct history *h = kept_history(file_name);
	enum status status = STATUS_OK;
	char key[KEY_LEN + 1];
	struct sbuf line = {0};

	make_key(id, key);
	sbuf_printf(&line, "%s %c", key, letter);
	if (m)
		sbuf_printf(&line, " %" PRIu64 " %" PRId64, m->at.item, m->at.tick);
	if (h && history_add(h, sbuf_text(&line)))
		status = kept_save(h, file_name, e);
	history_free(h);
	sbuf_free(&line);
	return status;
}
