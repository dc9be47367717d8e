/*
 * Arbitrary text as a CSV of tasks, and damaged cache files of tasks with checksums that hold:
 * whatever is said, numbers lead somewhere, parents come to an end and names are texts.
 *
 * Input: 'c' and the text; or changes of a cache file of five bytes each: which part, where in it
 * (two bytes), how, and a byte of value.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

#include "fuzz.h"
#include "source/source.h"
#include "tasks/kind.h"
#include "tasks/tasks_private.h"

/* ---- asking ---- */

static void ask_row(struct trace *t, const struct task_columns *c, uint32_t row)
{
	const struct task_tables *tables = tasks_tables(t);
	const struct task_slot *slot = &tables->slots.data[c->slot[row]];
	uint32_t from, to, steps = 0;

	demand(c->slot[row] < tables->slots.count, "a slot that is none");
	demand(tasks_component(t, slot->component) && tasks_kind(t, slot->kind) &&
		   tasks_what(t, slot->what),
	       "a task without names");
	demand(c->start[row] <= c->end[row], "a task that ends before it starts");
	for (uint32_t at = row; at < c->count; at = c->parent[at])
		demand(steps++ < c->count, "parents without an end");
	tasks_children(c, row, &from, &to);
	demand(from <= to && to <= c->count, "children that are no rows");
	tasks_marks(c, row, &from, &to);
	for (uint32_t i = from; i < to; i++)
		demand(c->marks[i].label < tables->labels.count &&
			   tables->labels.data[c->marks[i].label].what,
		       "a mark without a label");
	demand(c->by_start[row] < c->count && c->by_component[row] < c->count &&
		   c->by_parent[row] < c->count,
	       "an order of what are no rows");
}

static void ask_names(const struct task_tables *tables)
{
	size_t length = 0;

	for (size_t i = 0; i < tables->properties.count; i++)
		length += strlen(tables->properties.data[i].value);
	for (size_t i = 0; i < tables->specs.count; i++)
		length += strlen(tables->specs.data[i].spec);
	for (size_t i = 0; i < tables->ports.count; i++)
		length += strlen(tables->ports.data[i].connection);
	for (size_t i = 0; i < tables->figures.count; i++)
		length += strlen(tables->figures.data[i].unit);
	demand(length < SIZE_MAX / 2, "texts without an end");
}

static void ask(struct trace *t)
{
	const struct task_columns *c = tasks_lock(t);
	struct sbuf id = {0};
	struct warning w;
	uint32_t from, to, rows = c->count;

	for (uint32_t row = 0; row < c->count; row++)
		ask_row(t, c, row);
	for (uint32_t k = 0; k < c->component_count; k++) {
		tasks_overlapping(c, k, c->first, c->last, &from, &to);
		demand(from >= c->component_from[k] && to <= c->component_from[k + 1],
		       "tasks of another component");
	}
	ask_names(tasks_tables(t));
	tasks_unlock(t);
	for (size_t i = 0; t->kind->warning(t, i, &w); i++)
		demand(w.text != NULL, "a warning without a text");
	if (rows && t->kind == &tasks_trace_kind) {
		tasks_id(t, rows / 2, &id);
		tasks_find_id(t, sbuf_text(&id));
	}
	sbuf_free(&id);
}

/* ---- text ---- */

