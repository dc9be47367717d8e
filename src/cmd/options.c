#include "config.h"

#include "cmd/options.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "app/child.h"
#include "base/embedded.h"
#include "base/num.h"
#include "cmd/export.h"
#include "memory/kind.h"
#include "pipeline/kind.h"

struct option;
typedef enum status option_set_fn(void *field, const char *text, const struct option *o,
				  struct error *e);

struct option {
	const char *name;
	char letter;
	option_set_fn *set;
	size_t field; /* offset in struct cmd_options */
	const char *value;
	const char *help;
};

static enum status bad_value(const struct option *o, const char *text, const char *wanted,
			     struct error *e)
{
	return error_set(e, STATUS_USAGE, "--%s: '%s' is not %s", o->name, text, wanted);
}

static enum status set_flag(void *field, const char *text, const struct option *o, struct error *e)
{
	(void)text, (void)o, (void)e;
	*(bool *)field = true;
	return STATUS_OK;
}

static enum status set_text(void *field, const char *text, const struct option *o, struct error *e)
{
	(void)o, (void)e;
	*(const char **)field = text;
	return STATUS_OK;
}

static enum status set_tick(void *field, const char *text, const struct option *o, struct error *e)
{
	int64_t tick;

	if (!num_parse_i64(text, &tick) && !num_parse_time(text, "ps", &tick))
		return bad_value(o, text, "a tick, or a time as in 12.5us", e);
	*(const char **)field = text;
	return STATUS_OK;
}

/* Of the options named --to the other one takes ticks. */
static enum status set_export(void *field, const char *text, const struct option *o,
			      struct error *e)
{
	const struct export_format *format = export_format_find(text, NULL);

	if (!format)
		return bad_value(o, text,
				 strcmp(o->name, "to") == 0
				     ? "kanata, perfetto, csv, sqlite, akita or a tick"
				     : "kanata, perfetto, csv, sqlite or akita",
				 e);
	*(const struct export_format **)field = format;
	return STATUS_OK;
}

static enum status set_limit(void *field, const char *text, const struct option *o, struct error *e)
{
	return num_parse_u64(text, field) ? STATUS_OK : bad_value(o, text, "a number", e);
}

static enum status parse_count(const char *text, int64_t most, int64_t *out, const struct option *o,
			       struct error *e)
{
	char wanted[64];

	if (num_parse_i64(text, out) && *out >= 1 && *out <= most)
		return STATUS_OK;
	snprintf(wanted, sizeof(wanted), "a number from 1 to %" PRId64, most);
	return bad_value(o, text, wanted, e);
}

static enum status set_bins(void *field, const char *text, const struct option *o, struct error *e)
{
	return parse_count(text, BINS_MAX, field, o, e);
}

/* [RE=]N: the number is behind the last sign. */
static enum status set_capacity(void *field, const char *text, const struct option *o,
				struct error *e)
{
	struct cmd_options *at = (void *)((char *)field - offsetof(struct cmd_options, capacity));
	const char *sign = strrchr(text, '=');

	if (!num_parse_real(sign ? sign + 1 : text, &at->capacity.tasks) ||
	    !(at->capacity.tasks > 0))
		return bad_value(o, text, "a number, or RE=N as in WFPool=40", e);
	sbuf_clear(&at->capacity.text);
	if (sign)
		sbuf_add(&at->capacity.text, text, (size_t)(sign - text));
	at->capacity.of = sign ? sbuf_text(&at->capacity.text) : NULL;
	return STATUS_OK;
}

static enum status set_stall_by(void *field, const char *text, const struct option *o,
				struct error *e)
{
	for (int by = 0; by < STALL_BY_NAMELESS; by++)
		if (strcmp(stall_by_names[by], text) == 0) {
			*(enum stall_by *)field = (enum stall_by)by;
			return STATUS_OK;
		}
	return bad_value(o, text, "pc, function or line", e);
}

static enum status set_address(void *field, const char *text, const struct option *o,
			       struct error *e)
{
	struct cmd_options *at =
	    (void *)((char *)field - offsetof(struct cmd_options, load_address));

	at->load_address.given = true;
	return num_parse_u64(text, &at->load_address.value)
		   ? STATUS_OK
		   : bad_value(o, text, "an address, as in 0x400000", e);
}

static enum status set_threads(void *field, const char *text, const struct option *o,
			       struct error *e)
{
	int64_t threads;
	enum status status = parse_count(text, THREADS_MAX, &threads, o, e);

	if (!status)
		*(int *)field = (int)threads;
	return status;
}

