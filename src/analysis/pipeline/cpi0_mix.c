#include "config.h"

#include "analysis/pipeline/cpi0_mix.h"

#include <string.h>

#include "analysis/pipeline/cpi0_kinds.h"
#include "base/num.h"

uint64_t cpi0_mix_queue(const struct cpi0_mix *mix, const struct machine *m, int queue)
{
	uint64_t sum = mix->unsplit[queue];

	for (int c = 0; c < OP_CLASS_COUNT; c++)
		if (m->queues[queue].classes >> c & 1)
			sum += mix->classes[c];
	return sum;
}

uint64_t cpi0_mix_queued(const struct cpi0_mix *mix, const struct machine *m)
{
	uint64_t sum = 0;

	for (int q = 0; q < m->queue_count; q++)
		sum += cpi0_mix_queue(mix, m, q);
	return sum;
}

uint64_t cpi0_mix_branches(const struct cpi0_mix *mix)
{
	return mix->branches + mix->classes[OP_BRANCH] + mix->classes[OP_JUMP] +
	       mix->classes[OP_CALL] + mix->classes[OP_RETURN];
}

uint64_t cpi0_mix_known(const struct cpi0_mix *mix)
{
	uint64_t sum = 0;

	for (int c = 0; c < OP_CLASS_COUNT; c++)
		sum += c == OP_UNKNOWN ? 0 : mix->classes[c];
	for (int q = 0; q < MACHINE_QUEUES; q++)
		sum += mix->unsplit[q];
	return sum - mix->folded;
}

/* ---- micro-ops --------------------------------------------------------------------------- */

const class_set cpi0_functions[CPI0_FUNCTIONS] = {CPI0_INTEGERS, CPI0_FLOATS, CPI0_CLASS(LOAD),
						  CPI0_CLASS(STORE), CPI0_FLOWS};

/* Of one function: a divide, else a multiply, else what there is. Of two branches the return. */
static class_set one_of(class_set classes)
{
	class_set named = classes & ~CPI0_CLASS(FP_OTHER);

	return named ? (class_set)1 << (31 - __builtin_clz(named)) : classes;
}

class_set cpi0_fold(class_set classes)
{
	class_set out = 0;

	if (!(classes & (classes - 1)))
		return classes ? classes : CPI0_CLASS(UNKNOWN);
	if (classes & CPI0_FLOWS)
		classes &= ~CPI0_INTEGERS;
	for (int f = 0; f < CPI0_FUNCTIONS; f++)
		out |= one_of(classes & cpi0_functions[f]);
	return out ? out : one_of(classes);
}

void cpi0_mix_add(struct cpi0_mix *mix, class_set classes)
{
	bool several = (classes & (classes - 1)) != 0;

	mix->total++;
	mix->folded += (unsigned)__builtin_popcount(classes) - 1;
	for (; classes; classes &= classes - 1) {
		mix->classes[__builtin_ctz(classes)]++;
		mix->beside[__builtin_ctz(classes)] += several;
	}
}

int cpi0_places(int8_t out[OP_CLASS_COUNT], const struct machine *m, class_set classes)
{
	int count = 0;

	for (; classes; classes &= classes - 1) {
		int8_t queue = m->queue_of[__builtin_ctz(classes)];

		if (queue != MACHINE_NO_QUEUE)
			out[count++] = queue;
	}
	return count;
}

struct cpi0_mix cpi0_mix_none(void)
{
	return (struct cpi0_mix){.counted = 1, .rest = OP_CLASS_COUNT};
}

/* ---- by hand ----------------------------------------------------------------------------- */

/* Where instructions of that name are counted; NULL: there is no such queue or class. */
static uint64_t *place_of(struct cpi0_mix *mix, const struct machine *m, const char *name,
			  size_t len)
{
	bool branch = len == 1 && name[0] == 'b';
	enum op_class c = branch ? OP_BRANCH : machine_class(name, len);
	int q = branch ? MACHINE_NO_QUEUE : machine_queue_find(m, name, len);

	if (q != MACHINE_NO_QUEUE && !(c < OP_CLASS_COUNT && m->queue_of[c] == q))
		return &mix->unsplit[q];
	return c < OP_CLASS_COUNT ? &mix->classes[c] : NULL;
}

static enum status no_place(const struct machine *m, const char *name, size_t len, struct error *e)
{
	char known[MACHINE_QUEUES * (MACHINE_NAME + 2)] = "";

	for (int q = 0; q < m->queue_count; q++) {
		strcat(known, q ? ", " : "");
		strcat(known, m->queues[q].name);
	}
	return error_set(
	    e, STATUS_USAGE,
	    "'%.*s' is neither a queue of %s (%s) nor a class of instructions, as load "
	    "or fp-add",
	    (int)(len < 40 ? len : 40), name, m->name, known);
}

