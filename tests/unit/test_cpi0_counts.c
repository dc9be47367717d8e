/* Mixes by hand, by pattern and from counters, and what is wrong with them. */
#include "config.h"

#include <string.h>

#include "analysis/pipeline/cpi0_counts.h"
#include "analysis/pipeline/cpi0_diagnosis.h"
#include "analysis/pipeline/cpi0_words.h"
#include "base/embedded.h"
#include "testing.h"

static struct machine r10000(void)
{
	const struct embedded_file *f = embedded_find("r10000.machine");
	struct machine m;

	assert_non_null(f);
	assert_int_equal(machine_read(&m, (const char *)f->bytes, f->len, NULL), STATUS_OK);
	return m;
}

static struct cpi0_mapping mapping(const char *name)
{
	const struct embedded_file *f = embedded_find(name);
	struct cpi0_mapping map;
	struct error e;

	assert_non_null(f);
	if (cpi0_mapping_read(&map, (const char *)f->bytes, f->len, &e))
		fail_msg("%s:%s", name, e.text);
	return map;
}

static enum status counts(struct cpi0_mix *mix, const char *map_name, const char *text,
			  struct error *e)
{
	struct cpi0_mapping map = mapping(map_name);

	*e = (struct error){.text = ""};
	return cpi0_counts_read(mix, &map, text, strlen(text), e);
}

static void assert_says(const struct error *e, const char *says)
{
	if (!strstr(e->text, says) || strchr(e->text, '\n'))
		fail_msg("'%s' does not say '%s'", e->text, says);
}

/* ---- by hand ------------------------------------------------------------------------------- */

TEST(test_list)
{
	struct machine m = r10000();
	struct cpi0_mix mix;
	struct error e;

	assert_int_equal(cpi0_mix_parse(&mix, &m, "m=9,i=5,fp-add=1,b=2,1=0", &e), STATUS_USAGE);
	assert_int_equal(cpi0_mix_parse(&mix, &m, "m=9,integer=5,fp-add=1,b=2", &e), STATUS_OK);
	assert_int_equal(mix.total, 17);
	assert_int_equal(cpi0_mix_queue(&mix, &m, 1), 9);
	assert_int_equal(cpi0_mix_queue(&mix, &m, 2), 5);
	assert_int_equal(mix.classes[OP_FP_ADD], 1);
	assert_int_equal(mix.unsplit[1], 9);
	assert_int_equal(cpi0_mix_branches(&mix), 2);
	assert_int_equal(cpi0_mix_queued(&mix, &m), 15);
	assert_int_equal(cpi0_mix_known(&mix), 17);
}

TEST(test_bad_lists)
{
	static const struct {
		const char *list, *says;
	} rows[] = {
	    {"", "should be NAME=COUNT"},
	    {"m", "should be NAME=COUNT"},
	    {"m=", "no count"},
	    {"m=x", "no count"},
	    {"m=-1", "no count"},
	    {"m=0x10", "'0x10' is no count from 0 to 10^15, in decimal"},
	    {"m=1e3", "'1e3' is no count from 0 to 10^15, in decimal"},
	    {"i=1,m=1,000", "a comma before '000' begins another NAME=COUNT"},
	    {"m=9999999999999999", "no count"},
	    {"m=1125899906842624,i=1", "with 'i=1' there are more than 10^15 instructions"},
	    {"m=1,", "should be NAME=COUNT"},
	    {"m=1,m=2", "given twice"},
	    {"z=1", "neither a queue of r10000 (f, m, i)"},
	    {"m=0,i=0", "has no instruction"},
	};
	struct machine m = r10000();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpi0_mix mix;
		struct error e = {.text = ""};

		assert_int_equal(cpi0_mix_parse(&mix, &m, rows[i].list, &e), STATUS_USAGE);
		assert_says(&e, rows[i].says);
	}
}

