/*
 * Readers of whole rows (O3PipeView, llvm-mca): the forms that records come in, and what is made
 * of each; the same whatever the text is cut into.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sbuf.h"
#include "pipeline/formats/rows.h"
#include "testing.h"

#define F "O3PipeView:fetch:1000:0x400:0:7:  addi a5, 16\n"
#define MID                                                                                        \
	"O3PipeView:decode:1500\nO3PipeView:rename:2000\nO3PipeView:dispatch:2500\n"               \
	"O3PipeView:issue:3000\nO3PipeView:complete:3500\n"
/* Of another CPU's rename stage, and of which pc. */
#define OF(cpu, pc)                                                                                \
	"  2000: system.cpu" #cpu ".rename: [tid:0] Processing instruction [sn:7] with PC (0x" pc  \
	"=>0x404).(0=>1).\n"
#define WHOLE F MID "O3PipeView:retire:4000:store:0\n"
#define STAYS "F1000-1500 D1500-2000 R2000-2500 P2500-3000 I3000-3500 C3500-4000 T4000-4000"
#define ROW   "7 1000-4000 c 400 \"addi a5, 16\" " STAYS "\n"

/* what is odd, text, rows, notes and warnings */
static const struct {
	const char *what, *text, *rows;
} forms[] = {
    {"as gem5 prints it", WHOLE, ROW},
    {"store later than retire", F MID "O3PipeView:retire:4000:store:4711\n",
     "7 1000-4711 c 400 \"addi a5, 16\" F1000-1500 D1500-2000 R2000-2500 P2500-3000 I3000-3500 "
     "C3500-4000 T4000-4711 S4711-4711\n"},
    {"squashed at fetch", F "O3PipeView:decode:0\nO3PipeView:retire:0:store:0\n",
     "7 1000-1000 s 400 \"addi a5, 16\" F1000-1000\n"},
    {"squashed, but executed", F MID "O3PipeView:retire:0:store:0\n",
     "7 1000-3500 s 400 \"addi a5, 16\" F1000-1500 D1500-2000 R2000-2500 P2500-3000 I3000-3500 "
     "C3500-3500\n"},
    {"0 in the middle is no squash",
     F "O3PipeView:decode:1500\nO3PipeView:issue:0\nO3PipeView:complete:0\n"
       "O3PipeView:retire:2000:store:0\n",
     "7 1000-2000 c 400 \"addi a5, 16\" F1000-1500 D1500-2000 T2000-2000\n"},
    {"issue later than complete: a replay",
     F "O3PipeView:issue:3500\nO3PipeView:complete:3000\nO3PipeView:retire:4000:store:0\n",
     "7 1000-4000 c 400 \"addi a5, 16\" F1000-3000 C3000-3500 I3500-4000 T4000-4000\n"},
    {"retire without store", F MID "O3PipeView:retire:4000\n", ROW},
    {"retire with load", F MID "O3PipeView:retire:4000:load:3600\n",
     "7 1000-4000 c 400 \"addi a5, 16\" F1000-1500 D1500-2000 R2000-2500 P2500-3000 I3000-3500 "
     "C3500-3600 L3600-4000 T4000-4000\n"},
    {"retire with load, but it was none", F MID "O3PipeView:retire:4000:load:0\n", ROW},
    {"retire with something else", F MID "O3PipeView:retire:4000:fence:3600\n",
     ROW "extra-fields 1\n"},
    {"lines left out", F "O3PipeView:retire:4000:store:0\n",
     "7 1000-4000 c 400 \"addi a5, 16\" F1000-4000 T4000-4000\n"},
    {"a line added", F "O3PipeView:address:0x1234\n" MID "O3PipeView:retire:4000:store:0\n",
     ROW "extra-lines 1\n"},
    {"a thread line", F "O3PipeView:thread:1000:3\n" MID "O3PipeView:retire:4000:store:0\n",
     "7 1000-4000 c 400 \"addi a5, 16\" thread 3 " STAYS "\n"},
    {"colons in the text, as x86 has them",
     "O3PipeView:fetch:1000:0x400:2:7:  MOV_R_M : ld rax, ds:[rcx]\nO3PipeView:retire:0:store:0\n",
     "7 1000-1000 s 400 part 2 \"MOV_R_M : ld rax, ds:[rcx]\" F1000-1000\n"},
    {"an operation class behind the text",
     "O3PipeView:fetch:1000:0x400:0:7:  addi a5, 16:IntAlu\nO3PipeView:retire:0:store:0\n",
     "7 1000-1000 s 400 \"addi a5, 16\" F1000-1000\nextra-fields 1\n"},
    {"number and micro-op the other way round",
     "O3PipeView:fetch:1000:0x400:7:0:DASM(00000513)\nO3PipeView:retire:0:store:0\n",
     "7 1000-1000 s 400 \"DASM(00000513)\" F1000-1000\n"},
    {"a tag before, blanks behind colons",
     "TRACE: O3PipeView:fetch: 1000:0x400: 0: 7: addi a5, 16\n"
     "TRACE: O3PipeView:retire: 0:store: 0\n",
     "7 1000-1000 s 400 \"addi a5, 16\" F1000-1000\n"},
    {"numbered lines among each other, as BOOM prints them",
     "7; O3PipeView:fetch: 1000:0x00000400:0: 7:a\n8; O3PipeView:fetch: 1000:0x404:0: 8:b\n"
     "9; O3PipeView:fetch: 1000:0x408:0: 9:c\n"
     "8; O3PipeView:decode: 1500\n7; O3PipeView:decode: 2000\n9; O3PipeView:decode: 2000\n"
     "7; O3PipeView:retire: 2500:store: 0\n9; O3PipeView:retire: 3000:store: 0\n",
     "7 1000-2500 c 00000400 \"a\" F1000-2000 D2000-2500 T2500-2500\n"
     "8 1000-1500 s 404 \"b\" F1000-1500 D1500-1500\n"
     "9 1000-3000 c 408 \"c\" F1000-2000 D2000-3000 T3000-3000\n"},
    {"what a logger puts before",
     "2024-01-01 12:00:00.125 [INFO] core0 O3PipeView:fetch:1000:0x400:0:7:  addi a5, 16\n"
     "2024-01-01 12:00:00.125 [WARN] Of O3PipeView: nothing\n"
     "2024-01-01 12:00:00.126 [INFO] core0\tO3PipeView: decode: 1500\n"
     "2024-01-01 12:00:00.127 [INFO] core0 O3PipeView:address:0x1234\n"
     "2024-01-01 12:00:00.127 [INFO] core0 O3PipeView:retire:4000:store:0\n",
     "7 1000-4000 c 400 \"addi a5, 16\" F1000-1500 D1500-4000 T4000-4000\n"
     "foreign-lines 1\nextra-lines 1\n"},
    {"numbers behind what a logger puts before",
     "[INFO] 7; O3PipeView:fetch: 1000:0x400:0: 7:a\n[INFO] 8; O3PipeView:fetch: 1000:0x404:0: 8:b\n"
     "[INFO] 7; O3PipeView:retire: 2000:store: 0\n[INFO] 8; O3PipeView:retire: 2500:store: 0\n",
     "7 1000-2000 c 400 \"a\" F1000-2000 T2000-2000\n"
     "8 1000-2500 c 404 \"b\" F1000-2500 T2500-2500\n"},
    {"cut in the record: it is in flight", F "O3PipeView:decode:1500\n",
     "7 1000-? ? 400 \"addi a5, 16\" F1000-1500 D1500-?\n"},
    {"cut in the line", F "O3PipeView:decode:15",
     "7 1000-? ? 400 \"addi a5, 16\" F1000-?\n2: line cut by the end of the file: skipped\n"},
    {"no retire line, but another record", F WHOLE,
     "7 1000-1000 s 400 \"addi a5, 16\" F1000-1000\n" ROW
     "1: record without a retire line: read as squashed\n"},
    {"a wrapped difference",
     "O3PipeView:fetch:5000000000:0x400:0:7:a\nO3PipeView:retire:3000000000:store:0\n",
     "7 5000000000-7294967296 c 400 \"a\" F5000000000-7294967296 T7294967296-7294967296\n"
     "1: tick before its fetch: 32-bit difference overflowed, 2^32 added\n"},
    {"a wrapped difference, below 0",
     "O3PipeView:fetch:1000:0x400:0:7:a\nO3PipeView:retire:18446744071709551616:store:0\n",
     "7 1000-2294967296 c 400 \"a\" F1000-2294967296 T2294967296-2294967296\n"
     "1: tick before its fetch: 32-bit difference overflowed, 2^32 added\n"},
    {"a tick just before its fetch", F "O3PipeView:decode:999\nO3PipeView:retire:4000:store:0\n",
     "7 1000-4000 c 400 \"addi a5, 16\" F1000-4000 T4000-4000\n"
     "1: tick before its fetch: ignored\n"},
    {"retired before its fetch: that it did is all that is known",
     F MID "O3PipeView:retire:999:store:0\n",
     "7 1000-3500 c 400 \"addi a5, 16\" F1000-1500 D1500-2000 R2000-2500 P2500-3000 I3000-3500 "
     "C3500-3500\n1: tick before its fetch: ignored\n"},
    {"CR LF", "O3PipeView:fetch:1000:0x400:0:7:a\r\nO3PipeView:retire:0:store:0\r\n",
     "7 1000-1000 s 400 \"a\" F1000-1000\ncrlf-lines 2\n"},
    {"debug lines tell the thread and the CPU",
     "  1000: system.cpu1.fetch: [tid:0] [sn:7] created\n" WHOLE "  900: global: nothing\n",
     "7 1000-4000 c 400 \"addi a5, 16\" cpu 1 thread 1 " STAYS "\nforeign-lines 2\n"},
    {"numbers of two CPUs are told apart by the pc", OF(0, "400") OF(1, "900") WHOLE,
     "7 1000-4000 c 400 \"addi a5, 16\" cpu 0 thread 0 " STAYS "\nforeign-lines 2\n"},
    {"whose lines come last is nothing", OF(1, "900") OF(0, "400") WHOLE,
     "7 1000-4000 c 400 \"addi a5, 16\" cpu 0 thread 0 " STAYS "\nforeign-lines 2\n"},
    {"numbers of two CPUs in the same program", OF(0, "400") OF(1, "400") WHOLE,
     ROW "foreign-lines 2\nambiguous-numbers 1\n"},
    {"a CPU that tells no pc may be it", "  1000: system.cpu1.iew: [tid:0] [sn:7]\n" OF(0, "400") WHOLE,
     ROW "foreign-lines 2\nambiguous-numbers 1\n"},
    {"lines of another CPU's instruction", OF(1, "900") WHOLE,
     ROW "foreign-lines 1\nambiguous-numbers 1\n"},
    {"whose record was there before", "  1000: system.cpu0.iew: [tid:0] [sn:7]\n" WHOLE
     "  4000: system.cpu0.rename: [tid:0] Freeing up older rename [sn:7]\n"
     "  4000: system.cpu1.iew: [tid:0] [sn:7]\n" WHOLE,
     "7 1000-4000 c 400 \"addi a5, 16\" cpu 0 thread 0 " STAYS
     "\n7 1000-4000 c 400 \"addi a5, 16\" cpu 1 thread 1 " STAYS "\nforeign-lines 3\n"},
    {"more CPUs than are remembered",
     OF(0, "900") OF(1, "900") OF(2, "900") OF(3, "900") OF(4, "900") OF(5, "900") OF(6, "900")
     OF(7, "900") OF(8, "400") OF(9, "400") WHOLE,
     ROW "foreign-lines 10\nambiguous-numbers 1\n"},
    {"two CPUs of one number, each its own",
     "  1000: system.big.cpu1.iew: [tid:0] [sn:7]\n" WHOLE
     "  4000: system.little.cpu1.iew: [tid:0] [sn:7]\n" WHOLE
     "  4000: system.little.cpu1.iew: [tid:2] [sn:8]\n"
     "O3PipeView:fetch:1000:0x404:0:8:a\nO3PipeView:retire:0:store:0\n",
     "7 1000-4000 c 400 \"addi a5, 16\" cpu 1 thread 1 " STAYS
     "\n7 1000-4000 c 400 \"addi a5, 16\" cpu 1 thread 101 " STAYS
     "\n8 1000-1000 s 404 \"a\" cpu 1 thread 2101 F1000-1000\nforeign-lines 3\n"},
    {"the same number, told apart by the pc",
     "  2000: system.big.cpu1.rename: [tid:0] [sn:7] with PC (0x900=>0x904)\n"
     "  2000: system.little.cpu1.rename: [tid:0] [sn:7] with PC (0x400=>0x404)\n" WHOLE,
     "7 1000-4000 c 400 \"addi a5, 16\" cpu 1 thread 1 " STAYS "\nforeign-lines 2\n"},
    {"so many ways to name a CPU",
     "  1000: board.processor.cores3.core.fetch: [tid:0] [sn:7]\n" WHOLE,
     "7 1000-4000 c 400 \"addi a5, 16\" cpu 3 thread 3 " STAYS "\nforeign-lines 1\n"},
    {"so many ways to name the only CPU",
     "  1000: board.processor.cores.core.iew.lsq.thread0: [tid:1] [sn:7]\n" WHOLE,
     "7 1000-4000 c 400 \"addi a5, 16\" thread 1 " STAYS "\nforeign-lines 1\n"},
    {"debug lines tell the thread", "  1000: system.cpu.fetch: [tid:2]: [sn:7]\n" WHOLE,
     "7 1000-4000 c 400 \"addi a5, 16\" thread 2 " STAYS "\nforeign-lines 1\n"},
    {"a stage of nobody", "O3PipeView:decode:1500\n" WHOLE,
     ROW "1: stage line without a fetch line before it: skipped\n"},
    {"fields missing", "O3PipeView:fetch:1000:0x400\n" WHOLE,
     ROW "1: record with missing or malformed fields: skipped; a row that it begins is missing\n"},
    {"a number too large", "O3PipeView:fetch:99999999999999999999:0x400:0:7:a\n" WHOLE,
     ROW "1: number too large: skipped, or read as the greatest; a row that it begins is missing\n"},
    {"a micro-op's number", "O3PipeView:fetch:1000:0x400:1:8:a\nO3PipeView:retire:0:store:0\n",
     "8 1000-1000 s 400 part 1 \"a\" F1000-1000\n"},
};

