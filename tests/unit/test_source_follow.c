/* src/source: files that grow while they are read, and descriptors that are open already. */
#include "config.h"

#include "source_data.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

static void follow(struct source *s, bool on)
{
	struct error e = {.text = ""};
	if (source_follow(s, on, &e) != STATUS_OK)
		fail_msg("%s", e.text);
}

/* A writer that appends in small pieces, without a pause. */
struct writer {
	struct data text;
	size_t from;
	uint64_t seed;
};

static void *append_all(void *arg)
{
	struct writer *w = arg;
	int fd = open(data_path("a"), O_WRONLY | O_APPEND);
	for (size_t at = w->from; at < w->text.len;) {
		size_t len = (size_t)(data_random(&w->seed) % 3000) + 1;
		if (len > w->text.len - at)
			len = w->text.len - at;
		if (write(fd, w->text.bytes + at, len) != (ssize_t)len)
			break;
		at += len;
	}
	close(fd);
	return NULL;
}

/* Read from `from` until the text has `end` bytes; each window must bring something new. */
static void expect_text(struct source *s, uint64_t from, uint64_t end, struct data text)
{
	while (from < end) {
		struct window w;
		struct error e = {.text = ""};
		if (source_next(s, from, 1 << 20, &w, &e) != STATUS_OK)
			fail_msg("%s", e.text);
		assert_int_equal(w.off, from);
		assert_true(w.len > 0 && from + w.len <= text.len);
		assert_memory_equal(w.text, text.bytes + from, w.len);
		from += w.len;
		source_release(s, &w);
	}
}

TEST(growth_is_awaited)
{
	struct data text = data_text(3000000, 1);
	struct source *s = data_source(data_file("a", text.bytes, 1000));
	assert_false(source_is_live(s));
	follow(s, true);
	assert_true(source_is_live(s));
	assert_false(source_is_pipe(s));
	bool final;
	assert_int_equal(source_size(s, &final), 1000);
	assert_false(final);
	struct writer w = {text, 1000, 5};
	pthread_t thread;
	pthread_create(&thread, NULL, append_all, &w);
	expect_text(s, 0, text.len, text);
	pthread_join(thread, NULL);
	assert_int_equal(source_size(s, &final), text.len);
	assert_false(final);
	uint64_t rng = 3;
	data_ranges(s, 100, 20000, &rng, text, text.len);
	follow(s, false);
	assert_false(source_is_live(s));
	source_size(s, &final);
	assert_true(final);
	assert_int_equal(data_pass(s, 0, 100000, &rng, text), text.len);
	/* the identity went along: this is what would be opened now */
	struct source_id a, b;
	source_identity(s, &a);
	source_close(s);
	s = data_source(data_path("a"));
	source_identity(s, &b);
	assert_int_equal(a.size, b.size);
	assert_int_equal(a.mtime_ns, b.mtime_ns);
	assert_int_equal(a.edge_hash, b.edge_hash);
	source_close(s);
	data_free(&text);
}

