/*
 * Damaged cache files with checksums that hold, of pipeline traces and of tasks: whatever an index
 * in the cache says, opening it and asking everything neither faults nor hangs.
 *
 * Input: 'p' for a pipeline trace, or anything else; then changes of six bytes each: which part (a
 * section, the pages, the header), where in it (two bytes), how, and two bytes of value.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

#include "../unit/store_asking.h"
#include "../unit/store_truth.h"
#include "fuzz.h"
#include "tasks_asking.h"
#include "../unit/open_store.h"
#include "trace/cacheparts.h"

struct section {
	uint64_t off, len;
};

/* As pipeline/index/cachefile.c lays it out; begin() notices when it is no longer so. */
enum { SECTIONS = 11 };

struct header {
	char magic[16];
	uint32_t version, layout;
	char format[32];
	struct source_id id;
	uint64_t source_bytes, blob_len;
	uint32_t blob_crc, section_crc;
	struct section sections[SECTIONS];
	double seconds;
	uint32_t config_crc, crc;
};

/* As tasks/cache.c does; sections from SMALL on have a checksum. */
enum { TASKS_SECTIONS = 12, SMALL = 9, NOTES = 10 };

struct tasks_header {
	struct cache_head head;
	uint64_t beside[4];
	struct section sections[TASKS_SECTIONS];
	int64_t first, last;
	uint64_t counts[NOTES];
	uint32_t form, absent, small_crc;
};

/* A trace and its cache file, whole and damaged. */
struct cached {
	void (*make)(char *trace); /* fills the name in */
	void (*set_sums)(struct cached *c);
	size_t sections, count; /* where they are in the header, and how many */
	size_t from, to;        /* the rest of the header that is changed */
	char folder[64], trace[96], entry[400];
	unsigned char *whole, *damaged;
	size_t len;
};

static uint32_t sum_of(const struct cached *c, size_t off, size_t len, uint32_t crc)
{
	if (off > c->len || len > c->len - off)
		return crc;
	return (uint32_t)crc32_z(crc, c->damaged + off, len);
}

static void set_sums(struct cached *c)
{
	struct header *h = (struct header *)(void *)c->damaged;

	h->section_crc = 0;
	for (int i = 0; i < SECTIONS; i++)
		h->section_crc =
		    sum_of(c, h->sections[i].off, h->sections[i].len, h->section_crc);
	h->blob_crc = sum_of(c, CACHE_HEADER, h->blob_len, 0);
	h->crc = sum_of(c, 0, offsetof(struct header, crc), 0);
}

static void set_tasks_sums(struct cached *c)
{
	struct tasks_header *h = (struct tasks_header *)(void *)c->damaged;

	h->small_crc = 0;
	for (int i = SMALL; i < TASKS_SECTIONS; i++)
		h->small_crc = sum_of(c, h->sections[i].off, h->sections[i].len, h->small_crc);
	h->head.crc = sum_of(c, sizeof(h->head), sizeof(*h) - sizeof(h->head),
			     sum_of(c, 0, offsetof(struct cache_head, crc), 0));
}

static void make_pipeline(char *trace)
{
	struct gen g;

	gen_trace(&g, 21,
		  ODD_SQUASH | ODD_GPV | ODD_PARTIAL | ODD_LOST | ODD_STATISTICS | ODD_REVIVED |
		      ODD_TWICE,
		  64 << 10);
	truth_write(trace, g.text, g.len);
	gen_free(&g);
}

#ifdef HAVE_SQLITE
static void make_tasks(char *trace)
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
static void make_tasks(char *trace)
{
	static const char text[] = "ID, ParentID, Kind, What, Where, Start, End\na, b, k, w, L, 1, 2\n"
				   "b, , k, w, L, 1, 2\nc, b, k, w, M, 1, 1\n";
	int fd = open(trace, O_WRONLY | O_CREAT, 0600);

	if (fd < 0 || write(fd, text, sizeof(text) - 1) < 0)
		abort();
	close(fd);
}
#endif

static struct cached of_pipeline = {.make = make_pipeline,
				    .set_sums = set_sums,
				    .sections = offsetof(struct header, sections),
				    .count = SECTIONS,
				    .from = offsetof(struct header, source_bytes),
				    .to = offsetof(struct header, config_crc)};
static struct cached of_tasks = {.make = make_tasks,
				 .set_sums = set_tasks_sums,
				 .sections = offsetof(struct tasks_header, sections),
				 .count = TASKS_SECTIONS,
				 .from = offsetof(struct tasks_header, sections),
				 .to = offsetof(struct tasks_header, small_crc)};

