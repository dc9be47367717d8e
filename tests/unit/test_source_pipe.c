/* src/source: pipes, plain and gzip, slow, interrupted, and too long for the disk. */
#include "config.h"

#include "source_threads.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

/* A pipe whose reading end is opened by name. */
struct tube {
	int in, out;
	char path[32];
};

static struct tube tube_new(void)
{
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	struct tube t = {.in = fds[0], .out = fds[1]};
	snprintf(t.path, sizeof(t.path), "/dev/fd/%d", t.in);
	return t;
}

static void tube_put(const struct tube *t, const void *bytes, size_t len)
{
	assert_int_equal(write(t->out, bytes, len), len);
}

/* Closes our reading end: the source has one of its own. */
static struct source *tube_source(struct tube *t)
{
	struct source *s = data_source(t->path);
	close(t->in);
	assert_true(source_is_pipe(s));
	return s;
}

/* Wait for text to reach `end` exactly. */
static void expect_text(struct source *s, uint64_t from, uint64_t end, struct data text)
{
	while (from < end) {
		struct window w;
		struct error e;
		assert_int_equal(source_next(s, from, 1 << 20, &w, &e), STATUS_OK);
		assert_int_equal(w.off, from);
		assert_true(w.len > 0 && w.off + w.len <= end);
		assert_memory_equal(w.text, text.bytes + w.off, w.len);
		from += w.len;
		source_release(s, &w);
	}
}