/* A tail is seen again together with what follows it. */
TEST(tails_wait_for_more)
{
	struct window w;
	struct error e;
	struct source *s = data_source(data_file("a", "one\ntw", 6));
	follow(s, true);
	assert_int_equal(source_next(s, 0, 100, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 6);
	source_release(s, &w);
	data_put(data_path("a"), O_APPEND, "o\nend", 5);
	assert_int_equal(source_next(s, 4, 100, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 7);
	assert_memory_equal(w.text, "two\nend", 7);
	source_release(s, &w);
	/* what was written before following ends counts */
	data_put(data_path("a"), O_APPEND, "ed", 2);
	follow(s, false);
	assert_int_equal(source_next(s, 8, 100, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 5);
	source_release(s, &w);
	/* what is written after it does not, until it goes on */
	data_put(data_path("a"), O_APPEND, "!", 1);
	assert_int_equal(source_next(s, 13, 100, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 0);
	follow(s, true);
	assert_int_equal(source_next(s, 13, 100, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 1);
	source_release(s, &w);
	source_close(s);
}

struct waiter {
	struct source *s;
	uint64_t from;
	enum status status;
	size_t len;
	char text[200];
};

static void *wait_for_more(void *arg)
{
	struct waiter *w = arg;
	struct window window;
	struct error e = {.text = ""};
	w->status = source_next(w->s, w->from, 1 << 20, &window, &e);
	snprintf(w->text, sizeof(w->text), "%.199s", e.text);
	w->len = window.len;
	source_release(w->s, &window);
	return NULL;
}

enum ending { BY_INTERRUPT, BY_TURNING_OFF, BY_CUT, BY_OTHER_FILE, BY_REWRITE, ENDINGS };

static void end_by(struct source *s, enum ending how, struct data text)
{
	switch (how) {
	case BY_INTERRUPT:
		source_interrupt(s);
		break;
	case BY_TURNING_OFF:
		follow(s, false);
		break;
	case BY_CUT:
		assert_int_equal(truncate(data_path("a"), 10), 0);
		break;
	case BY_OTHER_FILE:
		data_file("b", text.bytes, text.len);
		assert_int_equal(rename(data_path("b"), data_path("a")), 0);
		break;
	case BY_REWRITE:
		data_put(data_path("a"), 0, text.bytes + 1, text.len - 1);
		break;
	case ENDINGS:
		break;
	}
}

static const struct ended {
	enum status status;
	enum source_change change;
	const char *text;
} ended[ENDINGS] = {
    [BY_INTERRUPT] = {STATUS_INTERRUPTED, SOURCE_SAME, "reading was stopped"},
    [BY_TURNING_OFF] = {STATUS_OK, SOURCE_SAME, ""},
    [BY_CUT] = {STATUS_INPUT, SOURCE_TRUNCATED, "a: was cut while it was followed"},
    [BY_OTHER_FILE] = {STATUS_INPUT, SOURCE_REPLACED, "a: was replaced while it was followed"},
    [BY_REWRITE] = {STATUS_INPUT, SOURCE_REPLACED, "a: was replaced while it was followed"},
};

/* From within the wait and before it, with inotify and without. */
static void waits_end(struct data text, bool blind)
{
	for (int round = 0; round < 2 * ENDINGS; round++) {
		enum ending how = (enum ending)(round / 2);
		struct source *s = data_source(data_file("a", text.bytes, 5000));
		struct rlimit before, limit;
		if (blind) {
			int spare = dup(0),
			    next = dup(0); /* the number of the second is free then */
			assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
			limit = before;
			limit.rlim_cur = (rlim_t)next;
			close(spare);
			close(next);
			assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		}
		follow(s, true);
		if (blind)
			assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		expect_text(s, 0, 5000, text);
		struct waiter w = {.s = s, .from = 5000};
		pthread_t thread;
		if (round % 2)
			end_by(s, how, text);
		pthread_create(&thread, NULL, wait_for_more, &w);
		if (round % 2 == 0)
			end_by(s, how, text);
		pthread_join(thread, NULL);
		assert_int_equal(w.status, ended[how].status);
		assert_int_equal(w.len, 0);
		if (!strstr(w.text, ended[how].text))
			fail_msg("\"%s\" does not say \"%s\"", w.text, ended[how].text);
		assert_int_equal(source_followed(s), ended[how].change);
		bool final;
		source_size(s, &final);
		assert_int_equal(final, how != BY_INTERRUPT);
		if (ended[how].change != SOURCE_SAME) {
			/* it stays so until it is turned off, and is not taken up again */
			struct error e;
			wait_for_more(&w);
			assert_int_equal(w.status, STATUS_INPUT);
			assert_int_equal(source_follow(s, true, &e), STATUS_INPUT);
			follow(s, false);
			wait_for_more(&w);
			assert_int_equal(w.status, STATUS_OK);
			assert_int_equal(w.len, 0);
		}
		source_close(s);
	}
}

TEST(waiting_ends)
{
	struct data text = data_text(5000, 2);
	waits_end(text, false);
	waits_end(text, true);
	data_free(&text);
}

/* Who else looks at the file must not take the news away from who waits. */
TEST(news_reaches_the_pass)
{
	struct data text = data_text(9000, 3);
	struct source *s = data_source(data_file("a", text.bytes, 5000));
	follow(s, true);
	expect_text(s, 0, 5000, text);
	data_put(data_path("a"), O_APPEND, text.bytes + 5000, 1000);
	assert_int_equal(source_check(s), SOURCE_GROWN);
	expect_text(s, 5000, 6000, text);
	assert_int_equal(truncate(data_path("a"), 100), 0);
	assert_int_equal(source_check(s), SOURCE_TRUNCATED);
	assert_int_equal(source_check(s), SOURCE_SAME);
	data_put(data_path("a"), O_TRUNC, text.bytes, 9000);
	struct waiter w = {.s = s, .from = 6000};
	wait_for_more(&w);
	assert_int_equal(w.status, STATUS_INPUT);
	assert_int_equal(source_followed(s), SOURCE_TRUNCATED);
	source_close(s);
	data_free(&text);
}

/* What a file got before it was moved away belongs to it. */
TEST(rotated_files_are_read_out)
{
	struct data text = data_text(20000, 4);
	struct source *s = data_source(data_file("a", text.bytes, 5000));
	follow(s, true);
	expect_text(s, 0, 5000, text);
	data_put(data_path("a"), O_APPEND, text.bytes + 5000, 7000);
	assert_int_equal(rename(data_path("a"), data_path("link")), 0);
	expect_text(s, 5000, 12000, text); /* a name that is gone is no other file */
	data_put(data_path("link"), O_APPEND, text.bytes + 12000, 8000);
	data_file("a", "the next one", 12);
	expect_text(s, 12000, 20000, text);
	struct waiter w = {.s = s, .from = 20000};
	wait_for_more(&w);
	assert_int_equal(w.status, STATUS_INPUT);
	assert_int_equal(source_followed(s), SOURCE_REPLACED);
	uint64_t rng = 9;
	data_ranges(s, 20, 5000, &rng, text, text.len);
	source_close(s);
	data_free(&text);
}

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The one test that must let time pass. */
TEST(idling_costs_nothing)
{
	struct source *s = data_source(data_file("a", "text", 4));
	follow(s, true);
	struct waiter w = {.s = s, .from = 4};
	struct rusage before, after;
	pthread_t thread;
	double cpu = cpu_seconds();
	getrusage(RUSAGE_SELF, &before);
	pthread_create(&thread, NULL, wait_for_more, &w);
	const struct timespec pause = {.tv_sec = 2};
	nanosleep(&pause, NULL);
	getrusage(RUSAGE_SELF, &after);
	assert_true(cpu_seconds() - cpu < 0.05);
	assert_true(after.ru_nvcsw - before.ru_nvcsw < 20);
	source_interrupt(s);
	pthread_join(thread, NULL);
	assert_int_equal(w.status, STATUS_INTERRUPTED);
	source_close(s);
}

TEST(packed_files_are_not_followed)
{
	struct data gz = {0};
	struct error e;
	data_gzip(&gz, "text", 4, 6, NULL);
	struct source *s = data_source(data_file("a", gz.bytes, gz.len));
	assert_int_equal(source_follow(s, true, &e), STATUS_UNSUPPORTED);
	assert_non_null(
	    strstr(e.text, "a: is packed with gzip: only a plain file can be followed"));
	assert_int_equal(source_follow(s, false, &e), STATUS_OK);
	assert_false(source_is_live(s));
	source_close(s);
	data_free(&gz);
}

static int open_fds(void)
{
	int n = 0;
	for (int fd = 0; fd < 200; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

TEST(open_descriptors_are_read)
{
	struct data text = data_text(300000, 5);
	struct source *s;
	struct error e;
	uint64_t rng = 6;
	int fds[2], before = open_fds();

	/* the pipe of a child */
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		for (size_t at = 0; at < text.len; at += 3000)
			if (write(fds[1], text.bytes + at, 3000) != 3000)
				_exit(1);
		_exit(0);
	}
	close(fds[1]);
	assert_int_equal(source_open_fd(&s, fds[0], "child \033[m", &e), STATUS_OK);
	assert_true(source_is_pipe(s));
	assert_true(source_is_live(s));
	assert_string_equal(source_path(s), "child \033[m");
	assert_int_equal(source_follow(s, true, &e), STATUS_OK);
	assert_int_equal(data_pass(s, 0, 100000, &rng, text), text.len);
	assert_int_equal(source_check(s), SOURCE_SAME);
	source_close(s);
	assert_int_equal(open_fds(), before);

	/* a file, from its beginning or where somebody stopped reading it */
	for (int started = 0; started < 2; started++) {
		int fd = open(data_file("a", text.bytes, text.len), O_RDONLY);
		assert_int_equal(lseek(fd, started * 1000, SEEK_SET), started * 1000);
		assert_int_equal(source_open_fd(&s, fd, "a file", &e), STATUS_OK);
		assert_int_equal(source_is_pipe(s), started);
		struct data rest = {text.bytes + started * 1000, text.len - started * 1000u};
		assert_int_equal(data_pass(s, 0, 100000, &rng, rest), rest.len);
		data_file("b", "x", 1);
		assert_int_equal(source_check(s), SOURCE_SAME); /* no path to look at */
		source_close(s);
		assert_int_equal(open_fds(), before);
	}

	/* what does not fit is closed all the same */
	int fd = open(data_dir, O_RDONLY);
	assert_int_equal(source_open_fd(&s, fd, "child", &e), STATUS_INPUT);
	assert_non_null(strstr(e.text, "child: is a directory"));
	assert_null(s);
	assert_int_equal(source_open_fd(&s, -1, "child", &e), STATUS_INPUT);
	fd = open("/dev/null", O_RDONLY);
	assert_int_equal(source_open_fd(&s, fd, "child", &e), STATUS_INPUT);
	assert_non_null(strstr(e.text, "child: empty"));
	assert_int_equal(open_fds(), before);
	data_free(&text);
}

FIXTURES(data_make_dir, data_remove_dir)