static void check_text(const char *text, size_t len)
{
	const struct trace_options options = {.as = "akita-csv"};
	int fd = memfd_create("tasks", MFD_CLOEXEC);
	struct source *source;
	struct trace *t;
	struct error e;

	demand(fd >= 0 && write(fd, text, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0,
	       "no file");
	if (source_open_fd(&source, fd, "text", &e) || trace_open(&t, source, &options, &e))
		return;
	demand(!trace_wait(t, &e), "it cannot be read");
	ask(t);
	trace_close(t);
}

/* ---- the cache ---- */

/* As src/tasks/cache.c lays it out: begin() notices when it is no longer so. */
enum { PARTS = 15, SMALL = 8 };

struct header {
	char magic[16];
	uint32_t version, layout;
	char format[32];
	struct source_id id;
	uint64_t beside[4];
	struct {
		uint64_t off, len;
	} sections[PARTS];
	double seconds;
	int64_t first, last;
	uint64_t counts[TASK_NOTE_COUNT];
	uint32_t form, absent, small_crc, crc;
};

static char folder[64], trace[96], entry[400];
static unsigned char *whole, *damaged;
static size_t whole_len;

static void clean_up(void)
{
	unlink(entry);
	unlink(trace);
	rmdir(folder);
	free(whole);
	free(damaged);
}

static void set_sums(unsigned char *file)
{
	struct header *h = (struct header *)(void *)file;

	h->small_crc = 0;
	for (int i = SMALL; i < PARTS; i++)
		if (h->sections[i].len && h->sections[i].off <= whole_len &&
		    h->sections[i].len <= whole_len - h->sections[i].off)
			h->small_crc = (uint32_t)crc32(h->small_crc, file + h->sections[i].off,
						       (uInt)h->sections[i].len);
	h->crc = (uint32_t)crc32(0, file, offsetof(struct header, crc));
}

static void open_cached(void)
{
	const struct trace_options o = {.cache_dir = folder};
	struct source *source;
	struct trace *t;
	struct error e;

	if (source_open(&source, trace, &e) || trace_open(&t, source, &o, &e))
		return;
	trace_wait(t, &e);
	ask(t);
	trace_close(t);
}

#ifdef HAVE_SQLITE
static void make_trace(void)
{
	static const char sql[] =
	    "create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"
	    "create table milestone(ID,TaskID,Time,Kind,What);create table tag(ID,TaskID,Time,What);"
	    "create table \"daisen$segments\"(StartTime,EndTime);"
	    "create table exec_info(Property,Value);create table mgpusim_metrics(Location,What,Value,Unit);"
	    "create table component_spec(Name,Type,Spec);create table port(Component,Port,Connection);"
	    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 40)"
	    " insert into trace select i, i * 2 % 41, 'k' || i % 3, 'w', 'L' || i % 5, i * 10.0,"
	    " i * 10.0 + i % 7 from n;"
	    "insert into trace values(3, 0, '', '', '', 2.0, 1.0);"
	    "insert into milestone select ID, ID, StartTime + 1, 'queue', 'q' || ID % 3 from trace;"
	    "insert into tag select ID, ID, StartTime, 'hit' from trace where ID % 4 = 0;"
	    "insert into \"daisen$segments\" values(0.0, 100.0), (200.0, 300.0);"
	    "insert into exec_info values('Command', 'sim');"
	    "insert into mgpusim_metrics values('L1', 'hits', 3.0, 'count');"
	    "insert into component_spec values('L1', 'cache', '{}');"
	    "insert into port values('L1', 'L1.Top', '');";
	sqlite3 *db;

	if (sqlite3_open(trace, &db) || sqlite3_exec(db, sql, NULL, NULL, NULL))
		abort();
	sqlite3_close(db);
}
#else
static void make_trace(void)
{
	static const char text[] = "ID, ParentID, Kind, What, Where, Start, End\na, b, k, w, L, 1, 2\n"
				   "b, , k, w, L, 1, 2\nc, b, k, w, M, 1, 1\n";
	int fd = open(trace, O_WRONLY | O_CREAT, 0600);

	if (fd < 0 || write(fd, text, sizeof(text) - 1) < 0)
		abort();
	close(fd);
}
#endif

static void find_entry(void)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strstr(e->d_name, ".idx"))
			snprintf(entry, sizeof(entry), "%s/%s", folder, e->d_name);
	if (d)
		closedir(d);
}

static void begin(void)
{
	struct stat st;
	int fd;

	/* in memory: a damaged file is written anew each time, and waited for */
	strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/pipeglass-fuzz-XXXXXX"
						     : "/tmp/pipeglass-fuzz-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	atexit(clean_up);
	snprintf(trace, sizeof(trace), "%s/trace", folder);
	make_trace();
	open_cached();
	find_entry();
	fd = open(entry, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) != 0)
		abort();
	whole_len = (size_t)st.st_size;
	whole = malloc(whole_len);
	damaged = malloc(whole_len);
	if (!whole || !damaged || read(fd, whole, whole_len) != st.st_size)
		abort();
	close(fd);
	memcpy(damaged, whole, whole_len);
	set_sums(damaged);
	demand(memcmp(damaged, whole, whole_len) == 0,
	       "cache files are laid out differently: see struct header");
}

static void change(const uint8_t *op)
{
	static const uint32_t values[] = {0, 1, UINT32_MAX, UINT32_MAX - 1, 0x7fffffff, 0xffff};
	const struct header *h = (const struct header *)(const void *)whole;
	unsigned part = op[0] % (PARTS + 1);
	size_t at = op[1] | (size_t)op[2] << 8, off, len;

	if (part == PARTS) {
		off = offsetof(struct header, sections);
		len = offsetof(struct header, small_crc) - off;
	} else {
		off = h->sections[part].off;
		len = h->sections[part].len;
	}
	if (!len)
		return;
	at %= len;
	if (op[3] % 3 == 0)
		damaged[off + at] = op[4];
	else if (op[3] % 3 == 1)
		damaged[off + at] ^= (uint8_t)(1 << op[4] % 8);
	else if (at / 4 * 4 + 4 <= len)
		memcpy(damaged + off + at / 4 * 4, &values[op[4] % 6], 4);
}

static void check_cache(const uint8_t *bytes, size_t len)
{
	int fd;

	if (!whole)
		begin();
	memcpy(damaged, whole, whole_len);
	for (size_t i = 0; i + 5 <= len && i < 50; i += 5)
		change(bytes + i);
	set_sums(damaged);
	fd = open(entry, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, damaged, whole_len) != (ssize_t)whole_len)
		abort();
	close(fd);
	open_cached();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	if (len > 1 && bytes[0] == 'c')
		check_text((const char *)bytes + 1, len - 1);
	else
		check_cache(bytes, len);
	return 0;
}