static void put_tick(struct sbuf *out, const char *before, int64_t tick)
{
	if (tick == INT64_MAX)
		sbuf_printf(out, "%s?", before);
	else
		sbuf_printf(out, "%s%" PRId64, before, tick);
}

/* As it is shown, once it is named. */
static int64_t thread_of(struct names *names, const struct text_row *r)
{
	names_thread(names, r->thread);
	return names_shown_thread(names, r->thread);
}

static void put_row(struct sbuf *out, struct names *names, const struct text_row *r,
		    const char *at)
{
	static const char fates[] = {
	    [END_RETIRED] = 'c', [END_FLUSHED] = 's', [END_BY_STAGES] = '?'};

	at = r->words ? r->words : at;
	sbuf_printf(out, "%" PRIu64 " %" PRId64, r->id, r->start);
	put_tick(out, "-", r->end);
	sbuf_printf(out, " %c %.*s%s", fates[r->fate], (int)r->pc_len, at + r->pc,
		    r->pc_len ? " " : "");
	if (r->part)
		sbuf_printf(out, "part %u ", (unsigned)r->part);
	sbuf_printf(out, "\"%.*s\"", (int)r->text_len, at + r->text);
	if (r->note_len)
		sbuf_printf(out, " (\"%.*s\")", (int)r->note_len, at + r->note);
	if (r->cpu != CPU_NONE)
		sbuf_printf(out, " cpu %u", cpu_number(r->cpu));
	if (r->has_thread)
		sbuf_printf(out, " thread %" PRId64, thread_of(names, r));
	for (int k = 0; k < r->stays; k++) {
		sbuf_printf(out, " %c%" PRId64, names->config.stages[r->stay[k].stage].letter,
			    r->stay[k].start);
		put_tick(out, "-", r->stay[k].end);
	}
	sbuf_puts(out, "\n");
}