TEST(test_pattern)
{
	static const int8_t queues[] = {1, 0, 0, 0, MACHINE_NO_QUEUE};
	struct machine m = r10000();
	struct cpi0_mix mix;
	queue_vec order = {0};
	struct error e;

	assert_int_equal(cpi0_pattern_parse(&mix, &order, &m, "mfffb_*+*", &e), STATUS_OK);
	assert_int_equal(order.count, 5);
	assert_memory_equal(order.data, queues, sizeof(queues));
	assert_int_equal(mix.classes[OP_FP_MUL], 2);
	assert_int_equal(mix.classes[OP_FP_ADD], 1);
	assert_int_equal(mix.classes[OP_BRANCH], 1);
	assert_int_equal(mix.total, 5);
	assert_int_equal(cpi0_pattern_parse(&mix, &order, &m, "f_**", &e), STATUS_USAGE);
	assert_says(&e, "more kinds");
	assert_int_equal(cpi0_pattern_parse(&mix, &order, &m, "f_-", &e), STATUS_USAGE);
	assert_int_equal(cpi0_pattern_parse(&mix, &order, &m, "", &e), STATUS_USAGE);
	assert_int_equal(cpi0_pattern_parse(&mix, &order, &m, "mz", &e), STATUS_USAGE);
	vec_free(&order);
}

TEST(test_uniform)
{
	struct machine m = r10000();
	struct cpi0_mix mix;
	queue_vec order = {0};
	struct error e;
	int per_queue[3] = {0};

	assert_int_equal(cpi0_mix_parse(&mix, &m, "m=500,i=1000", &e), STATUS_OK);
	assert_true(cpi0_uniform(&order, &mix, &m));
	assert_int_equal(order.count, 3);
	for (size_t i = 0; i < order.count; i++)
		per_queue[order.data[i]]++;
	assert_int_equal(per_queue[1], 1);
	assert_int_equal(per_queue[2], 2);
	assert_int_equal(cpi0_mix_parse(&mix, &m, "m=4099,i=1", &e), STATUS_OK);
	assert_true(cpi0_uniform(&order, &mix, &m));
	assert_int_equal(order.count, 0); /* too long */
	vec_free(&order);
}

/* ---- counters ------------------------------------------------------------------------------ */

TEST(test_perf)
{
	static const char text[] = "# started on Sat Nov 21 2026\n\n"
				   "1000,,instructions:u,400000,100.00,2.00,insn per cycle\n"
				   "500,,cycles:u,400000,100.00,,\n"
				   "12.5,msec,task-clock,400000,100.00,0.9,CPUs utilized\n"
				   "300,,cpu_core/L1-dcache-loads/u,400000,80.00,,\n"
				   "100,,L1-dcache-stores:u,0.50%,400000,75.00,,\n"
				   "4,,L1-dcache-load-misses:u,400000,100.00,,\n"
				   "50,,branches,400000,100.00,,\n"
				   "<not counted>,,branch-misses,0,0.00,,\n";
	struct cpi0_mix mix;
	struct error e;

	if (counts(&mix, "perf.mapping", text, &e))
		fail_msg("%s", e.text);
	assert_int_equal(mix.total, 1000);
	assert_int_equal(mix.classes[OP_LOAD], 300);
	assert_int_equal(mix.classes[OP_STORE], 100);
	assert_int_equal(mix.classes[OP_BRANCH], 50);
	assert_int_equal(mix.classes[OP_INT_ALU], 550); /* the rest */
	assert_int_equal(mix.cycles, 500);
	assert_int_equal(mix.data_cache.failed, 4);
	assert_int_equal(mix.data_cache.tries, 300);
	assert_int_equal(mix.prediction.tries, 0); /* not counted: not known */
	assert_true(mix.counted == 0.75);
}

TEST(test_lists)
{
	struct cpi0_mix mix;
	struct error e;

	if (counts(&mix, "perfex.mapping",
		   " 0 Cycles.................   2,000\nGraduated instructions: 1,000\n"
		   "18 Graduated loads........   400\r\n"
		   "Graduated stores\t100\nGraduated floating point instructions = 50\n"
		   "Decoded branches 40\nMispredicted branches 4\nAnything else 7\n",
		   &e))
		fail_msg("%s", e.text);
	assert_int_equal(mix.total, 1000);
	assert_int_equal(mix.cycles, 2000);
	assert_int_equal(mix.classes[OP_LOAD], 400);
	assert_int_equal(mix.classes[OP_FP_OTHER], 50);
	assert_int_equal(mix.classes[OP_INT_ALU], 410);
	assert_int_equal(mix.prediction.failed, 4);
	assert_int_equal(mix.prediction.tries, 40);
}

