/*
 * Damaged cache files with checksums that hold: whatever an index in the cache says, opening it
 * and asking everything neither faults nor hangs.
 *
 * Input: changes of six bytes each: which part (a section, the pages, the header), where in it
 * (two bytes), how, and two bytes of value.
 */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <sys/stat.h>
#include <zlib.h>

#include "../unit/store_asking.h"
#include "../unit/store_truth.h"
#include "fuzz.h"
#include "../unit/open_store.h"

/* As pipeline/index/cachefile.c lays it out; begin() notices when it is no longer so. */
enum { SECTION_COUNT = 11, PART_PAGES = SECTION_COUNT, PART_HEADER, PARTS };

struct header {
	char magic[16];
	uint32_t version, layout;
	char format[32];
	struct source_id id;
	uint64_t source_bytes, blob_len;
	uint32_t blob_crc, section_crc;
	struct {
		uint64_t off, len;
	} sections[SECTION_COUNT];
	double seconds;
	uint32_t config_crc, crc;
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

static uint32_t sum_of(const unsigned char *file, size_t off, size_t len, uint32_t crc)
{
	if (off > whole_len || len > whole_len - off)
		return crc;
	return (uint32_t)crc32(crc, file + off, (uInt)len);
}

static void set_sums(unsigned char *file)
{
	struct header *h = (struct header *)(void *)file;

	h->section_crc = 0;
	for (int i = 0; i < SECTION_COUNT; i++)
		h->section_crc =
		    sum_of(file, h->sections[i].off, h->sections[i].len, h->section_crc);
	h->blob_crc = sum_of(file, CACHE_HEADER, h->blob_len, 0);
	h->crc = sum_of(file, 0, offsetof(struct header, crc), 0);
}

static void ask(void)
{
	struct trace_options o = {.threads = 1, .cache_dir = folder};
	struct store *s;
	struct error e;

	if (store_open(&s, trace, &o, &e) != STATUS_OK)
		return;
	store_wait(s, &e);
	ask_everything(s);
	store_close(s);
}

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

/* A trace and its cache file, once. */
static void begin(void)
{
	struct gen g;
	struct stat st;
	int fd;

	strcpy(folder, "/tmp/pipeglass-fuzz-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	atexit(clean_up);
	snprintf(trace, sizeof(trace), "%s/trace.XXXXXX", folder);
	gen_trace(&g, 21,
		  ODD_SQUASH | ODD_GPV | ODD_PARTIAL | ODD_LOST | ODD_STATISTICS | ODD_REVIVED |
		      ODD_TWICE,
		  200 << 10);
	truth_write(trace, g.text, g.len);
	gen_free(&g);
	ask();
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
	if (memcmp(damaged, whole, whole_len) != 0) {
		fprintf(stderr, "cache files are laid out differently: see struct header\n");
		abort();
	}
}

static void change(const uint8_t *op)
{
	static const uint64_t values[] = {0,
					  1,
					  UINT64_MAX,
					  INT64_MAX,
					  UINT64_C(1) << 62,
					  UINT64_C(1) << 32,
					  0xffff,
					  UINT64_C(1) << 63};
	const struct header *h = (const struct header *)(const void *)whole;
	unsigned part = op[0] % PARTS;
	size_t at = op[1] | (size_t)op[2] << 8, off = CACHE_HEADER, len = h->blob_len;
	uint64_t v = values[op[4] % 8] + (op[4] & 8 ? op[5] : 0);

	if (part == PART_HEADER) {
		off = offsetof(struct header, source_bytes);
		len = offsetof(struct header, config_crc) - off;
	} else if (part < PART_PAGES) {
		off = h->sections[part].off;
		len = h->sections[part].len;
	}
	if (len == 0)
		return;
	at %= len;
	if (op[3] % 4 == 0)
		damaged[off + at] = op[5];
	else if (op[3] % 4 == 1)
		damaged[off + at] ^= (uint8_t)(1 << op[5] % 8);
	else if (op[3] % 4 == 2)
		damaged[off + at] += (uint8_t)(op[5] % 5 - 2);
	else if (at / 8 * 8 + 8 <= len)
		memcpy(damaged + off + at / 8 * 8, &v, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	int fd;

	if (!whole)
		begin();
	memcpy(damaged, whole, whole_len);
	for (size_t i = 0; i + 6 <= len && i < 60; i += 6)
		change(bytes + i);
	set_sums(damaged);
	fd = open(entry, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, damaged, whole_len) != (ssize_t)whole_len)
		abort();
	close(fd);
	ask();
	return 0;
}