/* Rows, then notes, then warnings. cut: where the text is given in two pieces, with what carries.
 */
static void lex(const char *format, const char *text, size_t cut, size_t max, struct sbuf *out)
{
	const struct reader *reader = reader_find(format);
	struct trace_config config;
	struct names names;
	struct row_lexer lx;
	struct text_row rows[8];
	uint64_t notes[NOTE_COUNT] = {0};
	size_t len = strlen(text), n;
	struct sbuf bad = {0};
	uint64_t line = 0;

	reader->config(&config);
	names_init(&names, &config);
	names.of_cpus = reader->told != NULL;
	row_lexer_init(&lx, reader, &names);
	lx.carry = true;
	for (int piece = cut ? 0 : 1; piece < 2; piece++) {
		size_t from = piece && cut ? cut : 0, to = piece ? len : cut;

		/* pieces begin with what stands before them, as those of a file do */
		row_lexer_begin(&lx, 0, from);
		while ((n = reader->lex_rows(&lx, text, to, false, piece, rows, max)) > 0)
			for (size_t i = 0; i < n; i++)
				put_row(out, &names, &rows[i], text + rows[i].off);
		for (int i = 0; i < NOTE_COUNT; i++)
			notes[i] += lx.notes[i];
		for (size_t i = 0; i < lx.bad.count; i++)
			sbuf_printf(&bad, "%" PRIu64 ": %s\n", line + lx.bad.data[i].line + 1,
				    bad_texts[lx.bad.data[i].bad]);
		line += lx.line;
	}
	for (int i = 0; i < NOTE_COUNT; i++)
		if (notes[i])
			sbuf_printf(out, "%s %" PRIu64 "\n", note_keys[i], notes[i]);
	sbuf_puts(out, sbuf_text(&bad));
	sbuf_free(&bad);
	row_lexer_free(&lx);
	names_free(&names);
}

