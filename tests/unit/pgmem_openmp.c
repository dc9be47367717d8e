/* What test_pgmem records: pgmem_openmp THREADS. Status 0: it came to what it should. */
#include <omp.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static int count[16], locked, counted, chunks, data[64];
	int threads = argc > 1 ? atoi(argv[1]) : 4, sum = 0;

#pragma omp parallel num_threads(threads) reduction(+ : sum)
	{
		for (int i = 0; i < 20; i++) {
			count[omp_get_thread_num() % 16]++;
#pragma omp critical
			locked++;
#pragma omp atomic
			counted++;
		}
#pragma omp barrier
#pragma omp for ordered schedule(dynamic, 3)
		for (int i = 0; i < 64; i++) {
			sum += data[i] += i;
#pragma omp ordered
			chunks = chunks * 3 + i;
		}
	}
#pragma omp parallel num_threads(threads)
#pragma omp single
	for (int i = 0; i < 10; i++)
#pragma omp task
		data[i]++;
	return locked != threads * 20 || counted != locked || sum != 63 * 64 / 2 || data[9] != 10;
}