static enum status add_term(struct cpi0_mix *mix, const struct machine *m, const char *term,
			    size_t len, struct error *e)
{
	const char *equals = memchr(term, '=', len);
	size_t name = equals ? (size_t)(equals - term) : len;
	uint64_t *place = equals ? place_of(mix, m, term, name) : NULL, count;
	char number[32];

	if (equals && !place)
		return no_place(m, term, name, e);
	if (!equals && mix->total && len == 3 && strspn(term, "0123456789") >= len)
		return error_set(e, STATUS_USAGE,
				 "--mix: a comma before '%.3s' begins another NAME=COUNT: thousands "
				 "are m=1000, 1'000 or 1k", term);
	if (!equals || len - name - 1 >= sizeof(number))
		return error_set(e, STATUS_USAGE, "--mix: '%.*s' should be NAME=COUNT, as in m=9",
				 (int)(len < 40 ? len : 40), term);
	memcpy(number, equals + 1, len - name - 1);
	number[len - name - 1] = '\0';
	if (!num_parse_decimal(number, &count) || count > CPI0_COUNT_MOST)
		return error_set(e, STATUS_USAGE,
				 "--mix: '%s' is no count from 0 to 10^15, in decimal", number);
	if (count > CPI0_COUNT_MOST - mix->total)
		return error_set(e, STATUS_USAGE,
				 "--mix: with '%.*s' there are more than 10^15 instructions",
				 (int)(len < 40 ? len : 40), term);
	if (*place)
		return error_set(e, STATUS_USAGE, "--mix: %.*s is given twice", (int)name, term);
	*place = count;
	mix->total += count;
	return STATUS_OK;
}

enum status cpi0_mix_parse(struct cpi0_mix *out, const struct machine *m, const char *text,
			   struct error *e)
{
	enum status status = STATUS_OK;

	*out = cpi0_mix_none();
	for (const char *p = text; !status; p++) {
		size_t len;

		p += strspn(p, " ");
		len = strcspn(p, ",");
		status = add_term(out, m, p, len, e);
		p += len;
		if (!*p)
			break;
	}
	if (!status && !out->total)
		return error_set(e, STATUS_USAGE, "--mix: '%s' has no instruction", text);
	return status;
}

/* ---- patterns ---------------------------------------------------------------------------- */

static enum status add_letter(struct cpi0_mix *mix, queue_vec *order, const struct machine *m,
			      char letter, const char **kinds, struct error *e)
{
	uint64_t *place = place_of(mix, m, &letter, 1);
	int8_t queue =
	    letter == 'b' ? m->queue_of[OP_BRANCH] : (int8_t)machine_queue_find(m, &letter, 1);

	if (!place)
		return no_place(m, &letter, 1, e);
	if (queue != MACHINE_NO_QUEUE && queue == m->queue_of[OP_FP_ADD] && **kinds) {
		place = &mix->classes[**kinds == '*' ? OP_FP_MUL : OP_FP_ADD];
		queue = m->queue_of[**kinds == '*' ? OP_FP_MUL : OP_FP_ADD];
		(*kinds)++;
	}
	if (!vec_push(order, queue))
		return error_set(e, STATUS_NOMEM, "out of memory");
	++*place;
	mix->total++;
	return STATUS_OK;
}

enum status cpi0_pattern_parse(struct cpi0_mix *out, queue_vec *order, const struct machine *m,
			       const char *text, struct error *e)
{
	size_t len = strcspn(text, "_");
	const char *kinds = text[len] ? text + len + 1 : "", *rest = kinds;
	enum status status = STATUS_OK;

	*out = cpi0_mix_none();
	vec_clear(order);
	if (len == 0 || len > CPI0_PATTERN_MOST)
		return error_set(e, STATUS_USAGE,
				 "--pattern: from 1 to %d instructions, as in miii",
				 CPI0_PATTERN_MOST);
	if (kinds[strspn(kinds, "*+")])
		return error_set(e, STATUS_USAGE, "--pattern: behind _ stand * and + only");
	for (size_t i = 0; !status && i < len; i++)
		status = add_letter(out, order, m, text[i], &rest, e);
	if (!status && *rest)
		return error_set(e, STATUS_USAGE,
				 "--pattern: '%s' has more kinds behind _ than floating-point "
				 "instructions",
				 text);
	return status;
}

/* ---- the most uniform order -------------------------------------------------------------- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

bool cpi0_uniform(queue_vec *order, const struct cpi0_mix *mix, const struct machine *m)
{
	uint64_t counts[MACHINE_QUEUES + 1] = {mix->total - cpi0_mix_queued(mix, m)};
	uint64_t divisor = counts[0], total;
	int64_t behind[MACHINE_QUEUES + 1] = {0};

	vec_clear(order);
	if (mix->folded)
		return true;
	for (int q = 0; q < m->queue_count; q++) {
		counts[q + 1] = cpi0_mix_queue(mix, m, q);
		divisor = common_divisor(divisor, counts[q + 1]);
	}
	total = divisor ? mix->total / divisor : 0;
	if (total > CPI0_PATTERN_MOST)
		return true;
	for (uint64_t i = 0; i < total; i++) {
		int next = 0;

		for (int k = 0; k <= m->queue_count; k++) {
			behind[k] += (int64_t)(counts[k] / divisor);
			next = behind[k] > behind[next] ? k : next;
		}
		behind[next] -= (int64_t)total;
		if (!vec_push(order, (int8_t)(next - 1)))
			return false;
	}
	return true;
}
