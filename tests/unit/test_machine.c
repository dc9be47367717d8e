/* Machine descriptions: what is shipped, and every mistake with its line. */
#include "config.h"

#include <string.h>

#include "analysis/pipeline/machine.h"
#include "base/embedded.h"
#include "testing.h"

#define HEAD  "machine x\ndispatch 4\nin-flight 32\n"
#define QUEUE "queue m\nrate 1\ntakes load\n"

static enum status read_text(struct machine *m, const char *text, struct error *e)
{
	*e = (struct error){.text = ""};
	return machine_read(m, text, strlen(text), e);
}

TEST(test_shipped)
{
	size_t found = 0;

	for (const struct embedded_file *f = embedded_files; f->name; f++) {
		const char *dot = strrchr(f->name, '.');
		struct machine m;
		struct error e;

		if (!dot || strcmp(dot, ".machine") != 0)
			continue;
		found++;
		if (machine_read(&m, (const char *)f->bytes, f->len, &e))
			fail_msg("%s:%s", f->name, e.text);
		assert_int_equal(strlen(m.name), dot - f->name);
		assert_memory_equal(m.name, f->name, strlen(m.name));
		/* loads and integers are somewhere in all of them */
		assert_true(m.queue_of[OP_LOAD] >= 0 && m.queue_of[OP_INT_ALU] >= 0);
	}
	assert_int_equal(found, 7);
}

TEST(test_r10000)
{
	const struct embedded_file *f = embedded_find("r10000.machine");
	struct machine m;
	struct error e;

	assert_non_null(f);
	assert_int_equal(machine_read(&m, (const char *)f->bytes, f->len, &e), STATUS_OK);
	assert_int_equal(m.dispatch.num, 4);
	assert_int_equal(m.in_flight, 32);
	assert_true(m.queued);
	assert_int_equal(m.queue_count, 3);
	for (int q = 0; q < 3; q++) {
		assert_int_equal(m.queues[q].capacity, 16);
		assert_int_equal(m.queues[q].latency, 1);
	}
	assert_string_equal(m.queues[0].name, "f");
	assert_int_equal(m.queues[0].unit_count, 2);
	assert_true(machine_rate(&m, 0) == 2 && machine_rate(&m, 1) == 1 &&
		    machine_rate(&m, 2) == 2);
	assert_int_equal(m.queue_of[OP_BRANCH], MACHINE_NO_QUEUE);
	assert_int_equal(machine_queue_find(&m, "i", 1), 2);
	assert_int_equal(machine_queue_find(&m, "ix", 2), MACHINE_NO_QUEUE);
}

TEST(test_forms)
{
	struct machine m;
	struct error e;

	assert_int_equal(read_text(&m,
				   "# of comments\r\n\nmachine x # and more\ndispatch 1.5\n"
				   "in-flight 8\nqueue memory\n\trate 3/2\n\tcapacity 99\n"
				   "\tlatency 3\n\ttakes load store\n\ttakes fp-add",
				   &e),
			 STATUS_OK);
	assert_int_equal(m.dispatch.num, 3);
	assert_int_equal(m.dispatch.den, 2);
	assert_false(m.queued);
	assert_int_equal(m.queues[0].capacity, 8); /* no more than can be in flight */
	assert_int_equal(m.queues[0].latency, 3);
	assert_true(machine_rate(&m, 0) == 1.5);
	assert_int_equal(m.queue_of[OP_FP_ADD], 0);
	assert_int_equal(machine_queue_find(&m, "m", 1), 0); /* by its first letter */
}