static enum status set_ticks(void *field, const char *text, const struct option *o, struct error *e)
{
	return parse_count(text, INT32_MAX, field, o, e);
}

static enum status set_segments(void *field, const char *text, const struct option *o,
				struct error *e)
{
	struct pipeline_settings *own = trace_settings_of(field, &pipeline_kind);

	return own && segments_parse(text, &own->segments)
		   ? STATUS_OK
		   : bad_value(o, text, "two numbers from 1 to 4096, as in 5,5", e);
}

static enum status set_radix(void *field, const char *text, const struct option *o, struct error *e)
{
	struct memory_settings *own = trace_settings_of(field, &memory_trace_kind);
	int64_t radix = 0;

	if (!own || !num_parse_i64(text, &radix) || (radix != 8 && radix != 10 && radix != 16))
		return bad_value(o, text, "8, 10 or 16", e);
	own->radix = (uint64_t)radix;
	return STATUS_OK;
}

/* The four numbers that a trace begins with. */
static enum status set_header(void *field, const char *text, const struct option *o,
			      struct error *e)
{
	struct memory_settings *own = trace_settings_of(field, &memory_trace_kind);
	uint64_t g[4];
	char behind;

	if (!own || sscanf(text, "%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 "%c", &g[0], &g[1],
			   &g[2], &g[3], &behind) != 4)
		return bad_value(o, text, "four numbers, as in 32,128,8,2", e);
	if (!memory_geometry_fits(g))
		return bad_value(o, text,
				 "bytes of blocks (4, 8, 16 .. 4096, L2 no less than L1) and numbers "
				 "of caches (1 .. 4096, L2 no more than L1)",
				 e);
	memcpy(own->geometry, g, sizeof(g));
	return STATUS_OK;
}

static enum status set_format(void *field, const char *text, const struct option *o,
			      struct error *e)
{
	(void)o;
	*(const char **)field = text;
	return trace_format_known(text, e) ? STATUS_OK : STATUS_USAGE;
}

static enum status set_align(void *field, const char *text, const struct option *o, struct error *e)
{
	for (int i = 0; i < ALIGN_BY_PAIR; i++) /* a pair has its own option */
		if (strcmp(align_by_names[i], text) == 0) {
			*(enum align_by *)field = (enum align_by)i;
			return STATUS_OK;
		}
	return bad_value(o, text, "commit, cycle or start; of metrics time or fraction", e);
}

static enum status set_by_metrics(void *field, const char *text, const struct option *o,
				  struct error *e)
{
	struct cmd_options *at = (void *)((char *)field - offsetof(struct cmd_options, by_metrics));

	at->by_metrics = strcmp(text, "time") == 0 ? BY_TIME : BY_FRACTION;
	return at->by_metrics == BY_TIME || strcmp(text, "fraction") == 0
		   ? STATUS_OK
		   : bad_value(o, text, "time or fraction", e);
}

/* A row of A and one of B, with a colon between. */
static enum status set_pair(void *field, const char *text, const struct option *o, struct error *e)
{
	struct row_pair *out = field;
	const char *colon = strchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	char number[64];

	out->given = num_parse_u64(num_part(text, len, number), &out->row[ALIGN_A]) &&
		     num_parse_u64(colon + 1, &out->row[ALIGN_B]);
	return out->given ? STATUS_OK : bad_value(o, text, "ROW:ROW, as in 1200:1187", e);
}

/* A number of LIST, or both ends of a span of it; *text behind it. */
static bool parse_length(const char **text, int64_t *out)
{
	char digits[64];
	size_t len = strspn(*text, "0123456789");
	const char *number = num_part(*text, len, digits);

	*text += len;
	return num_parse_i64(number, out) && *out >= 1 && *out <= REDUCE_LENGTH_MOST;
}

static enum status set_lengths(void *field, const char *text, const struct option *o,
			       struct error *e)
{
	lengths_vec *list = field;
	const char *p = text;
	int64_t first, last;

	vec_clear(list);
	do {
		if (!parse_length(&p, &first))
			return bad_value(o, text, "a list of numbers from 1 to 4096", e);
		last = first;
		if (strncmp(p, "..", 2) == 0 && (p += 2, !parse_length(&p, &last) || last < first))
			return bad_value(o, text, "a list of numbers from 1 to 4096", e);
		for (; first <= last; first++)
			if (!vec_push(list, first))
				return error_set(e, STATUS_NOMEM, "out of memory");
	} while (*p == ',' && *++p);
	return *p ? bad_value(o, text, "a list of numbers from 1 to 4096", e) : STATUS_OK;
}

