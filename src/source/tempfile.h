/*
 * Temporary files for what is too much for memory: nameless from the start, so that no crash leaves
 * one behind; in TMPDIR, /var/tmp or /tmp, whichever takes one first.
 */
#ifndef PIPEGLASS_SOURCE_TEMPFILE_H
#define PIPEGLASS_SOURCE_TEMPFILE_H

#include <stddef.h>
#include <stdint.h>

int tempfile_open(void); /* -1: errno */
/* Bytes written at off: less than len only with errno. */
size_t tempfile_write(int fd, uint64_t off, const void *from, size_t len);

#endif