TEST(forms_of_records)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct sbuf out = {0};

		lex("o3pipeview", forms[i].text, 0, 8, &out);
		if (strcmp(sbuf_text(&out), forms[i].rows) != 0)
			fail_msg("%s:\n%snot\n%s", forms[i].what, sbuf_text(&out), forms[i].rows);
		sbuf_free(&out);
	}
}

/* Cut behind any line, read one row at a time: the same. */
TEST(cut_anywhere)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		for (const char *nl = forms[i].text; (nl = strchr(nl, '\n')) && nl[1]; nl++) {
			size_t cut = (size_t)(nl + 1 - forms[i].text);
			struct sbuf out = {0};

			lex("o3pipeview", forms[i].text, cut, 1 + i % 3, &out);
			if (strcmp(sbuf_text(&out), forms[i].rows) != 0)
				fail_msg("%s, cut at %zu:\n%snot\n%s", forms[i].what, cut,
					 sbuf_text(&out), forms[i].rows);
			sbuf_free(&out);
		}
}

#define ENTRY(d, e, i, r, t)                                                                       \
	"{\"CycleDispatched\":" #d ",\"CycleExecuted\":" #e ",\"CycleIssued\":" #i                 \
	",\"CycleReady\":" #r ",\"CycleRetired\":" #t "}"