/* A class as it is typed: without blanks. */
static bool is_class(const char *name, const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && name[i] && (text[i] == name[i] || (text[i] == '-' && name[i] == ' ')))
		i++;
	return i == len && !name[i];
}

static bool set_class(struct cmd_options *o, const char *text, size_t len, int64_t cycles)
{
	bool all = len == 3 && memcmp(text, "all", 3) == 0, found = all;

	for (int i = 0; i < OP_CLASS_COUNT; i++)
		if (is_class(isa_class_name((enum op_class)i), text, len) ||
		    (all && !o->times.of[i])) {
			o->times.of[i] = cycles;
			found = true;
		}
	return found;
}

static enum status set_times(void *field, const char *text, const struct option *o, struct error *e)
{
	struct cmd_options *at = (void *)((char *)field - offsetof(struct cmd_options, times));
	const char *p = text;
	int64_t cycles;

	at->times.given = true;
	do {
		size_t len = strcspn(p, "=,");
		const char *name = p;

		p += len + 1;
		if (name[len] != '=' || !parse_length(&p, &cycles) ||
		    !set_class(at, name, len, cycles))
			return bad_value(o, text,
					 "CLASS=CYCLES,... as in all=1,load=3,fp-multiply=4", e);
	} while (*p == ',' && *++p);
	set_class(at, "all", 3, 1);
	return *p ? bad_value(o, text, "CLASS=CYCLES,...", e) : STATUS_OK;
}

static enum status set_setup(void *field, const char *text, const struct option *o, struct error *e)
{
	struct cmd_options *at = (void *)((char *)field - offsetof(struct cmd_options, setup));
	struct setup_parts *s = &at->setup.parts;
	double *const parts[] = {&s->fetch,           &s->decode,   &s->registers,
				 &s->register_cycles, &s->operands, &s->operand_cycles};
	const char *p = text;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct fraction part;
		char number[24];
		size_t len = strcspn(p, ",");

		if (len >= sizeof(number))
			return bad_value(o, text, "six numbers", e);
		memcpy(number, p, len);
		number[len] = '\0';
		if (!fraction_parse(number, &part) || (p[len] == ',') != (i < 5))
			return bad_value(o, text, "six numbers, as in 1,1,1,2,0.5,3", e);
		*parts[i] = (double)part.num / (double)part.den;
		p += len + 1;
	}
	at->setup.given = true;
	return STATUS_OK;
}

static enum status set_fraction(void *field, const char *text, const struct option *o,
				struct error *e)
{
	return fraction_parse(text, field) ? STATUS_OK
					   : bad_value(o, text, "a number, as 168, 0.25 or 2/3", e);
}

static enum status set_estimator(void *field, const char *text, const struct option *o,
				 struct error *e)
{
	return parse_count(text, REDUCE_LENGTH_MOST, field, o, e);
}

static enum status add_input(cpi0_inputs *inputs, enum cpi0_input_kind kind, const char *text,
			     struct error *e)
{
	if (!vec_push(inputs, ((struct cpi0_input){kind, text})))
		return error_set(e, STATUS_NOMEM, "out of memory");
	return STATUS_OK;
}

static enum status set_mix(void *field, const char *text, const struct option *o, struct error *e)
{
	(void)o;
	return add_input(field, CPI0_MIX, text, e);
}

static enum status set_pattern(void *field, const char *text, const struct option *o,
			       struct error *e)
{
	(void)o;
	return add_input(field, CPI0_PATTERN, text, e);
}

static enum status set_counts(void *field, const char *text, const struct option *o,
			      struct error *e)
{
	(void)o;
	return add_input(field, CPI0_COUNTS, text, e);
}

static enum status set_asked(void *field, const char *text, const struct option *o, struct error *e)
{
	struct cmd_options *at = (void *)((char *)field - offsetof(struct cmd_options, asked));
	const struct why_asked asked = {strcmp(o->name, "set") == 0, text};

	return vec_push(&at->asked, asked) ? STATUS_OK
					   : error_set(e, STATUS_NOMEM, "out of memory");
}

static bool parse_side(const char *text, size_t len, int *out)
{
	char digits[64];
	uint64_t side;

	if (strspn(text, "0123456789") < len || !num_parse_u64(num_part(text, len, digits), &side) ||
	    side < 1 || side > SCREEN_MAX)
		return false;
	*out = (int)side;
	return true;
}

static enum status set_geometry(void *field, const char *text, const struct option *o,
				struct error *e)
{
	int *sides = field; /* columns, rows */
	const char *x = strchr(text, 'x');