/* What perf 6.1 writes with -I, -A, --per-core, -r, without a unit, with another separator. */
TEST(test_perf_forms)
{
	static const struct {
		const char *text;
		uint64_t instructions, branches, cycles;
		double counted;
	} rows[] = {
	    /* -I 1000; nothing ran in the second interval */
	    {"     1.000106019,500,,instructions:u,840517,100.00,1.10,insn per cycle\n"
	     "     1.000106019,400,,cycles:u,840517,80.00,,\n"
	     "     1.000106019,60,,branches:u,840517,100.00,,\n"
	     "     2.000212038,<not counted>,,instructions:u,0,100.00,,\n"
	     "     2.000212038,<not counted>,,cycles:u,0,100.00,,\n"
	     "     2.000212038,<not counted>,,branches:u,0,100.00,,\n"
	     "     3.000318057,500,,instructions:u,62663,100.00,,\n"
	     "     3.000318057,400,,cycles:u,62663,100.00,,\n"
	     "     3.000318057,40,,branches:u,62663,100.00,,\n",
	     1000, 100, 800, 0.8},
	    /* and with --summary, whose first column says so or not */
	    {"     1.000106019,500,,instructions:u,840517,100.00,,\n"
	     "     2.000212038,<not counted>,,instructions:u,0,100.00,,\n"
	     "         summary,501,,instructions:u,903180,100.00,,\n",
	     501, 0, 0, 1},
	    {"     1.000106019,500,,instructions,840517,50.00,,\n501,,instructions,903180,100.00,,\n",
	     501, 0, 0, 1},
	    /* -A */
	    {"CPU0,500,,instructions,138814540,100.00,1.1,insn per cycle\n"
	     "CPU1,300,,instructions,127467522,100.00,,\nCPU0,,,,,,1.2,stalled cycles per insn\n",
	     800, 0, 0, 1},
	    /* --per-core, --per-node, --per-thread */
	    {"S0-D0-C0,2,500,,instructions,1,100.00,,\nS0-D0-C1,2,300,,instructions,1,100.00,,\n",
	     800, 0, 0, 1},
	    {"N0,4,900,,instructions,216861159,100.00,,\nN0,4,,,,,,1.2,IPC\n", 900, 0, 0, 1},
	    {"sh-17,500,,instructions,1,100.00,,\nsh-18,<not counted>,,instructions,1,100.00,,\n"
	     "sh-19,1,,instructions,1,100.00,,\n",
	     501, 0, 0, 1},
	    /* kinds of cores: one of them had nothing to do */
	    {"700,,cpu_core/instructions/u,1,100.00,,\n<not counted>,,cpu_atom/instructions/u,0,0.00,,\n"
	     "70,,cpu_core/branches/u,1,100.00,,\n<not counted>,,cpu_atom/branches/u,0,0.00,,\n",
	     700, 70, 0, 1},
	    /* -r 3; a control group; a metric on a line of its own, without a blank */
	    {"500,,instructions:u,0.50%,491960,75.00,,\n;;;;;;12.3;GHz\n,,,,,,12.3,GHz\n", 500, 0, 0,
	     0.75},
	    {"500,,instructions,/sys,1234,25.00,,\n", 500, 0, 0, 0.25},
	    /* a comma for the decimal point, with other separators and with this one */
	    {"500;;instructions:u;11,88%;491960;66,67;1,1;insn per cycle\n", 500, 0, 0, 0.6667},
	    {"500,,instructions:u,11,88%,491960,66,67,1,1,insn per cycle\n", 500, 0, 0, 0.6667},
	    {"500@@instructions:u@491960@66.67@@\n", 500, 0, 0, 0.6667},
	    {"500\t\tinstructions:u\t491960\t66.67\t\t\n", 500, 0, 0, 0.6667},
	    /* terms of an event have commas in them */
	    {"7,,cpu/event=0x3c,umask=0x0/u,1,100.00,,\n500,,instructions,1,100.00,,\n", 500, 0, 0, 1},
	    /* of old: neither unit nor times */
	    {"500,instructions:u\n50,branches,1234,50.00\n", 500, 50, 0, 0.5},
	    /* cycles that were not counted throughout are not known */
	    {"CPU0,500,,instructions,1,100.00,,\nCPU1,500,,instructions,1,100.00,,\n"
	     "CPU0,500,,cycles,1,100.00,,\nCPU1,<not counted>,,cycles,1,100.00,,\n",
	     1000, 0, 0, 1},
	    /* so are those of one interval only, and of one kind of core */
	    {"     1.000106019,500,,instructions:u,1,100.00,,\n"
	     "     1.000106019,400,,cycles:u,1,100.00,,\n"
	     "     2.000212038,500,,instructions:u,1,100.00,,\n",
	     1000, 0, 0, 1},
	    {"700,,cpu_core/instructions/u,1,100.00,,\n300,,cpu_atom/instructions/u,1,100.00,,\n"
	     "700,,cpu_core/cycles/u,1,100.00,,\n",
	     1000, 0, 0, 1},
	    /* a prefix that is of no kind of core */
	    {"700,,instructions:u,1,100.00,,\n70,,cpu/branches/u,1,100.00,,\n", 700, 70, 0, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpi0_mix mix;
		struct error e;

		if (counts(&mix, "perf.mapping", rows[i].text, &e))
			fail_msg("%s: %s", rows[i].text, e.text);
		if (mix.total != rows[i].instructions || mix.cycles != rows[i].cycles ||
		    cpi0_mix_branches(&mix) != rows[i].branches)
			fail_msg("'%s': %llu instructions, %llu cycles", rows[i].text,
				 (unsigned long long)mix.total, (unsigned long long)mix.cycles);
		assert_true(mix.counted > rows[i].counted - 1e-9 &&
			    mix.counted < rows[i].counted + 1e-9);
	}
}

/* Misses of loads are in proportion to loads. */
TEST(test_load_misses)
{
	struct cpi0_mix mix;
	struct error e;

	assert_int_equal(counts(&mix, "perf.mapping",
				"instructions 100\nL1-dcache-loads 40\nL1-dcache-stores 20\n"
				"L1-dcache-load-misses 4\n",
				&e),
			 STATUS_OK);
	assert_int_equal(mix.data_cache.failed, 4);
	assert_int_equal(mix.data_cache.tries, 40);
	assert_int_equal(counts(&mix, "perf.mapping",
				"instructions 100\nld_spec 40\nst_spec 20\nl1d_cache 55\n"
				"l1d_cache_refill 4\n",
				&e),
			 STATUS_OK);
	assert_int_equal(mix.data_cache.tries, 60); /* of instructions, however many accesses */
	assert_int_equal(counts(&mix, "perf.mapping",
				"instructions 100\nld_spec 40\nl1d_cache 55\nl1d_cache_refill 4\n"
				"l1i_cache 25\nl1i_cache_refill 2\n",
				&e),
			 STATUS_OK);
	assert_int_equal(mix.data_cache.tries, 55); /* nobody counted the stores */
	assert_int_equal(mix.fetch_cache.failed, 2);
	assert_int_equal(mix.fetch_cache.tries, 100);
	/* what waits for a line on its way missed as well */
	assert_int_equal(counts(&mix, "samplecore.mapping",
				"committed_instructions 100\nunit.agen.committed 40\n"
				"dcache.accesses 45\ndcache.misses 4\ndcache.delayed_hits 3\n"
				"icache.accesses 30\nicache.misses 2\nicache.delayed_hits 1\n",
				&e),
			 STATUS_OK);
	assert_int_equal(mix.data_cache.failed, 7);
	assert_int_equal(mix.fetch_cache.failed, 3);
	/* more misses than loads: what was counted, which a check finds */
	assert_int_equal(counts(&mix, "perf.mapping",
				"instructions 100\nL1-dcache-loads 40\nL1-dcache-load-misses 41\n", &e),
			 STATUS_OK);
	assert_int_equal(mix.data_cache.failed, 41);
	assert_int_equal(mix.data_cache.tries, 40);
}

/* perfex -a has cycles and graduated instructions twice; -y says what each may cost. */
TEST(test_perfex)
{
	struct cpi0_mix mix;
	struct error e;

	if (counts(&mix, "perfex.mapping",
		   "Summary for execution of a.out\n\n"
		   "=====================================================\n"
		   " 0 Cycles......................................          2000     0.0100    0.0100\n"
		   "15 Graduated instructions......................          1000     0.0010    0.0010\n"
		   "16 Cycles......................................          2001     0.0100    0.0100\n"
		   "17 Graduated instructions......................          1003     0.0010    0.0010\n"
		   "18 Graduated loads.............................           400     0.0010    0.0010\n",
		   &e))
		fail_msg("%s", e.text);
	assert_int_equal(mix.total, 1000);
	assert_int_equal(mix.cycles, 2000);
	assert_int_equal(mix.classes[OP_LOAD], 400);
}

/* Counters that contradict each other: neither a rate of 0 nor two numbers of instructions. */
TEST(test_not_adding_up)
{
	static const struct {
		enum cpi0_check check;
		enum cpi0_verdict verdict;
		const char *text;
	} rows[] = {
	    {CPI0_CHECK_PREDICTION, CPI0_NOT_KNOWN,
	     "does not add up: more mispredictions than branches"},
	    {CPI0_CHECK_DATA, CPI0_NOT_KNOWN, "does not add up: more misses than accesses"},
	    {CPI0_CHECK_FETCH, CPI0_NOT_KNOWN, "does not add up: more misses than instructions"},
	    {CPI0_CHECK_SUM_P, CPI0_VIOLATED, "too many: in classes, beyond all instructions"},
	};
	struct machine m = r10000();
	struct cpi0_diagnosis d;
	struct cpi0_mix mix;
	struct sbuf line = {0};
	struct error e;

	assert_int_equal(counts(&mix, "perf.mapping",
				"instructions 1000\ncycles 1500\nbranches 200\n"
				"branch-misses 201\nL1-dcache-loads 600\nL1-dcache-stores 400\n"
				"L1-dcache-load-misses 601\nL1-icache-load-misses 1001\n",
				&e),
			 STATUS_OK);
	assert_int_equal(cpi0_diagnose(&d, &m, &mix, -1, &e), STATUS_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct cpi0_flag *f = &d.flags[rows[i].check];

		assert_int_equal(f->verdict, rows[i].verdict);
		assert_string_equal(f->text, rows[i].text);
	}
	assert_true(d.flags[CPI0_CHECK_SUM_P].value == 0.2);
	assert_int_equal(d.flags[CPI0_CHECK_COUNTED].verdict, CPI0_NONE); /* all the time */
	assert_int_equal(d.c.instructions, 1000);
	assert_true(d.measured == 1.5);
	assert_true(cpi0_real(d.c.cpi) == 1); /* 1000 that use memory, one a cycle */
	for (int i = 0; cpi0_say_unknown(&mix, i, &line);)
		i++;
	assert_string_equal(sbuf_text(&line),
			    "classes add up to 1 200, more than the 1 000 instructions counted");
	sbuf_free(&line);
	/* as many are possible */
	assert_int_equal(counts(&mix, "perf.mapping",
				"instructions 200\nbranches 200\nbranch-misses 200\n", &e),
			 STATUS_OK);
	assert_int_equal(cpi0_diagnose(&d, &m, &mix, -1, &e), STATUS_OK);
	assert_int_equal(d.flags[CPI0_CHECK_PREDICTION].verdict, CPI0_VIOLATED);
	assert_int_equal(d.flags[CPI0_CHECK_SUM_P].verdict, CPI0_OK);
}

TEST(test_bad_counts)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
	    {"", "no counter of instructions"},
	    {"cycles 7\n", "no counter of instructions"},
	    /* they are there, but counted none */
	    {"instructions 0\n", "no instruction was counted: instructions is there, and 0"},
	    {"0,,instructions:u,1,100,,\n7,,cycles:u,1,100,,\n", "no instruction was counted"},
	    {"L1-dcache-loads 0\ncycles 7\n", "no instruction was counted: load is there"},
	    {"instructions 0\nL1-dcache-loads 9\n", "do not add up: 0 of all"},
	    {"instructions 1\n\nbranches\n", "3: neither a line of"},
	    {"instructions x\n", "1: 'x' is no count"},
	    {"instructions -5\n", "1: '-5' is no count"},
	    {"instructions 99999999999999999999\n", "is no count"},
	    {"-500,,instructions:u,1,100,,\n", "1: '-500' is no count from 0 to 10^15"},
	    {"1000,,instructions:u,1,100,,\n-200,,L1-dcache-loads:u,1,100,,\n",
	     "2: '-200' is no count from 0 to 10^15"},
	    {"CPU0,-7,,instructions:u,1,100,,\n", "1: '-7' is no count from 0 to 10^15"},
	    {"instructions 5\ninstructions 5\n", "2: instructions is there already, in line 1"},
	    {"5,,instructions:u,1,100,,\n5,,instructions:k,1,100,,\n", "2: instructions is there"},
	    {"<not counted>,,instructions:u,0,0.00,,\n", "1: instructions was not counted"},
	    {"9,,instructions,1,100,,\n<not supported>,,branches,0,0,,\n",
	     "2: branches was not supported"},
	    {"instructions <not counted>\n", "1: instructions was not counted"},
	    {"instructions 9\ncycles 5\ncpu-cycles 5\n",
	     "3: cpu-cycles counts what cycles counts, in line 2"},
	    /* in one place some were, others were not */
	    {"CPU0,9,,instructions,1,100.00,,\nCPU1,9,,instructions,1,100.00,,\n"
	     "CPU0,9,,branches,1,100.00,,\nCPU1,<not counted>,,branches,1,100.00,,\n",
	     "4: branches was not counted everywhere"},
	    {"CPU0,9,,instructions,1,100.00,,\nCPU0,9,,instructions,1,100.00,,\n",
	     "2: instructions is there already"},
	    {"CPU0,<not supported>,,instructions,1,100.00,,\n", "1: instructions was not"},
	    {" Performance counter stats for 'true':\n\n 1,000 instructions\n", "ask `perf stat -x,`"},
	    {"{\"counter-value\" : \"5.0\", \"event\" : \"instructions\"}\n", "ask `perf stat -x,`"},
	    {"0.5,,instructions,1,100.00,,\n", "1: '0.5' is no count"},
	    /* decimal, as by hand */
	    {"instructions 0x10\n", "1: '0x10' is no count from 0 to 10^15, in decimal"},
	    {"instructions 1e3\n", "1: '1e3' is no count from 0 to 10^15, in decimal"},
	    /* each is a count, the sum of a class is not */
	    {"1000000000000000,,fp_arith_inst_retired.scalar_double,1,100.00,,\n"
	     "1000000000000000,,fp_arith_inst_retired.scalar_single,1,100.00,,\n",
	     "2: together more than 10^15 of fp other"},
	    /* in one place only, and nothing says that it was not counted in the other */
	    {"CPU0,9,,instructions,1,100.00,,\nCPU1,9,,instructions,1,100.00,,\n"
	     "CPU0,9,,branches,1,100.00,,\n",
	     "3: branches was not counted everywhere"},
	    /* equally often, but elsewhere */
	    {"CPU0,9,,instructions,1,100.00,,\nCPU1,<not counted>,,instructions,1,100.00,,\n"
	     "CPU0,<not counted>,,branches,1,100.00,,\nCPU1,9,,branches,1,100.00,,\n",
	     "4: branches was not counted everywhere"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpi0_mix mix;
		struct error e;

		if (counts(&mix, "perf.mapping", rows[i].text, &e) != STATUS_INPUT)
			fail_msg("'%s' is taken", rows[i].text);
		assert_says(&e, rows[i].says);
	}
}

