/*
 * Arbitrary text as an optrace, and what is in it through the reductions.
 *
 * Input: a byte for where the text is cut (in 255ths), one for the cap of the reductions and their
 * options, then the text. The operands of a line without a problem must be the text of its columns,
 * cut or not; formula and simulation must agree; and the save file must read back.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "analysis/pipeline/reduce.h"
#include "analysis/pipeline/reduce_evaluate.h"
#include "analysis/pipeline/reduce_file.h"
#include "analysis/pipeline/reduce_operands.h"
#include "analysis/pipeline/reduce_simulate.h"
#include "pipeline/formats/optrace.h"

static const struct pipeline grid[] = {{1, 1}, {2, 2}, {3, 1}, {5, 3}, {8, 2}, {9, 9}};

enum { GRID = sizeof(grid) / sizeof(grid[0]) };

static const char *skip(const char *p, const char *end, bool blanks)
{
	while (p < end && (*p == ' ' || *p == '\t') == blanks)
		p++;
	return p;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

/* Does word[0..len) name the same operand? As it stands, or the same address otherwise written. */
static bool means(const char *word, size_t len, const char *name, size_t name_len)
{
	size_t at = 2, k = 2;

	if (len == name_len && memcmp(word, name, len) == 0)
		return true;
	if (len < 3 || name_len < 3 || memcmp(word, "m:", 2) != 0 || memcmp(name, "m:", 2) != 0)
		return false;
	if (len > 4 && word[2] == '0' && (word[3] | 32) == 'x')
		at = 4;
	while (at + 1 < len && word[at] == '0')
		at++;
	for (; at < len && k < name_len; at++, k++)
		if (!is_hex(word[at]) || (word[at] | 32) != (name[k] | 32))
			return false;
	return at == len && k == name_len;
}

/* The column p[0..end) says exactly these names. */
static void check_column(const struct optrace *o, const char *p, const char *end,
			 const uint32_t *ids, size_t count)
{
	if (count == 0) {
		demand(end - p == 1 && *p == '-', "operands that were not found");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const char *name = intern_name(o->names, (int32_t)ids[i]);
		size_t len = intern_length(o->names, (int32_t)ids[i]);
		const char *comma = i + 1 < count ? memchr(p, ',', (size_t)(end - p)) : end;

		demand(comma != NULL, "not between commas");
		demand(means(p, (size_t)(comma - p), name, len), "another operand");
		p = comma + (i + 1 < count);
	}
}

static void check_line(const struct optrace *o, const char *text, size_t len,
		       const struct optrace_op *op)
{
	const char *p = text + op->at, *end = text + len, *stop;

	if (memchr(p, '\n', (size_t)(end - p)))
		end = memchr(p, '\n', (size_t)(end - p));
	if (end > p && end[-1] == '\r')
		end--;
	for (int column = 0; column < 4; column++) {
		p = skip(p, end, true);
		stop = skip(p, end, false);
		if (column == 2)
			check_column(o, p, stop, op->sources, op->source_count);
		if (column == 3)
			check_column(o, p, stop, op->sinks, op->sink_count);
		p = stop;
	}
}

struct run {
	struct operands operands;
	struct resolvers resolvers;
	struct reduce *reduce;
	struct simulation *simulation;
	int64_t node;
};

static void take_op(struct run *r, const struct optrace_op *op)
{
	struct reduce_step step = {.taken = op->taken, .self = op->self, .ahead = op->ahead};

	demand(operands_resolve(&r->operands, r->node++, op->sources, op->source_count, op->sinks,
				op->sink_count, &r->resolvers),
	       "no memory");
	step.resolvers = r->resolvers.list.data;
	step.count = r->resolvers.list.count;
	demand(reduce_add(r->reduce, &step), "no memory");
	simulation_add(r->simulation, &step);
}

static void read_all(struct run *r, const char *text, size_t len, size_t cut)
{
	struct optrace o;
	struct optrace_op op;
	enum optrace_found found;

	demand(optrace_init(&o), "no memory");
	for (size_t limit = cut;; limit = len) {
		while ((found = optrace_next(&o, text, limit, limit == len, &op)) != OPTRACE_END) {
			demand(found != OPTRACE_NOMEM, "no memory");
			demand((found == OPTRACE_BAD) == (op.problem >= OPTRACE_PC), "a problem");
			if (found == OPTRACE_OP && op.problem == OPTRACE_NONE)
				check_line(&o, text, len, &op);
			if (found == OPTRACE_OP)
				take_op(r, &op);
		}
		if (limit == len)
			break;
	}
	demand(o.pos == len, "text that was not read");
	optrace_free(&o);
}

static void check_reduction(struct run *r, const struct reduction *out, bool shorts)
{
	struct reduce_cycles cycles[GRID];
	struct sbuf text = {.text = NULL}, again = {.text = NULL};
	struct reduction read;
	int64_t simulated[GRID];
	struct error e;

	simulation_cycles(r->simulation, simulated);
	demand(!reduce_evaluate(out, grid, GRID, shorts, cycles, &e), "not evaluated");
	for (int i = 0; i < GRID; i++)
		demand(!cycles[i].exact || cycles[i].cycles == simulated[i], "other cycles");
	demand(reduction_write(out, &text), "not written");
	demand(!reduction_read(&read, text.text, text.len, &e), "not read");
	demand(reduction_write(&read, &again), "not written again");
	demand(strcmp(text.text, again.text) == 0, "another save file");
	reduction_free(&read);
	sbuf_free(&text);
	sbuf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes + 2;
	struct reduce_options options;
	struct run r = {.node = 0};
	struct reduction out;
	struct error e;

	if (len < 2)
		return 0;
	len -= 2;
	options = (struct reduce_options){
	    .cap = bytes[1] >> 3, .r3plus = bytes[1] & 1, .shorts = bytes[1] & 2};
	r.reduce = reduce_new(&options);
	demand(r.reduce && !simulation_new(&r.simulation, grid, GRID, options.shorts, &e),
	       "no memory");
	read_all(&r, text, len, len * bytes[0] / 255);
	demand(!reduce_end(r.reduce, &out, &e), "not reduced");
	check_reduction(&r, &out, options.shorts);
	reduction_free(&out);
	simulation_free(r.simulation);
	operands_free(&r.operands);
	resolvers_free(&r.resolvers);
	/* the text may also be a save file */
	if (!reduction_read(&out, text, len, &e))
		reduction_free(&out);
	return 0;
}