static const struct {
	const char *text, *says; /* the message begins so */
} mistakes[] = {
    {"", "0: no `machine NAME`"},
    {"\n\n", "2: no `machine NAME`"},
    {"machine x\n", "1: no dispatch rate"},
    {"machine x\ndispatch 4\n", "2: no in-flight limit"},
    {HEAD, "3: no queue"},
    {"machine x\ndispatch 0\n", "2: a dispatch rate is from 1/4096 to 4096"},
    {"machine x\ndispatch -1\n", "2: a dispatch rate is from 1/4096 to 4096"},
    {"machine x\ndispatch 4097\n", "2: a dispatch rate is from 1/4096 to 4096"},
    {"machine x\ndispatch 4\ndispatch 4\n", "3: a second dispatch rate"},
    {"machine x\nmachine y\n", "2: a second name"},
    {"machine abcdefghijklmnopqrstuvwxyz\n", "1: 'abcdefghijklmnopqrstuvwxyz' is longer"},
    {"machine x\ndispatch 4\nin-flight 0\n", "3: in-flight limit: a number"},
    {"machine x\ndispatch 4\nin-flight 9 queues\n", "3: 'queues' should be 'queued'"},
    {HEAD "rate 1\n", "4: rate before the first queue"},
    {HEAD "queue m\nrate 0\n", "5: a rate is from 1/4096 to 4096"},
    {HEAD "queue m\nrate -2\n", "5: a rate is from 1/4096 to 4096"},
    {HEAD "queue m\nrate 0.000001\n", "5: a rate is from 1/4096 to 4096"},
    {HEAD "queue m\nrate 1/5000\n", "5: a rate is from 1/4096 to 4096, as in 4, 1.5 or 3/2, of terms up to 4096; not"},
    {HEAD "queue m\nrate x\n", "5: a rate is from 1/4096 to 4096"},
    {HEAD "queue m\nrate 1\nrate 1\n", "6: a second rate"},
    {HEAD "queue m\ncapacity 0\n", "5: capacity: a number"},
    {HEAD "queue m\ncapacity 1\ncapacity 2\n", "6: a second capacity"},
    {HEAD "queue m\nlatency 0\n", "5: latency: a number"},
    {HEAD "queue b\nrate 1\ntakes load\n", "6: queue b takes no branches"},
    {HEAD "queue dispatch\n", "4: a queue cannot be called dispatch"},
    {HEAD "queue latency\n", "4: a queue cannot be called latency"},
    {HEAD "queue a,b\n", "4: 'a,b': a queue's name"},
    {HEAD "queue 4x\n", "4: '4x': a queue's name"},
    {HEAD "queue m\nrate 4097\n", "5: a rate is from 1/4096 to 4096"},
    {HEAD "queue m\ntakes loads\n", "5: 'loads' is not a class"},
    {HEAD "queue m\ntakes unknown\n", "5: 'unknown' is not a class"},
    {HEAD "queue m\ntakes\n", "5: it should be: takes CLASS..."},
    {HEAD QUEUE "queue m\n", "7: a second queue 'm'"},
    {HEAD QUEUE "queue n\ntakes store load\n", "8: queue m already takes load"},
    {HEAD "queue m\ntakes load\n", "5: queue m has neither rate nor units"},
    {HEAD "queue m\nrate 1\n", "5: queue m takes no class"},
    {HEAD "queue m\nunit a 0 load\n", "5: there are 1 to"},
    {HEAD "queue m\nunit a 1 load\nunit a 1 store\n", "6: a second unit 'a'"},
    {HEAD "queue m\nunit a 1 load\ntakes store\n", "6: the units of queue m"},
    {HEAD "queue m\ntakes store\nunit a 1 load\n", "6: queue m has `takes`"},
    {HEAD QUEUE "width 4\n", "7: unknown word 'width'"},
    {HEAD QUEUE "\033[31m\n", "7: not a line"},
    {"machine x\ndispatch 4\nin-flight 32 queued\n" QUEUE "latency 2\n",
     "7: queue m has a latency"},
    {HEAD "queue a\nqueue b\nqueue c\nqueue d\nqueue e\nqueue f\nqueue g\nqueue h\nqueue i\n",
     "12: a machine has at most 8 queues"},
    {HEAD "queue m\nunit a 1 load\nunit b 1 load\nunit c 1 load\nunit d 1 load\nunit e 1 load\n"
	  "unit f 1 load\nunit g 1 load\nunit h 1 load\nunit i 1 load\n",
     "13: a queue has at most 8 kinds of units"},
};

TEST(test_mistakes)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct machine m;
		struct error e;

		assert_int_equal(read_text(&m, mistakes[i].text, &e), STATUS_INPUT);
		if (strncmp(e.text, mistakes[i].says, strlen(mistakes[i].says)) != 0)
			fail_msg("'%s' says '%s', not '%s'", mistakes[i].text, e.text,
				 mistakes[i].says);
		assert_null(strchr(e.text, '\n'));
		assert_int_equal(machine_read(&m, mistakes[i].text, strlen(mistakes[i].text), NULL),
				 STATUS_INPUT);
	}
}
