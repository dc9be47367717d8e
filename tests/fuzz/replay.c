/*
 * The main() of a fuzzer built without libFuzzer: give it every file of its seed corpus, once.
 *
 * So every compiler's `make check` replays what the fuzzers ever found. A fuzzer named fuzz_NAME
 * reads $srcdir/tests/fuzz/corpus/NAME, or the files named on its command line.
 */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static int replay_file(const char *path)
{
	int failed = -1;
	long len;
	uint8_t *bytes = NULL;
	FILE *f = fopen(path, "rb");

	if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (len = ftell(f)) < 0)
		goto out;
	rewind(f);
	/* Exactly len bytes, so that a sanitizer sees a read past the end. */
	bytes = malloc(len > 0 ? (size_t)len : 1);
	if (bytes == NULL || fread(bytes, 1, (size_t)len, f) != (size_t)len)
		goto out;
	printf("%s: %ld bytes\n", path, len);
	fflush(stdout);
	failed = LLVMFuzzerTestOneInput(bytes, (size_t)len);
out:
	if (failed != 0)
		perror(path);
	free(bytes);
	if (f != NULL)
		fclose(f);
	return failed;
}

static int replay_folder(const char *folder)
{
	int files = 0, failed = 0;
	struct dirent *entry;
	DIR *dir = opendir(folder);

	if (dir == NULL) {
		perror(folder);
		return 1;
	}
	while ((entry = readdir(dir)) != NULL) {
		char *path;

		if (entry->d_name[0] == '.')
			continue;
		if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			break;
		failed |= replay_file(path);
		files++;
		free(path);
	}
	closedir(dir);
	printf("%d files replayed\n", files);
	return failed != 0 || files == 0;
}

int main(int argc, char **argv)
{
	const char *srcdir = getenv("srcdir");
	char *folder;
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= replay_file(argv[i]);
	if (argc > 1)
		return failed != 0;

	if (strncmp(basename(argv[0]), "fuzz_", strlen("fuzz_")) != 0 ||
	    asprintf(&folder, "%s/tests/fuzz/corpus/%s", srcdir != NULL ? srcdir : ".",
		     basename(argv[0]) + strlen("fuzz_")) < 0)
		return 1;
	failed = replay_folder(folder);
	free(folder);
	return failed;
}