static void clean_up(void)
{
	struct cached *const all[] = {&of_pipeline, &of_tasks};

	for (int i = 0; i < 2; i++) {
		unlink(all[i]->entry);
		unlink(all[i]->trace);
		rmdir(all[i]->folder);
		free(all[i]->whole);
		free(all[i]->damaged);
	}
}

static void ask(const struct cached *c)
{
	const struct trace_options o = {.threads = 1, .cache_dir = c->folder};
	struct source *source;
	struct progress p;
	struct trace *t;
	struct error e;

	if (source_open(&source, c->trace, &e) || trace_open(&t, source, &o, &e))
		return;
	trace_progress(t, &p);
	if (!c->whole)
		trace_wait(t, &e); /* for the file; of one that is refused the trace is not read again */
	else if (p.cached && t->kind == &tasks_trace_kind)
		ask_tasks(t);
	else if (p.cached)
		ask_everything(store_of_trace(t));
	trace_close(t);
}

static void find_entry(struct cached *c)
{
	DIR *d = opendir(c->folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strstr(e->d_name, ".idx"))
			snprintf(c->entry, sizeof(c->entry), "%s/%s", c->folder, e->d_name);
	if (d)
		closedir(d);
}

static void begin(struct cached *c)
{
	struct stat st;
	int fd;

	if (!of_pipeline.whole && !of_tasks.whole)
		atexit(clean_up);
	/* in memory: a damaged file is written anew each time, and waited for */
	strcpy(c->folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/pipeglass-fuzz-XXXXXX"
							: "/tmp/pipeglass-fuzz-XXXXXX");
	demand(mkdtemp(c->folder), "no folder");
	snprintf(c->trace, sizeof(c->trace), "%s/trace.XXXXXX", c->folder);
	c->make(c->trace);
	ask(c);
	find_entry(c);
	fd = open(c->entry, O_RDONLY);
	demand(fd >= 0 && fstat(fd, &st) == 0, "no cache file");
	c->len = (size_t)st.st_size;
	c->whole = malloc(c->len);
	c->damaged = malloc(c->len);
	demand(c->whole && c->damaged && read(fd, c->whole, c->len) == st.st_size, "no bytes");
	close(fd);
	memcpy(c->damaged, c->whole, c->len);
	c->set_sums(c);
	demand(memcmp(c->damaged, c->whole, c->len) == 0,
	       "cache files are laid out differently: see struct header");
}

static void change(struct cached *c, const uint8_t *op)
{
	static const uint64_t values[] = {0,
					  1,
					  UINT64_MAX,
					  INT64_MAX,
					  UINT64_C(1) << 62,
					  UINT64_C(1) << 32,
					  0xffff,
					  UINT64_C(1) << 63};
	const struct section *sections =
	    (const struct section *)(const void *)(c->whole + c->sections);
	const struct header *h = (const struct header *)(const void *)c->whole;
	unsigned part = op[0] % (c->count + 2);
	size_t at = op[1] | (size_t)op[2] << 8, off = c->from, len = c->to - c->from;
	uint64_t v = values[op[4] % 8] + (op[4] & 8 ? op[5] : 0);

	if (part < c->count) {
		off = sections[part].off;
		len = sections[part].len;
	} else if (part == c->count && c == &of_pipeline) {
		off = CACHE_HEADER;
		len = h->blob_len;
	}
	if (len == 0)
		return;
	at %= len;
	if (op[3] % 4 == 0)
		c->damaged[off + at] = op[5];
	else if (op[3] % 4 == 1)
		c->damaged[off + at] ^= (uint8_t)(1 << op[5] % 8);
	else if (op[3] % 4 == 2)
		c->damaged[off + at] += (uint8_t)(op[5] % 5 - 2);
	else if (at / 8 * 8 + 8 <= len)
		memcpy(c->damaged + off + at / 8 * 8, &v, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct cached *c = len && bytes[0] == 'p' ? &of_pipeline : &of_tasks;
	int fd;

	if (!c->whole)
		begin(c);
	memcpy(c->damaged, c->whole, c->len);
	for (size_t i = 1; i + 6 <= len && i < 60; i += 6)
		change(c, bytes + i);
	c->set_sums(c);
	fd = open(c->entry, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, c->damaged, c->len) != (ssize_t)c->len)
		abort();
	close(fd);
	ask(c);
	return 0;
}
