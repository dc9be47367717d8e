/*
 * Traces that grow while the program reads them: FIFOs and files, in pieces of lines.
 */
#ifndef PIPEGLASS_TESTS_PTYFILES_H
#define PIPEGLASS_TESTS_PTYFILES_H

#include <stdbool.h>

enum { FIFOS_MOST = 17 };

/* FIFOs held open for writing, so that none ends before ptyfiles_close(). */
struct ptyfiles {
	struct {
		char path[256];
		int fd;
	} fifos[FIFOS_MOST];
	int count;
};

bool ptyfiles_fifo(struct ptyfiles *f, const char *path);
bool ptyfiles_close(struct ptyfiles *f, const char *path);
void ptyfiles_end(struct ptyfiles *f);

/* Lines [first, last] of source, from 1, packed or not, at the end of path in one write(). */
bool ptyfiles_append(const char *path, int first, int last, const char *source);

#endif
