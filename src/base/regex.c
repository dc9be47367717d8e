#include "config.h"

#include "base/regex.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/sbuf.h"

/*
 * MATCH_LIMIT bounds the time of one match (some milliseconds at worst), HEAP_LIMIT_KIB the
 * memory. A component name or an instruction stays below both by orders of magnitude.
 */
enum { MATCH_LIMIT = 200000, HEAP_LIMIT_KIB = 8192, PATTERN_MAX = 4096 };

struct regex {
	pcre2_code *code;
	pcre2_match_context *limits;
	char *pattern;
	bool ignores_case;
	atomic_bool limited;
};

/* Smart case: does the pattern ask for an upper-case letter? */
static bool asks_upper(const char *p)
{
	for (; *p; p++)
		if (*p == '\\' && p[1])
			p++;
		else if (*p >= 'A' && *p <= 'Z')
			return true;
	return false;
}

static enum status compile(struct regex *r, const char *pattern, struct error *e)
{
	/* "(*UTF)" in a pattern would make broken UTF-8 in a subject an error */
	uint32_t options = PCRE2_NEVER_UTF | PCRE2_NEVER_UCP;
	PCRE2_UCHAR message[160];
	PCRE2_SIZE offset;
	size_t len = strlen(pattern);
	int code;

	if (len > PATTERN_MAX)
		return error_set(e, STATUS_USAGE,
				 "regular expression of %zu bytes: at most %d are allowed", len,
				 (int)PATTERN_MAX);
	r->ignores_case = !asks_upper(pattern);
	if (r->ignores_case)
		options |= PCRE2_CASELESS;
	r->code = pcre2_compile((PCRE2_SPTR)pattern, len, options, &code, &offset, NULL);
	if (r->code)
		return STATUS_OK;
	pcre2_get_error_message(code, message, sizeof(message));
	return error_set(e, STATUS_USAGE, "bad regular expression '%.*s' at offset %zu: %s", 160,
			 pattern, (size_t)offset, (char *)message);
}

enum status regex_new(struct regex **out, const char *pattern, struct error *e)
{
	struct regex *r = calloc(1, sizeof(*r));
	enum status status;

	*out = NULL;
	if (!r)
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = compile(r, pattern, e);
	if (status != STATUS_OK) {
		regex_free(r);
		return status;
	}
	r->pattern = strdup(pattern);
	r->limits = pcre2_match_context_create(NULL);
	if (!r->pattern || !r->limits) {
		regex_free(r);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	pcre2_set_match_limit(r->limits, MATCH_LIMIT);
	pcre2_set_heap_limit(r->limits, HEAP_LIMIT_KIB);
	/* where there is no JIT the interpreter does the same, slower */
	(void)pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE);
	*out = r;
	return STATUS_OK;
}

void regex_free(struct regex *r)
{
	if (!r)
		return;
	pcre2_match_context_free(r->limits);
	pcre2_code_free(r->code);
	free(r->pattern);
	free(r);
}

static int run(struct regex *r, pcre2_match_data *block, const char *p, size_t len)
{
	PCRE2_SPTR subject = (PCRE2_SPTR)(p ? p : "");
	int found = pcre2_match(r->code, subject, len, 0, 0, block, r->limits);

	/* the JIT's stack is small and fixed; the interpreter has the heap, within its limit */
	if (found == PCRE2_ERROR_JIT_STACKLIMIT)
		found = pcre2_match(r->code, subject, len, 0, PCRE2_NO_JIT, block, r->limits);
	return found;
}

bool regex_match(const struct regex *regex, const char *p, size_t len, size_t *from, size_t *to)
{
	/* what changes is atomic: to the callers a regular expression is constant */
	struct regex *r = (struct regex *)(uintptr_t)regex;
	/* one each time, so that threads share none; only the whole match is asked for */
	pcre2_match_data *block = pcre2_match_data_create(1, NULL);
	const PCRE2_SIZE *ends;
	int found;

	if (!block) {
		atomic_store(&r->limited, true);
		return false;
	}
	found = run(r, block, p, len);
	ends = pcre2_get_ovector_pointer(block);
	if (found >= 0 && from)
		*from = ends[0];
	if (found >= 0 && to)
		*to = ends[1] < ends[0] ? ends[0] : ends[1];
	pcre2_match_data_free(block);
	if (found < 0 && found != PCRE2_ERROR_NOMATCH)
		atomic_store(&r->limited, true);
	return found >= 0;
}

bool regex_limited(const struct regex *r)
{
	return atomic_load(&r->limited);
}

bool regex_ignores_case(const struct regex *r)
{
	return r->ignores_case;
}

const char *regex_pattern(const struct regex *r)
{
	return r->pattern;
}

void regex_quote(const char *text, struct sbuf *out)
{
	for (const char *p = text; *p; p++) {
		if (strchr("\\^$.[]|()?*+{}", *p))
			sbuf_putc(out, '\\');
		sbuf_putc(out, *p);
	}
}
