/* A trace from a text in memory, opened and indexed: for tests whose every number is known. */
#ifndef PIPEGLASS_TESTS_TEXT_STORE_H
#define PIPEGLASS_TESTS_TEXT_STORE_H

#include "pipeline/store.h"

/* Without a cache and with one thread; fails the test when it cannot be had. */
struct store *text_store(const char *text);

#endif
