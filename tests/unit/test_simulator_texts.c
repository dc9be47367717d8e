/* The texts that the cache simulator reads: models, and references. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "simulator/simulator.h"
#include "testing.h"

static struct sim_machine read_model(const char *text)
{
	struct sim_machine m;
	char error[200];

	if (!sim_machine_read(&m, text, error, sizeof(error)))
		fail_msg("%s", error);
	return m;
}

TEST(models)
{
	const struct sim_machine m = read_model(
	    "# a comment\n\n thesis # all else\r\ncpus 8\ncpus-per-l2 4\n"
	    "l1\t16K 4 64\nl2 1m 4 256\nprotocol mesi\nmemory 100");
	const struct sim_machine usual = read_model(""), today = read_model(SIM_DEFAULT);

	assert_int_equal(m.cpus, 8);
	assert_int_equal(m.l1.bytes, 16 << 10);
	assert_int_equal(m.l1.ways, 4);
	assert_int_equal(m.l1.block, 64);
	assert_int_equal(m.l2.bytes, 1 << 20);
	assert_true(m.exclusive);
	assert_true(m.silent_locks);
	assert_int_equal(m.memory, 100);
	assert_int_equal(m.far_dirty, 67);
	assert_memory_equal(&usual, &today, sizeof(usual));
}

TEST(built_in_models)
{
	const struct sim_machine today = read_model("today"), thesis = read_model("thesis"),
				 thesis_8 = read_model("thesis-8");
	const struct sim_machine small = read_model(
	    "cpus 4\ncpus-per-l2 2\nl1 1024 4 16\nl2 8k 4 128\nprotocol msi\nlocks silent\nreference 3\n"
	    "l2-hit 16\nnear-dirty 19\nnear-upgrade 16\nmemory 47\nfar-dirty 67\nfar-upgrade 47");
	const struct sim_machine large = read_model(
	    "thesis\ncpus 8\ncpus-per-l2 4\nl1 16k 4 64\nl2 128k 4 256");

	assert_true(today.exclusive && !today.silent_locks);
	assert_memory_equal(&thesis, &small, sizeof(thesis));
	assert_memory_equal(&thesis_8, &large, sizeof(thesis_8));
}

TEST(wrong_models)
{
	static const char *const wrong[][2] = {
	    {"cpus", "1: not right for cpus: CPUs, at most 64"},
	    {"\ncpus 65", "2: not right for cpus: "},
	    {"cpus 4 CPUs", "1: not right for cpus: "},
	    {"l3 1", "1: unknown setting 'l3': "},
	    {"like", "1: unknown setting 'like': "},
	    {"l1 48k 12", "1: not right for l1: bytes, ways and bytes of a block"},
	    {"l1 48k 12 64 4", "1: not right for l1: "},
	    {"l1 4294967297 1 64", "1: not right for l1: "},
	    {"l1 1025m 1 64", "1: not right for l1: "},
	    {"l1 0 4 16", "1: not right for l1: "},
	    {"l1 1k 4 48", "l1 1024 4 48: make bytes of a block"},
	    {"l1 1k 4 2", "l1 1024 4 2: make bytes of a block"},
	    {"l1 1k 3 16", "l1 1024 3 16: make bytes of a block"},
	    {"protocol moesi", "1: not right for protocol: msi, or mesi"},
	    {"protocol 1", "1: not right for protocol: "},
	    {"cpus 4\nthesis", "2: thesis would undo the lines before it: "},
	    {"reference 0", "1: not right for reference: "},
	    {"memory 4.7", "1: not right for memory: "},
	    {"cpus 6\ncpus-per-l2 4", "6 CPUs, 4 for each L2 cache: "},
	    {"l2 64k 4 32", "L1 caches of 49152 bytes in blocks of 64, L2 caches of 65536 in blocks of 32: "},
	};
	struct sim_machine m;
	char error[200];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (sim_machine_read(&m, wrong[i][0], error, sizeof(error)))
			fail_msg("'%s' is taken", wrong[i][0]);
		if (strncmp(error, wrong[i][1], strlen(wrong[i][1])) != 0)
			fail_msg("'%s': %s", wrong[i][0], error);
	}
}

TEST(references)
{
	static const char *const none[] = {"", " \t\r\n", "# 1 2 3 4 r"};
	static const char *const wrong[] = {"x",	   "1 g",	 "1 1 0x",	  "1 1 1 0 r",
					    "1 1 1 65537 r", "1 1 1 4 x", "1 1 1 4 rw",	  "1 1 1 4",
					    "1 1 1 4 r r",   "-1 1 1 4 r", "1 1 10000000000000000 4 r"};
	char line[64] = "\t12 0x4011D6 ffffffffffffffff 65536 W#";
	struct sim_reference r;
	const char *why;

	assert_true(sim_reference_read(&r, line, &why));
	assert_int_equal(r.thread, 12);
	assert_int_equal(r.pc, 0x4011d6);
	assert_true(r.address == UINT64_MAX);
	assert_int_equal(r.size, 65536);
	assert_true(r.write);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		snprintf(line, sizeof(line), "%s", none[i]);
		assert_true(!sim_reference_read(&r, line, &why) && !why);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(line, sizeof(line), "%s", wrong[i]);
		if (sim_reference_read(&r, line, &why) || !why)
			fail_msg("'%s' is taken", wrong[i]);
	}
}
