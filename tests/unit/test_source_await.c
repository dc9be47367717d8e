/* Waiting for traces that nobody has begun to write: files, FIFOs, and giving up. */
#include "config.h"

#include <pthread.h>
#include <sys/eventfd.h>

#include "source/await.h"
#include "source_data.h"

struct wait {
	pthread_t thread;
	const char *path;
	int fd, stop;
	enum status status;
	struct error error;
};

static void *await(void *arg)
{
	struct wait *w = arg;

	w->status = await_bytes(w->path, w->fd, w->stop, &w->error);
	return NULL;
}

static void wait_begin(struct wait *w, const char *path, int fd)
{
	*w = (struct wait){.path = path, .fd = fd, .stop = eventfd(0, EFD_CLOEXEC)};
	assert_true(w->stop >= 0);
	assert_int_equal(pthread_create(&w->thread, NULL, await, w), 0);
}

static void wait_end(struct wait *w, enum status expected)
{
	pthread_join(w->thread, NULL);
	close(w->stop);
	if (w->fd >= 0)
		close(w->fd);
	assert_int_equal(w->status, expected);
}

static void stop(struct wait *w)
{
	eventfd_write(w->stop, 1);
	wait_end(w, STATUS_INTERRUPTED);
}

static const char *empty_file(const char *name)
{
	data_put(data_path(name), O_TRUNC, "", 0);
	return data_path(name);
}

static const char *fifo(void)
{
	const char *path = data_path("fifo");

	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	return path;
}

TEST(what_is_waited_for)
{
	assert_int_equal(await_kind(empty_file("a")), AWAIT_FILE);
	assert_int_equal(await_kind(fifo()), AWAIT_PIPE);
	data_put(data_path("b"), O_TRUNC, "x", 1);
	assert_int_equal(await_kind(data_path("b")), AWAIT_NOTHING);
	assert_int_equal(await_kind(data_path("missing")), AWAIT_NOTHING);
	assert_int_equal(await_kind(data_dir), AWAIT_NOTHING);
}

TEST(first_byte_of_a_file)
{
	struct wait w;

	wait_begin(&w, empty_file("a"), -1);
	data_put(data_path("a"), O_APPEND, "x", 1);
	wait_end(&w, STATUS_OK);
}

/* Written elsewhere and moved here; gone for a while. */
TEST(another_file_of_that_name)
{
	struct wait w;

	data_put(data_path("b"), O_TRUNC, "x", 1);
	wait_begin(&w, empty_file("a"), -1);
	assert_int_equal(rename(data_path("b"), data_path("a")), 0);
	wait_end(&w, STATUS_OK);
	unlink(data_path("a"));
	wait_begin(&w, data_path("a"), -1);
	data_put(data_path("a"), O_TRUNC, "x", 1);
	wait_end(&w, STATUS_OK);
}

TEST(giving_up_a_file)
{
	struct wait w;

	wait_begin(&w, empty_file("a"), -1);
	stop(&w);
}

/* Opening does not wait for a writer, nor is it an end that there is none yet. */
TEST(a_writer_comes_late)
{
	const char *path = fifo();
	struct error e;
	struct wait w;
	char byte;
	int fd, to;

	assert_int_equal(await_open_pipe(path, &fd, &e), STATUS_OK);
	wait_begin(&w, path, fd);
	to = open(path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(to, "x", 1), 1);
	pthread_join(w.thread, NULL);
	assert_int_equal(w.status, STATUS_OK);
	close(w.stop);
	assert_int_equal(read(fd, &byte, 1), 1);
	/* its end is waited for as its bytes are */
	wait_begin(&w, path, fd);
	close(to);
	wait_end(&w, STATUS_OK);
}

TEST(giving_up_a_pipe)
{
	const char *path = fifo();
	struct error e;
	struct wait w;
	int fd;

	assert_int_equal(await_open_pipe(path, &fd, &e), STATUS_OK);
	wait_begin(&w, path, fd);
	stop(&w);
	assert_int_equal(await_open_pipe(data_path("missing"), &fd, &e), STATUS_INPUT);
	assert_non_null(strstr(e.text, "missing"));
}

FIXTURES(data_make_dir, data_remove_dir)
