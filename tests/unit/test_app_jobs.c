/* Jobs of the app, whoever they are of. */
#include "config.h"

#include "app_driver.h"

struct fake_job {
	struct job job; /* first */
	int steps, stops, drops;
	struct fake_job *ends; /* with its first step */
};

static unsigned fake_step(struct app *a, struct job *job, int64_t deadline)
{
	struct fake_job *f = (struct fake_job *)job;

	(void)a;
	(void)deadline;
	if (f->ends && !f->steps)
		job_end(&f->ends->job);
	f->steps++;
	return REACT_NONE;
}

static void fake_say(const struct app *a, const struct job *job, struct sbuf *out)
{
	(void)a;
	sbuf_printf(out, " %d", ((const struct fake_job *)job)->steps);
}

static void fake_stop(struct app *a, struct job *job)
{
	(void)a;
	((struct fake_job *)job)->stops++;
	job_end(job);
}

static void fake_drop(struct app *a, struct job *job)
{
	(void)a;
	((struct fake_job *)job)->drops++;
	job_end(job);
}

static const struct job_kind slow_kind = {.step = fake_step,
					  .say = fake_say,
					  .stop = fake_stop,
					  .drop = fake_drop,
					  .flags = JOB_HOLDS | JOB_YIELDS};
static const struct job_kind beside_kind = {
    .step = fake_step, .say = fake_say, .stop = fake_stop, .flags = JOB_BESIDE};
static const struct job_kind aside_kind = {.step = fake_step, .flags = JOB_BESIDE | JOB_ASIDE};

/* A step may take others out, of those that the round has not come to yet, too. */
TEST(jobs_go_on)
{
	struct app *a = start();
	struct fake_job first = {.steps = 0}, second = first, third = {.ends = &second}, aside = first;
	struct sbuf said = {0};

	assert_int_equal(jobs_wait_ms(a), -1);
	job_begin(&a->jobs, &aside.job, &aside_kind);
	assert_false(app_busy(a));
	assert_in_range(jobs_wait_ms(a), 1, 100);
	job_begin(&a->jobs, &first.job, &beside_kind);
	job_begin(&a->jobs, &second.job, &beside_kind);
	job_begin(&a->jobs, &third.job, &beside_kind);
	assert_true(app_busy(a));
	jobs_step(a, 0);
	assert_int_equal(second.steps, 0);
	assert_int_equal(third.steps, 1);
	assert_int_equal(aside.steps, 1);
	jobs_step(a, 0);
	assert_int_equal(first.steps, 2);
	/* the one of a kind that began last speaks for it */
	job_begin(&a->jobs, &second.job, &slow_kind);
	assert_int_equal(jobs_wait_ms(a), 0);
	job_end(&third.job);
	job_begin(&a->jobs, &third.job, &beside_kind);
	jobs_say(a, &said);
	assert_string_equal(sbuf_text(&said), " 2 0");
	sbuf_free(&said);
	for (int i = 0; i < 2; i++) {
		job_end(&first.job);
		job_end(&second.job);
		job_end(&third.job);
		job_end(&aside.job);
	}
	assert_null(a->jobs.first);
	app_free(a);
}

/* ^C: all of the kind that began last; at a prompt that is given up instead. */
TEST(jobs_are_stopped)
{
	struct app *a = start();
	struct fake_job first = {.steps = 0}, second = first, slow = first, aside = first;

	run(a, "echo"); /* the trace is read to its end: that is not what is stopped here */
	job_begin(&a->jobs, &first.job, &beside_kind);
	job_begin(&a->jobs, &slow.job, &slow_kind);
	job_begin(&a->jobs, &second.job, &beside_kind);
	job_begin(&a->jobs, &aside.job, &aside_kind);
	assert_int_equal(app_run(a, "ask command", -1, NULL), STATUS_OK);
	assert_false(app_interrupt(a));
	prompt_cancel(a);
	assert_true(app_interrupt(a));
	assert_int_equal(first.stops + second.stops, 2);
	assert_int_equal(slow.stops, 0);
	assert_true(app_interrupt(a));
	assert_int_equal(slow.stops, 1);
	assert_false(app_interrupt(a));
	/* any command drops what yields, but for those beside it */
	job_begin(&a->jobs, &slow.job, &slow_kind);
	assert_int_equal(app_run(a, "redraw", -1, NULL), STATUS_OK);
	assert_int_equal(slow.drops, 0);
	assert_int_equal(app_run(a, "echo", -1, NULL), STATUS_OK);
	assert_int_equal(slow.drops, 1);
	job_end(&aside.job);
	app_free(a);
}

static unsigned signalled_step(struct app *a, struct job *job, int64_t deadline)
{
	atomic_store(app_interrupt_flag(a), true);
	return fake_step(a, job, deadline);
}

/* What a command waits for ends when a signal's handler says so, and only that once. */
TEST(a_signal_ends_waiting)
{
	static const struct job_kind kind = {
	    .step = signalled_step, .stop = fake_stop, .flags = JOB_HOLDS};
	struct app *a = start();
	struct fake_job job = {.steps = 0};

	job_begin(&a->jobs, &job.job, &kind);
	app_finish(a);
	assert_int_equal(job.steps, 1);
	assert_int_equal(job.stops, 1);
	assert_false(app_interrupt_asked(a));
	app_free(a);
}

FIXTURES(setup, teardown)
