/*
 * Each thread counts the even numbers of its share, in a counter of its own. The counters are
 * neighbours in memory; with -DPADDED each has a cache block for itself.
 *
 *     pipeglass cc -g -O1 -fopenmp counters.c -o counters
 *     pipeglass record -- ./counters
 */
#include <omp.h>
#include <stdio.h>

enum { NUMBERS = 2048, THREADS = 4 };

struct counter {
#ifdef PADDED
	_Alignas(64)
#endif
	int evens;
};

static _Alignas(64) int numbers[NUMBERS];
static _Alignas(64) struct counter counters[THREADS];

int main(void)
{
	int evens = 0;

	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = i * i;
#pragma omp parallel num_threads(THREADS)
	{
		struct counter *mine = &counters[omp_get_thread_num()];

#pragma omp for
		for (int i = 0; i < NUMBERS; i++)
			if (numbers[i] % 2 == 0)
				mine->evens++;
	}
	for (int i = 0; i < THREADS; i++)
		evens += counters[i].evens;
	printf("%d\n", evens);
	return 0;
}