#define REGION(instructions, entries) NAMED("", instructions, entries)
#define NAMED(name, instructions, entries)                                                         \
	"{\"Deep\":[[{\"x\":[1,2,\"]}\\\"\"]}],3],\"Instructions\":[" instructions                 \
	"],\"Name\":\"" name "\",\"TimelineView\":{\"TimelineInfo\":[" entries "]}}"

static const struct {
	const char *what, *text, *rows;
} documents[] = {
    {"one region",
     "{\"CodeRegions\":[" REGION(
	 "\"addq\\t$1, %rax\",\"a \\u0041\\\\\"",
	 ENTRY(0, 3, 1, 0, 4) "," ENTRY(0, 5, 4, 4, 6) "," ENTRY(1, 7, 6, 6, 8)) "]}",
     "0 0-4 c \"addq\t$1, %rax\" D0-0 =0-1 E1-3 -3-4 R4-4\n"
     "1 0-6 c \"a A\\\" D0-4 =4-4 E4-5 -5-6 R6-6\n"
     "2 1-8 c \"addq\t$1, %rax\" D1-6 =6-6 E6-7 -7-8 R8-8\n"},
    {"a region with a name",
     "{\"CodeRegions\":[" NAMED("in \\\"x\\\"", "\"a\"", ENTRY(0, 2, 1, 0, 3)) "]}",
     "0 0-3 c \"a\" (\"[0] Code Region - in \"x\"\") D0-0 =0-1 E1-2 -2-3 R3-3\n"},
    {"regions one behind the other",
     "{\"CodeRegions\":[" REGION("\"a\"", ENTRY(0, 9, 8, 0, 10) "," ENTRY(1, 3, 2, 1, 4)) ", " NAMED(
	 "loop", "\"b\"", ENTRY(1, 3, 2, 1, 4)) ",{\"Name\":\"no timeline\"}," REGION("\"c\"",
							ENTRY(0, 3, 2, 1, 4)) "]}",
     "0 0-10 c \"a\" (\"[0] Code Region\") thread 0 D0-0 =0-8 E8-9 -9-10 R10-10\n"
     "1 1-4 c \"a\" (\"[0] Code Region\") thread 0 D1-1 =1-2 E2-3 -3-4 R4-4\n"
     "0 12-15 c \"b\" (\"[1] Code Region - loop\") thread 1 D12-12 =12-13 E13-14 -14-15 R15-15\n"
     "0 16-20 c \"c\" (\"[3] Code Region\") thread 3 D16-17 =17-18 E18-19 -19-20 R20-20\n"},
    {"fields missing", "{\"CodeRegions\":[" REGION("\"a\"", "{\"CycleIssued\":1}") "]}",
     "1: record with missing or malformed fields: skipped; a row that it begins is missing\n"},
    {"cut",
     "{\"CodeRegions\":[{\"Instructions\":[\"a\"],\"TimelineView\":{\"TimelineInfo\":[" ENTRY(
	 0, 3, 1, 0, 4) ",{\"CycleDisp",
     "0 0-4 c \"a\" D0-0 =0-1 E1-3 -3-4 R4-4\n1: line cut by the end of the file: skipped\n"},
    {"cut between instructions",
     "{\"CodeRegions\":[{\"Instructions\":[\"a\"],\"TimelineView\":{\"TimelineInfo\":[" ENTRY(
	 0, 3, 1, 0, 4) ",\n",
     "0 0-4 c \"a\" D0-0 =0-1 E1-3 -3-4 R4-4\n2: line cut by the end of the file: skipped\n"},
    {"cut before the timeline",
     "{\"CodeRegions\":[" REGION("\"a\"", ENTRY(0, 3, 1, 0, 4)) ",\n{\"Instructions\":[\"b\",\"",
     "0 0-4 c \"a\" (\"[0] Code Region\") thread 0 D0-0 =0-1 E1-3 -3-4 R4-4\n"
     "2: line cut by the end of the file: skipped\n"},
    {"cut behind the regions",
     "{\"CodeRegions\":[" REGION("\"a\"", ENTRY(0, 3, 1, 0, 4)) "],\n\"TargetInfo\":{\"CPUName\":",
     "0 0-4 c \"a\" D0-0 =0-1 E1-3 -3-4 R4-4\n2: line cut by the end of the file: skipped\n"},
    {"another document behind it",
     "{\"CodeRegions\":[" REGION("\"a\"", ENTRY(0, 3, 1, 0, 4)) "]}\n"
     "{\"CodeRegions\":[" REGION("\"b\"", ENTRY(0, 3, 1, 0, 4)) "]}\n{}\n",
     "0 0-4 c \"a\" D0-0 =0-1 E1-3 -3-4 R4-4\n"
     "2: text after the end of the document: skipped\n"},
    {"warnings before it",
     "warning: found a {call}\n  note: of 100cy\n\n"
     "{\"CodeRegions\":[" REGION("\"a\"", ENTRY(0, 3, 1, 0, 4)) "]}\n",
     "0 0-4 c \"a\" D0-0 =0-1 E1-3 -3-4 R4-4\nforeign-lines 2\n"},
    {"a key without its quotes",
     "{\"CodeRegions\":[" REGION("\"a\"", ENTRY(0, 3, 1, 0, 4)) "],\nTargetInfo:{}}\n",
     "0 0-4 c \"a\" D0-0 =0-1 E1-3 -3-4 R4-4\n"
     "2: record with missing or malformed fields: skipped; a row that it begins is missing\n"},
    {"no timeline", "{\"CodeRegions\":[{\"Instructions\":[\"a\"]}]}\n", ""},
    {"nonsense", "{\"CodeRegions\":[{\"TimelineView\":{\"TimelineInfo\":[1,2,[\"",
     "1: line cut by the end of the file: skipped\n"},
    {"not yet retired", "{\"CodeRegions\":[" REGION("", ENTRY(2, 3, 2, 2, 0)) "]}",
     "0 2-? ? \"\" D2-2 =2-2 E2-3 -3-?\n"},
    {"not yet retired when another region begins",
     "{\"CodeRegions\":[" REGION("\"a\"", ENTRY(2, 3, 2, 2, 0) "," ENTRY(2, 8, 2, 2, 9))
	 "," REGION("\"b\"", ENTRY(1, 3, 2, 1, 0)) "]}",
     "0 2-10 ? \"a\" (\"[0] Code Region\") thread 0 D2-2 =2-2 E2-3 -3-10\n"
     "1 2-9 c \"a\" (\"[0] Code Region\") thread 0 D2-2 =2-2 E2-8 -8-9 R9-9\n"
     "0 11-? ? \"b\" (\"[1] Code Region\") thread 1 D11-11 =11-12 E12-13 -13-?\n"},
};