	if (!x || !parse_side(text, (size_t)(x - text), &sides[0]) ||
	    !parse_side(x + 1, strlen(x + 1), &sides[1]))
		return bad_value(o, text, "COLSxROWS, as in 120x40", e);
	return STATUS_OK;
}

static enum status add_step(struct cmd_options *all, bool is_script, const char *text,
			    struct error *e)
{
	struct app_step step = {.is_script = is_script, .text = text};

	return vec_push(&all->steps, step) ? STATUS_OK
					   : error_set(e, STATUS_NOMEM, "out of memory");
}

static enum status set_command(void *field, const char *text, const struct option *o,
			       struct error *e)
{
	return add_step((void *)((char *)field - o->field), false, text, e);
}

static enum status set_script(void *field, const char *text, const struct option *o,
			      struct error *e)
{
	return add_step((void *)((char *)field - o->field), true, text, e);
}

static enum status set_keymap(void *field, const char *text, const struct option *o,
			      struct error *e)
{
	char file[64];

	snprintf(file, sizeof(file), "%s.keys", text);
	if (!embedded_find(file))
		return bad_value(o, text, "default, vi, less or konata", e);
	*(const char **)field = text;
	return STATUS_OK;
}

static enum status set_trace_fd(void *field, const char *text, const struct option *o,
				struct error *e)
{
	int64_t fd;
	enum status status = parse_count(text, CHILD_FD_MOST, &fd, o, e);

	if (!status)
		*(int *)field = (int)fd;
	return status;
}

static enum status add_whatif(struct cmd_options *all, bool moves, const char *text,
			      const struct option *o, struct error *e)
{
	const char *sign = strrchr(text, '=');
	struct whatif w = {.moves = moves};
	const bool read = sign && sign > text &&
			  (moves ? num_parse_hex(sign + 1, &w.number)
				 : num_parse_u64(sign + 1, &w.number) && w.number);

	if (!read)
		return bad_value(o, text, moves ? "NAME=ADDRESS, as in ArrayC=0x10000"
						: "NAME=BYTES, as in ArrayC=64", e);
	sbuf_add(&w.name, text, (size_t)(sign - text));
	if (!w.name.failed && vec_push(&all->whatif, w))
		return STATUS_OK;
	sbuf_free(&w.name);
	return error_set(e, STATUS_NOMEM, "out of memory");
}

static enum status set_pad(void *field, const char *text, const struct option *o, struct error *e)
{
	return add_whatif((void *)((char *)field - o->field), false, text, o, e);
}

static enum status set_move(void *field, const char *text, const struct option *o, struct error *e)
{
	return add_whatif((void *)((char *)field - o->field), true, text, o, e);
}

static enum status set_picture(void *field, const char *text, const struct option *o,
			       struct error *e)
{
	return grid_format_parse(text, field) ? STATUS_OK
					      : bad_value(o, text, "text, ansi, html or svg", e);
}

static enum status set_depth(void *field, const char *text, const struct option *o, struct error *e)
{
	static const struct {
		const char *name;
		enum color_depth depth;
	} depths[] = {
	    {"never", DEPTH_MONO}, {"8", DEPTH_8}, {"256", DEPTH_256}, {"always", DEPTH_256}};

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
		if (strcmp(depths[i].name, text) == 0) {
			*(enum color_depth *)field = depths[i].depth;
			return STATUS_OK;
		}
	return bad_value(o, text, "never, 8 or 256", e);
}

static enum status set_color(void *field, const char *text, const struct option *o, struct error *e)
{
	static const char *const names[] = {"auto", "always", "never", "8", "256"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], text) == 0) {
			*(enum color_choice *)field = (enum color_choice)i;
			return STATUS_OK;
		}
	return bad_value(o, text, "auto, always, never, 8 or 256", e);
}

static const struct option options[OPTION_COUNT] = {
#define OPTION_ROW(id, name, letter, kind, field, value, help)                                     \
	{name, letter, set_##kind, offsetof(struct cmd_options, field), value, help},
    OPTION_INFO(OPTION_ROW)
#undef OPTION_ROW
};

struct app_word option_text(enum option_id id)
{
	const struct option *o = &options[id];

	return (struct app_word){o->name, o->letter, o->value, o->help};
}

/* The first one of that name, or the next one behind `after`. */
static const struct option *find_long(option_set allowed, const char *name, size_t len,
				      const struct option *after)
{
	for (size_t i = after ? (size_t)(after - options) + 1 : 0; i < OPTION_COUNT; i++)
		if (allowed & OPTION_BIT(i) && strlen(options[i].name) == len &&
		    memcmp(options[i].name, name, len) == 0)
			return &options[i];
	return NULL;
}

static const struct option *find_letter(option_set allowed, char letter)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (allowed & OPTION_BIT(i) && letter && options[i].letter == letter)
			return &options[i];
	return NULL;
}

