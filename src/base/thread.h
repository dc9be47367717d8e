/*
 * Threads that signals leave alone: what asks for something (SIGINT, SIGTERM, SIGWINCH...) reaches
 * the thread that main() runs on, and no other; only faults may strike these.
 */
#ifndef PIPEGLASS_BASE_THREAD_H
#define PIPEGLASS_BASE_THREAD_H

#include <pthread.h>

int thread_start(pthread_t *thread, void *(*run)(void *), void *arg); /* 0 or an errno */

#endif