TEST(documents_of_llvm_mca)
{
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++)
		for (size_t max = 1; max < 5; max++) {
			struct sbuf out = {0};

			lex("llvm-mca", documents[i].text, 0, max, &out);
			if (strcmp(sbuf_text(&out), documents[i].rows) != 0)
				fail_msg("%s:\n%snot\n%s", documents[i].what, sbuf_text(&out),
					 documents[i].rows);
			sbuf_free(&out);
		}
}

/* ---- registers --------------------------------------------------------------------------- */

#define AT  "  80500: system.cpu.rename: [tid:0]: "
#define NOW "  80500: system.cpu1.rename: [tid:1] "

/* what is told: a line, and whether the same register is meant as by the line before */
static const struct {
	const char *text, *told;
} renames[] = {
    {AT "Processing instruction [sn:40] with PC (0x82b0=>0x82b4).(0=>1).\n", "begins 40"},
    {AT "Looking up IntRegClass arch reg 3 (flattened 3), got phys reg 64\n", "reads"},
    {AT "Renaming arch reg 1 to physical reg 64.\n", "writes the same"},
    {AT "Looking up arch reg 9, got physical reg 64.\n", "reads the same"},
    {AT "Looking up CCRegClass arch reg 1541 (flattened 5), got phys reg 325\n", "reads"},
    {AT "Looking up MiscRegClass arch reg 1542 (flattened 0), got phys reg 960\n", ""},
    {NOW "Looking up integer arch reg 3, got phys reg 64 (integer)\n", "cpu 1 thread 1 reads"},
    {NOW "Renaming arch reg 1 (integer) to physical reg 64 (64).\n",
     "cpu 1 thread 1 writes the same"},
    {NOW "Renaming arch reg 1 (vector) to physical reg 64 (264).\n", "cpu 1 thread 1 writes"},
    {NOW "Looking up vector arch reg 1, got phys reg 64 (vector) counter=0\n",
     "cpu 1 thread 1 reads the same"},
    {NOW "Looking up invalid arch reg 0, got phys reg 0 (invalid)\n", ""},
    {NOW "Looking up miscellaneous arch reg 5, got phys reg 5 (miscellaneous)\n", ""},
    {NOW "Looking up integer arch reg x3, got p152\n", "cpu 1 thread 1 reads"},
    {NOW "Rename map arch reg x1 (integer) to p152.\n", "cpu 1 thread 1 writes the same"},
    {NOW "Rename map arch reg x1 (floating_point) to p152.\n", "cpu 1 thread 1 writes the same"},
    {NOW "Mov map arch reg x2 (integer) to p152.\n", ""},
    {AT "Renaming arch reg 1 (IntRegClass) to physical reg 152 (152). [sn:10]\n", "writes by 10"},
    {"system.cpu.rename: [tid:0] Looking up integer arch reg 3, got phys reg 64 (integer)\n",
     "reads at ?"},
    {"80500: Rename: board.cores0.core.rename: [tid:0] Looking up integer arch reg 3, got phys "
     "reg 64 (integer)\n",
     "reads the same"},
    {"80500: global: Renamed reg 1 to physical reg 66 old mapping was 65\n", ""},
    {AT "Renaming arch reg 1 to physical reg 66.\n", "writes"},
    {"80500: global: Renamed reg 0 to physical reg 66 old mapping was 66\n", ""},
    {AT "Renaming arch reg 0 to physical reg 66.\n", ""},
    {"80500: global: Renaming pinned reg, numPinnedWrites 1\n", ""},
    {"80500: global: Renamed reg 1 to physical reg 66 (66) old mapping was 66 (66)\n", ""},
    {AT "Renaming arch reg 1 to physical reg 66.\n", "writes the same"},
    {AT "Register 64 is ready.\n", ""},
    {AT "Freeing up older rename of reg 64, [sn:40].\n", ""},
    {AT "Processing instruction [40] with PC (0x82b0=>0x82b4).(0=>1).\n", ""},
    {AT "Looking up integer arch reg 3, got phys reg \n", ""},
    {AT "Looking up integer arch reg 3, got phys reg 99999999999999999999\n", ""},
    {AT "Renaming arch reg 3\n", ""},
    {AT "Renaming arch reg 3 (integer) to physical\n", ""},
    {AT "Renaming arch reg 3 (integer\n", ""},
    {"80500: system.cpu.rename: [tid:0\n", ""},
    {"80500: system.cpu.iq: Looking up integer arch reg 3, got phys reg 64 (integer)\n", ""},
};

