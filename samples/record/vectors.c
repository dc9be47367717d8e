/*
 * The first case study of Chiron's thesis: three threads add two vectors. Each takes the next
 * elements, as many at a time as the argument says, until none is left.
 *
 *     pipeglass cc -g -O1 vectors.c -o vectors
 *     pipeglass record --caches thesis -- ./vectors 1
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 96, THREADS = 3 };

/* A monitor: who has its lock may take elements. */
struct monitor {
	int lock, unused[3];
	int next, end, grab;
};

static struct global {
	int ArrayA[ELEMENTS], ArrayB[ELEMENTS], ArrayC[ELEMENTS];
	struct monitor GS;
} *Global;

static pthread_mutex_t entry = PTHREAD_MUTEX_INITIALIZER;

/* The first of the next elements; -1: none is left. */
static int take(struct monitor *m)
{
	int first = -1;

	pthread_mutex_lock(&entry); /* others sleep here; that it is locked is written in the monitor */
	__atomic_exchange_n(&m->lock, 1, __ATOMIC_ACQUIRE);
	if (m->next < m->end) {
		first = m->next;
		m->next = first + m->grab;
	}
	__atomic_store_n(&m->lock, 0, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&entry);
	return first;
}

static void *add(void *none)
{
	const int grab = Global->GS.grab;
	int first;

	while ((first = take(&Global->GS)) >= 0)
		for (int i = first; i < first + grab; i++)
			Global->ArrayC[i] = Global->ArrayA[i] + Global->ArrayB[i];
	return none;
}

int main(int argc, char **argv)
{
	const int grab = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t threads[THREADS];
	int sum = 0;

	if (grab < 1 || ELEMENTS % grab) {
		fprintf(stderr, "usage: vectors [ELEMENTS AT A TIME, of %d]\n", ELEMENTS);
		return 2;
	}
	Global = aligned_alloc(128, (sizeof(*Global) + 127) / 128 * 128);
	Global->GS.lock = Global->GS.next = 0;
	Global->GS.end = ELEMENTS;
	Global->GS.grab = grab;
	for (int i = 0; i < ELEMENTS; i++)
		Global->ArrayA[i] = i;
	for (int i = 0; i < ELEMENTS; i++)
		Global->ArrayB[i] = 1000 * i;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ELEMENTS; i++)
		sum += Global->ArrayC[i];
	printf("%d\n", sum);
	free(Global);
	return 0;
}