static void expect_end(struct source *s, uint64_t end)
{
	struct window w;
	struct error e;
	assert_int_equal(source_next(s, end, 100, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 0);
	bool final;
	assert_int_equal(source_size(s, &final), end);
	assert_true(final);
}

TEST(slow_writers_are_awaited)
{
	struct data text = data_text(300000, 1);
	struct tube t = tube_new();
	uint64_t rng = 3, sent = 1;
	tube_put(&t, text.bytes, 1);
	struct source *s = tube_source(&t);
	assert_int_equal(source_kind(s), SOURCE_PLAIN);
	expect_text(s, 0, 1, text);
	while (sent < text.len) {
		size_t len = (size_t)(data_random(&rng) % 20000) + 1;
		if (len > text.len - sent)
			len = (size_t)(text.len - sent);
		tube_put(&t, text.bytes + sent, len);
		expect_text(s, sent, sent + len, text);
		sent += len;
		bool final;
		assert_int_equal(source_size(s, &final), sent);
		assert_false(final);
		data_ranges(s, 5, 20000, &rng, text, sent);
	}
	close(t.out);
	expect_end(s, sent);
	assert_null(source_damage(s));
	assert_int_equal(source_check(s), SOURCE_SAME);
	assert_int_equal(data_pass(s, 0, 70000, &rng, text), text.len);
	source_close(s);
	data_free(&text);
}

/* An unfinished line is seen again together with what follows it. */
TEST(tails_wait_for_more)
{
	struct tube t = tube_new();
	struct window w;
	struct error e;
	tube_put(&t, "one\ntw", 6);
	struct source *s = tube_source(&t);
	assert_int_equal(source_next(s, 0, 100, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 6);
	source_release(s, &w);
	tube_put(&t, "o\n", 2);
	assert_int_equal(source_next(s, 4, 100, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 4);
	assert_memory_equal(w.text, "two\n", 4);
	source_release(s, &w);
	tube_put(&t, "end", 3);
	close(t.out);
	assert_int_equal(source_next(s, 8, 100, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 3);
	source_release(s, &w);
	assert_int_equal(source_next(s, 8, 100, &w, &e), STATUS_OK);
	assert_int_equal(w.len, 3); /* nothing new: the text ends */
	source_release(s, &w);
	expect_end(s, 11);
	source_close(s);
}

TEST(empty_pipes_are_empty)
{
	struct tube t = tube_new();
	struct source *s;
	struct error e;
	close(t.out);
	assert_int_equal(source_open(&s, t.path, &e), STATUS_INPUT);
	assert_non_null(strstr(e.text, ": empty"));
	close(t.in);
}

TEST(gzip_comes_through_pipes)
{
	struct data text = data_text(6 << 20, 2), gz = {0};
	data_gzip(&gz, text.bytes, text.len / 2, 6, NULL);
	data_gzip(&gz, text.bytes + text.len / 2, text.len - text.len / 2, 6, NULL);
	uint64_t rng = 5;
	for (size_t step = 1; step < 100000; step = step * 300 + 7) {
		struct tube t = tube_new();
		struct writer w = {t.out, gz, step, 0};
		struct data expected = text;
		if (step == 1) { /* dribbled, and cut */
			w.bytes.len = 100000;
		}
		pthread_t thread;
		pthread_create(&thread, NULL, write_all, &w);
		struct source *s = tube_source(&t);
		assert_int_equal(source_kind(s), SOURCE_GZIP);
		uint64_t size = data_pass(s, 0, 1 << 20, &rng, expected);
		pthread_join(thread, NULL);
		assert_int_equal(size == text.len, step != 1);
		assert_int_equal(source_damage(s) != NULL, step == 1);
		data_ranges(s, 100, 5000, &rng, text, size);
		source_close(s);
	}
	data_free(&gz);
	data_free(&text);
}

/* A gzip writer that flushes is followed as it goes. */
TEST(flushed_gzip_is_live)
{
	struct data text = data_text(100000, 3);
	unsigned char packed[70000];
	z_stream z = {0};
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	struct tube t = tube_new();
	struct source *s = NULL;
	for (size_t at = 0; at < text.len; at += 10000) {
		z.next_in = text.bytes + at;
		z.avail_in = 10000;
		z.next_out = packed;
		z.avail_out = sizeof(packed);
		assert_int_equal(deflate(&z, at + 10000 < text.len ? Z_SYNC_FLUSH : Z_FINISH),
				 at + 10000 < text.len ? Z_OK : Z_STREAM_END);
		tube_put(&t, packed, sizeof(packed) - z.avail_out);
		if (!s)
			s = tube_source(&t);
		expect_text(s, at, at + 10000, text);
		assert_null(source_damage(s));
	}
	deflateEnd(&z);
	close(t.out);
	expect_end(s, text.len);
	assert_null(source_damage(s));
	source_close(s);
	data_free(&text);
}

struct waiter {
	struct source *s;
	enum status status;
	size_t len;
};

static void *wait_for_more(void *arg)
{
	struct waiter *w = arg;
	struct window window;
	struct error e;
	w->status = source_next(w->s, 4, 100, &window, &e);
	w->len = window.len;
	source_release(w->s, &window);
	return NULL;
}

TEST(waiting_can_be_interrupted)
{
	struct data gz = {0};
	data_gzip(&gz, "abcd", 4, 6, NULL);
	for (int packed = 0; packed < 2; packed++) {
		struct tube t = tube_new();
		tube_put(&t, packed ? (const void *)gz.bytes : "abcd", packed ? gz.len : 4);
		struct source *s = tube_source(&t);
		expect_text(s, 0, 4, (struct data){(unsigned char[]){"abcd"}, 4});
		struct waiter w = {.s = s};
		pthread_t thread;
		pthread_create(&thread, NULL, wait_for_more, &w);
		source_interrupt(s);
		pthread_join(thread, NULL);
		assert_int_equal(w.status, STATUS_INTERRUPTED);
		assert_int_equal(w.len, 0);
		/* and gone on with */
		tube_put(&t, packed ? (const void *)gz.bytes : "abcd", packed ? gz.len : 4);
		wait_for_more(&w);
		assert_int_equal(w.status, STATUS_OK);
		assert_int_equal(w.len, 4);
		/* closing does not wait for the writer, who is told */
		source_close(s);
		signal(SIGPIPE, SIG_IGN);
		assert_int_equal(write(t.out, "x", 1), -1);
		assert_int_equal(errno, EPIPE);
		close(t.out);
	}
	data_free(&gz);
}

TEST(full_disks_are_told)
{
	struct data text = data_text(3 << 20, 4);
	struct rlimit before, limit;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 1000000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	struct tube t = tube_new();
	struct writer w = {t.out, text, 65536, 0};
	pthread_t thread;
	signal(SIGPIPE, SIG_IGN);
	pthread_create(&thread, NULL, write_all, &w);
	struct source *s = tube_source(&t);
	uint64_t rng = 6;
	assert_int_equal(data_pass(s, 0, 1 << 20, &rng, text), 1000000);
	pthread_join(thread, NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(w.errnum, EPIPE);
	assert_non_null(source_damage(s));
	assert_non_null(strstr(source_damage(s), "beyond byte 1000000"));
	assert_non_null(strstr(source_damage(s), "set TMPDIR"));
	expect_end(s, 1000000);
	source_close(s);
	data_free(&text);
}

static void standard_input_as(int fd, bool pipe_expected, const char *expected)
{
	int saved = dup(STDIN_FILENO);
	assert_true(saved >= 0);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	struct source *s = data_source("-");
	assert_string_equal(source_path(s), "-");
	assert_int_equal(source_is_pipe(s), pipe_expected);
	struct window w;
	struct error e;
	uint64_t len = 0;
	for (;;) {
		assert_int_equal(source_next(s, len, 100, &w, &e), STATUS_OK);
		if (!w.len)
			break;
		assert_memory_equal(w.text, expected + len, w.len);
		len += w.len;
		source_release(s, &w);
	}
	assert_int_equal(len, strlen(expected));
	assert_int_equal(source_check(s), SOURCE_SAME);
	source_close(s);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	close(saved);
}

TEST(standard_input_may_be_anything)
{
	struct tube t = tube_new();
	tube_put(&t, "from a pipe", 11);
	close(t.out);
	standard_input_as(t.in, true, "from a pipe");
	close(t.in);
	int fd = open(data_file("a", "from a file", 11), O_RDONLY);
	standard_input_as(fd, false, "from a file");
	assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
	standard_input_as(fd, true, "a file");
	close(fd);
}

TEST(spools_leave_nothing)
{
	setenv("TMPDIR", data_dir, 1);
	assert_int_equal(mkfifo(data_path("fifo"), 0600), 0);
	int fd = open(data_path("fifo"), O_RDWR);
	assert_int_equal(write(fd, "text", 4), 4);
	struct source *s = data_source(data_path("fifo"));
	unlink(data_path("fifo"));
	unlink(data_path("a"));
	DIR *dir = opendir(data_dir);
	unsigned entries = 0;
	while (readdir(dir))
		entries++;
	closedir(dir);
	assert_int_equal(entries, 2);
	source_close(s);
	close(fd);

	setenv("TMPDIR", "/nowhere/at/all", 1);
	struct tube t = tube_new();
	tube_put(&t, "text", 4);
	close(t.out);
	s = tube_source(&t);
	expect_text(s, 0, 4, (struct data){(unsigned char[]){"text"}, 4});
	source_close(s);
	unsetenv("TMPDIR");
}

FIXTURES(data_make_dir, data_remove_dir)
