#include "config.h"

#include "analysis/info.h"

#include <stdlib.h>

enum status trace_info_make(struct trace_info *info, struct trace *t, struct error *e)
{
	bool made;

	*info = (struct trace_info){.trace = t};
	trace_progress(t, &info->progress);
	if (t->kind->info)
		info->own = t->kind->info_make(t);
	made = info->own || !t->kind->info;
	if (!component_table_make(&info->components, t) ||
	    !metric_table_make(&info->metrics, t, false) || !made)
		return error_set(e, STATUS_NOMEM, "out of memory");
	return STATUS_OK;
}

void trace_info_free(struct trace_info *info)
{
	free(info->own);
	component_table_free(&info->components);
	metric_table_free(&info->metrics);
}

static const struct trace_info *info_of(const void *result)
{
	return result;
}

/* ---- warnings: those whose text was kept ---- */

static size_t warning_rows(const void *result)
{
	const struct trace *t = info_of(result)->trace;
	uint64_t count = t->kind->warning_count(t);

	return count < TRACE_WARNINGS ? (size_t)count : TRACE_WARNINGS;
}

static struct value warning_line(const void *result, size_t row, size_t part)
{
	const struct trace *t = info_of(result)->trace;
	struct warning w;

	(void)part;
	if (!t->kind->warning(t, row, &w) || w.line == 0)
		return value_none();
	return value_count(w.line);
}

static struct value warning_text(const void *result, size_t row, size_t part)
{
	const struct trace *t = info_of(result)->trace;
	struct warning w;

	(void)part;
	return t->kind->warning(t, row, &w) ? value_text(w.text) : value_none();
}

static const struct field warning_fields[] = {
    {.key = "line", .type = VALUE_COUNT, .get = warning_line, .name = true},
    {.key = "text", .type = VALUE_TEXT, .get = warning_text},
    {0},
};

const struct section info_warnings[] = {{SECTION(LIST, "warnings", warning_rows, warning_fields)},
					{.key = NULL}};