TEST(test_mappings)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
	    {"load\n", "1: it should be: CLASS COUNTER"},
	    {"loads x\n", "1: 'loads' is no class"},
	    {"# ok\nload x\nstore X\n", "3: counter 'X' is there already"},
	    {"rest everything\n", "1: 'everything' is no class"},
	    {"rest load\nrest store\n", "2: a second rest"},
	    {"rest unknown\n", "1: 'unknown' is no class"},
	    {"unknown x\n", "1: 'unknown' is no class"},
	    {"load a0123456789012345678901234567890123456789012345678901234567890123456789\n",
	     "1: 'a0123456789012345678...' is longer than 63 letters"},
	};

	assert_int_equal(mapping("samplecore.mapping").rest, OP_CLASS_COUNT);
	assert_int_equal(mapping("perfex.mapping").rest, OP_INT_ALU);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpi0_mapping map;
		struct error e;

		assert_int_equal(cpi0_mapping_read(&map, rows[i].text, strlen(rows[i].text), &e),
				 STATUS_INPUT);
		assert_says(&e, rows[i].says);
	}
}

/* What was not counted is not 0. */
TEST(test_not_counted)
{
	struct cpi0_mix mix;
	struct sbuf all = {0};
	struct error e;

	assert_int_equal(counts(&mix, "samplecore.mapping",
				"committed_instructions 1000\ncycles 0\nunit.alu.committed 1000\n"
				"branches 74\nfoo 3\nbar 4\n",
				&e),
			 STATUS_OK);
	assert_int_equal(cpi0_mix_branches(&mix), 74);
	assert_false(mix.branches_unknown);
	assert_true(mix.cycles_uncounted);
	assert_int_equal(mix.skipped, 2);
	assert_int_equal(counts(&mix, "perf.mapping", "instructions 1000\ncycles 700\n", &e),
			 STATUS_OK);
	assert_true(mix.branches_unknown);
	for (int i = 0; cpi0_say_unknown(&mix, i, &all);)
		i++;
	assert_string_equal(sbuf_text(&all),
			    "integer is the rest: loads, stores, branches not counted");
	assert_int_equal(counts(&mix, "perf.mapping",
				"instructions 1000\ncycles 700\nL1-dcache-loads 3000\n", &e),
			 STATUS_OK);
	assert_int_equal(mix.committed, 1000);
	/* names of one thing, perhaps: it is said that they are added up */
	assert_int_equal(counts(&mix, "perf.mapping",
				"instructions 1000\nL1-dcache-loads 100\nL1-dcache-stores 9\n"
				"mem_inst_retired.all_loads 100\nbranches 7\n",
				&e),
			 STATUS_OK);
	assert_int_equal(mix.classes[OP_LOAD], 200);
	sbuf_clear(&all);
	for (int i = 0; cpi0_say_unknown(&mix, i, &all);)
		i++;
	assert_string_equal(sbuf_text(&all), "load: several counters, added up");
	sbuf_free(&all);
}

