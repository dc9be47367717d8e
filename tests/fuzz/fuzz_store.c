/*
 * Arbitrary text through the whole store: indexed by two workers, then asked everything.
 *
 * Input: the text. Answers are checked for faults only, and for being the same twice.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/store_asking.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static bool ask(const char *path, int threads, uint64_t *answer)
{
	struct store_options o = {.threads = threads, .no_cache = true, .as = readers[0]};
	struct store *s;
	struct error e;

	if (store_open(&s, path, &o, &e) != STATUS_OK)
		return false;
	store_wait(s, &e);
	*answer = ask_everything(s);
	store_close(s);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	uint64_t one = 0, two = 0;
	char path[40];

	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ask(path, 2, &one) && ask(path, 1, &two) && one != two) {
		fprintf(stderr, "answers depend on the number of workers\n");
		abort();
	}
	close(fd);
	return 0;
}