/* What is left to look at. */
struct words {
	char **next;
	const char *cmd;
	option_set allowed;
};

static enum status unknown(const struct words *w, const char *word, struct error *e)
{
	bool program = !*w->cmd;

	return error_set(e, STATUS_USAGE, "%s%sunknown option '%s'; try: pipeglass %s%s--help",
			 w->cmd, program ? "" : ": ", word, w->cmd, program ? "" : " ");
}

/* The first option of the name that takes the value; an error is the first one's. */
static enum status take(struct cmd_options *all, const struct words *w, const struct option *o,
			const char *value, struct error *e)
{
	enum status status = o->set((char *)all + o->field, value, o, e);

	while (status == STATUS_USAGE &&
	       (o = find_long(w->allowed, o->name, strlen(o->name), o)) != NULL)
		if (!o->set((char *)all + o->field, value, o, NULL))
			status = STATUS_OK;
	return status;
}

/* The value is what stands attached, or the next word. */
static enum status apply(struct cmd_options *all, struct words *w, const struct option *o,
			 const char *attached, struct error *e)
{
	if (!o->value && attached)
		return error_set(e, STATUS_USAGE, "--%s takes no value", o->name);
	if (o->value && !attached && !*w->next)
		return error_set(e, STATUS_USAGE, "--%s needs a value: %s", o->name, o->value);
	if (o->value && !attached)
		attached = *w->next++;
	return take(all, w, o, attached, e);
}

static enum status parse_long(struct cmd_options *all, struct words *w, const char *word,
			      struct error *e)
{
	const char *name = word + strlen("--");
	size_t len = strcspn(name, "=");
	const struct option *o = find_long(w->allowed, name, len, NULL);

	if (!o)
		return unknown(w, word, e);
	return apply(all, w, o, name[len] ? name + len + 1 : NULL, e);
}

static enum status parse_short(struct cmd_options *all, struct words *w, const char *word,
			       struct error *e)
{
	const struct option *o = find_letter(w->allowed, word[1]);

	if (!o || (!o->value && word[2]))
		return unknown(w, word, e);
	return apply(all, w, o, word[2] ? word + 2 : NULL, e);
}

static enum status parse(struct cmd_options *o, option_set allowed, char **argv, char ***command,
			 struct error *e)
{
	struct words w = {.next = argv + 1, .cmd = argv[0], .allowed = allowed};
	enum status status = STATUS_OK;
	bool ended = false;

	*o = (struct cmd_options){
	    .limit = UINT64_MAX,
	    .bins = BINS_DEFAULT,
	    .geometry = {80, 24},
	    .depth = DEPTH_256,
	};
	while (!status && *w.next) {
		const char *word = *w.next++;

		if (ended || word[0] != '-' || word[1] == '\0') {
			if (command) {
				w.next--;
				break;
			}
			if (!vec_push(&o->files, word))
				status = error_set(e, STATUS_NOMEM, "out of memory");
		} else if (strcmp(word, "--") == 0) {
			ended = true;
		} else if (word[1] == '-') {
			status = parse_long(o, &w, word, e);
		} else {
			status = parse_short(o, &w, word, e);
		}
	}
	if (command)
		*command = w.next;
	return status;
}

enum status options_parse(struct cmd_options *o, option_set allowed, int argc, char **argv,
			  struct error *e)
{
	if (argc < 1)
		return error_set(e, STATUS_USAGE, "no subcommand");
	return parse(o, allowed, argv, NULL, e);
}

enum status options_parse_command(struct cmd_options *o, option_set allowed, char **argv,
				  char ***command, struct error *e)
{
	return parse(o, allowed, argv, command, e);
}

void options_free(struct cmd_options *o)
{
	vec_free(&o->files);
	vec_free(&o->steps);
	vec_free(&o->ne);
	vec_free(&o->ns);
	vec_free(&o->cpi0.inputs);
	vec_free(&o->asked);
	sbuf_free(&o->capacity.text);
	for (size_t i = 0; i < o->whatif.count; i++)
		sbuf_free(&o->whatif.data[i].name);
	vec_free(&o->whatif);
	trace_settings_free(&o->settings);
}
