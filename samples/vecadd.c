/*
 * A vector addition by four threads, each of which takes the next GRAB elements until none is left.
 * vecadd-1.trace and vecadd-4.trace are what its memory did: vecadd.awk wrote them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ELEMENTS = 16, GRAB = 1 };

struct worker {
	int id, done;
};

static struct {
	_Alignas(64) atomic_int next;
	_Alignas(64) int a[ELEMENTS];
	_Alignas(64) int b[ELEMENTS];
	_Alignas(64) int c[ELEMENTS];
} global;

static void *work(void *arg)
{
	struct worker *w = arg;
	int i;

	while ((i = atomic_fetch_add(&global.next, GRAB)) < ELEMENTS) {
		for (int end = i + GRAB; i < end; i++)
			global.c[i] = global.a[i] + global.b[i];
		w->done += GRAB;
	}
	return NULL;
}

int main(void)
{
	struct worker *workers = calloc(THREADS, sizeof(*workers));
	pthread_t threads[THREADS];
	int sum = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		global.a[i] = i;
		global.b[i] = 2 * i;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &workers[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ELEMENTS; i++)
		sum += global.c[i];
	printf("%d\n", sum);
	free(workers);
}