/*
 * What several counters are of is added up, and said to be: classes and misses alike. Each may be of
 * another kind of core.
 */
TEST(test_summed)
{
	static const char names[] = "instructions inst\nload ld_p\nload ld_e\nstore st\n"
				    "data-misses l1miss_p\ndata-misses l1miss_e\n";
	static const char hybrid[] = "CORE,200,,ld_p,1,100,,\nATOM,100,,ld_e,1,100,,\n"
				     "CORE,20,,l1miss_p,1,100,,\nATOM,10,,l1miss_e,1,100,,\n"
				     "CORE,60,,st,1,100,,\nATOM,40,,st,1,100,,\n";
	static const char list[] = "inst 1000\nld_p 300\nst 100\nl1miss_p 20\nl1miss_e 20\n";
	/* what perf has of both kinds of core, in places of their own */
	static const char perf[] = "CORE,700,,inst,1,100,,\nATOM,300,,inst,1,100,,\n";
	struct cpi0_mapping map;
	struct cpi0_mix mix;
	struct sbuf text = {0}, line = {0};
	struct error e;

	assert_int_equal(cpi0_mapping_read(&map, names, strlen(names), &e), STATUS_OK);
	sbuf_printf(&text, "%s%s", perf, hybrid);
	if (cpi0_counts_read(&mix, &map, sbuf_text(&text), text.len, &e))
		fail_msg("%s", e.text);
	assert_int_equal(mix.total, 1000);
	assert_int_equal(mix.classes[OP_LOAD], 300);
	assert_int_equal(mix.data_cache.failed, 30);
	assert_int_equal(mix.data_cache.tries, 400);
	for (int i = 0; cpi0_say_unknown(&mix, i, &line);)
		i++;
	assert_non_null(strstr(sbuf_text(&line),
			       "load, data-misses: each of several counters, added up"));
	assert_int_equal(cpi0_counts_read(&mix, &map, list, strlen(list), &e), STATUS_OK);
	assert_int_equal(mix.data_cache.failed, 40);
	sbuf_clear(&line);
	for (int i = 0; cpi0_say_unknown(&mix, i, &line);)
		i++;
	assert_non_null(strstr(sbuf_text(&line), "data-misses: several counters, added up"));
	/* one counter that is of some places only is not all of the misses */
	sbuf_clear(&text);
	sbuf_printf(&text, "%sCORE,200,,ld_p,1,100,,\nATOM,9,,ld_p,1,100,,\n"
		    "CORE,60,,st,1,100,,\nATOM,40,,st,1,100,,\nCORE,20,,l1miss_p,1,100,,\n", perf);
	assert_int_equal(cpi0_counts_read(&mix, &map, sbuf_text(&text), text.len, &e), STATUS_OK);
	assert_int_equal(mix.data_cache.tries, 0);
	sbuf_free(&text);
	sbuf_free(&line);
}
