/*
 * What a terminal sends for a key.
 */
#ifndef PIPEGLASS_TESTS_PTYKEYS_H
#define PIPEGLASS_TESTS_PTYKEYS_H

#include "app/key.h"
#include "base/sbuf.h"

/* As xterm sends it; appends. */
void ptykeys_add(struct sbuf *out, struct key k);

#endif