static void tell_rename(struct sbuf *out, const struct row_rename *n, uint64_t before)
{
	static const char *const kinds[] = {"begins", "reads", "writes"};

	if (n->cpu != CPU_NONE)
		sbuf_printf(out, "cpu %u thread %d ", cpu_number(n->cpu), n->thread);
	sbuf_puts(out, kinds[n->kind]);
	if (n->kind == RENAME_BEGINS)
		sbuf_printf(out, " %" PRIu64, n->id);
	else if (n->reg == before)
		sbuf_puts(out, " the same");
	if (n->kind != RENAME_BEGINS && n->has_id)
		sbuf_printf(out, " by %" PRIu64, n->id);
	if (n->tick != 80500)
		sbuf_puts(out, n->tick < 0 ? " at ?" : " at another tick");
}

TEST(registers)
{
	const struct reader *reader = reader_find("o3pipeview");
	struct sbuf text = {0};
	uint64_t before = 0;
	size_t at = 0;

	for (size_t i = 0; i < sizeof(renames) / sizeof(renames[0]); i++) {
		struct sbuf out = {0};
		struct row_rename n;

		sbuf_puts(&text, renames[i].text);
		if (reader->renames(text.text, text.text + at, text.text + text.len - 1, &n)) {
			tell_rename(&out, &n, before);
			before = n.reg;
		}
		if (strcmp(sbuf_text(&out), renames[i].told) != 0)
			fail_msg("%s: \"%s\", not \"%s\"", renames[i].text, sbuf_text(&out),
				 renames[i].told);
		at = text.len;
		sbuf_free(&out);
	}
	sbuf_free(&text);
}

