#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "text_store.h"

struct store *text_store(const char *text)
{
	char path[] = "/tmp/pipeglass-text-XXXXXX";
	struct store_options options = {.no_cache = true, .threads = 1};
	struct error e = {STATUS_OK, ""};
	struct store *s;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	if (store_open(&s, path, &options, &e) || store_wait(s, &e))
		fail_msg("%s", e.text);
	unlink(path);
	return s;
}
