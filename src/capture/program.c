#include "config.h"

#include "capture/program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ids.h"
#include "base/vec.h"
#include "capture/site.h"
#include "simulator/simulator.h"
#include "source/binary.h"

enum {
	LINE_BITS = 18,       /* of chiron_source() */
	SOURCE_BYTES = 8 << 20 /* of a file of source that is looked into */
};

struct place {
	uint64_t source;
	int32_t file;
	int line;
	int32_t made; /* a name; -1: not asked for yet */
};

struct program {
	const char *path;
	struct binary *binary; /* NULL: no lines */
	struct ids *known;
	VEC(struct place) places;
	struct intern *files, *names;
};

/* ---- is it one? ---- */

/* The runtime asks its environment for this: the text is also in a stripped program. */
static const char asked[] = "PGMEM_FD";

enum status program_check(const char *path, struct error *e)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	enum status status = STATUS_OK;
	void *bytes = MAP_FAILED;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		status = error_errno(e, STATUS_INPUT, errno, "%s", path);
	else if (!S_ISREG(st.st_mode))
		status = error_set(e, STATUS_INPUT, "%s: not a program", path);
	if (!status)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (!status && (bytes == MAP_FAILED ||
			!memmem(bytes, (size_t)st.st_size, asked, sizeof(asked))))
		status = error_set(e, STATUS_INPUT,
				   "%s: not built to be recorded; build it with `pipeglass cc` or "
				   "`pipeglass c++` in place of the compiler",
				   path);
	if (bytes != MAP_FAILED)
		munmap(bytes, (size_t)st.st_size);
	if (fd >= 0)
		close(fd);
	return status;
}

/* ---- opening ---- */

static void take_file(void *context, const char *path)
{
	struct program *p = context;

	(void)intern_add(p->files, path, strlen(path));
}

/* Its files are known from the start, for those who read the trace while it is written. */
enum status program_open(struct program **out, const char *path, struct error *e)
{
	struct program *p = calloc(1, sizeof(*p));

	*out = p;
	if (!p || !(p->known = ids_new()) || !(p->files = intern_new()) ||
	    !(p->names = intern_new())) {
		program_close(p);
		*out = NULL;
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	p->path = path;
	if (binary_open(&p->binary, path, NULL, NULL)) /* then nothing is known */
		p->binary = NULL;
	binary_files(p->binary, take_file, p);
	return STATUS_OK;
}

void program_close(struct program *p)
{
	if (!p)
		return;
	binary_close(p->binary);
	ids_free(p->known);
	vec_free(&p->places);
	intern_free(p->files);
	intern_free(p->names);
	free(p);
}

void program_load(struct program *p, uint64_t mark)
{
	binary_load(p->binary, PROGRAM_MARK, mark);
}

/* ---- lines ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* From code of a header to where it was inlined to; *made: what an allocator allocates. */
static void leave_system(struct program *p, uint64_t pc, struct code_place *at, int32_t *made)
{
	struct code_place outside;
	const bool found = binary_inlined(p->binary, pc, &outside);
	const char *class = outside.function ? strchr(outside.function, '<') : NULL, *end;
	struct sbuf name = {0};

	if (found)
		*at = outside;
	end = class ? strrchr(class, '>') : NULL;
	if (end)
		site_put(class + 1, (size_t)(end - class - 1), &name);
	*made = name.len && !name.failed ? intern_add(p->names, name.text, name.len) : -1;
	sbuf_free(&name);
}

/* Of the call, which ends before its return address. */
static bool locate(struct program *p, uint64_t address, struct place *out)
{
	const uint64_t mask = (UINT64_C(1) << LINE_BITS) - 1;
	uint64_t call = address - 1, from = 0, to;
	struct code_place at = {0};
	struct sbuf path = {0};

	out->made = -1;
	if (p->binary) {
		binary_locate(p->binary, &call, 1, &at, NULL);
		if (at.file && strncmp(at.file, "/usr/", strlen("/usr/")) == 0)
			leave_system(p, call, &at, &out->made);
		binary_span(p->binary, &from, &to);
		call -= from;
	}
	if (at.file)
		sbuf_puts(&path, at.file);
	else
		sbuf_printf(&path, "%s+0x%" PRIx64, base_name(p->path), call & ~mask);
	out->line = at.file ? at.line : (int)(call & mask);
	out->file = path.failed ? -1 : intern_add(p->files, path.text, path.len);
	out->source = chiron_source((uint64_t)out->file + 1, (uint64_t)out->line);
	sbuf_free(&path);
	return out->file >= 0;
}

/* NULL: no memory. */
static struct place *place_of(struct program *p, uint64_t pc)
{
	struct id *id = ids_at(p->known, ids_number(p->known, pc));
	struct place place;

	if (!id)
		return NULL;
	if (id->row == IDS_NONE) {
		if (!locate(p, pc, &place) || !vec_push(&p->places, place))
			return NULL;
		id->row = (uint32_t)p->places.count - 1;
	}
	return &p->places.data[id->row];
}

uint64_t program_source(struct program *p, uint64_t pc)
{
	const struct place *place = place_of(p, pc);

	return place ? place->source : 0;
}

const struct intern *program_files(const struct program *p)
{
	return p->files;
}

void program_put_place(struct program *p, uint64_t pc, struct sbuf *out)
{
	const struct place *place = place_of(p, pc);

	if (place)
		sbuf_printf(out, "%s:%d", base_name(intern_name(p->files, place->file)),
			    place->line);
}

/* ---- names ---- */

static void put_made(struct program *p, const struct place *place, struct sbuf *out)
{
	const char *path = intern_name(p->files, place->file);
	struct sbuf text = {0}, statement = {0};

	if (!sbuf_read(&text, path, SOURCE_BYTES) ||
	    !site_statement(text.text, text.len, place->line, &statement) ||
	    !site_name(sbuf_text(&statement), out))
		sbuf_printf(out, "%s:%d", base_name(path), place->line);
	sbuf_free(&text);
	sbuf_free(&statement);
}

const char *program_made(struct program *p, uint64_t pc)
{
	struct place *place = place_of(p, pc);
	struct sbuf name = {0};

	if (!place)
		return NULL;
	if (place->made < 0) {
		put_made(p, place, &name);
		place->made = name.failed ? -1 : intern_add(p->names, name.text, name.len);
		sbuf_free(&name);
	}
	return place->made < 0 ? NULL : intern_name(p->names, place->made);
}

struct binary *program_binary(struct program *p)
{
	return p->binary;
}