TEST(formats_are_told)
{
	static const struct {
		const char *text, *format;
	} files[] = {
	    {WHOLE, "o3pipeview"},
	    {"12; O3PipeView:fetch: 1:0x1:0: 1:a\n", "o3pipeview"},
	    {"gem5 Simulator System\n  0: global: x\n" WHOLE, "o3pipeview"},
	    {"0: system.a: b\n1: system.a: b\n2: system.a: b\n3: system.a: b\n4: global: b\n"
	     "5: system.a: b\n6: system.a: b\n7: system.a: b\n",
	     "o3pipeview"},
	    {"{\n \"CodeRegions\": []}\n", "llvm-mca"},
	    {"warning: a call.\n{\n \"CodeRegions\": []}\n", "llvm-mca"},
	    {"\n[0] Code Region\n\nIterations:        100\nTotal Cycles:      304\n\n"
	     "Dispatch Width:    6\nIPC:               0.66\nBlock RThroughput: 1.0\n",
	     "llvm-mca"},
	    {"Iterations:        100\nDispatch Width:    6\n", NULL},
	    {"Kanata\t0004\nC=\t0\n", "kanata"},
	    {"Nothing of O3PipeView:fetch: here\n", NULL},
	    {"[INFO] core0 O3PipeView:fetch:1:0x1:0:1:a\n", "o3pipeview"},
	    {"{\"Other\": 1}\n", NULL},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const struct reader *r = reader_detect(files[i].text, strlen(files[i].text));

		if (!files[i].format)
			assert_null(r);
		else
			assert_string_equal(r ? r->name : "none", files[i].format);
	}
}
