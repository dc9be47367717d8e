/*
 * split_numbers FILE: the yardstick for reading a Chiron trace: every line is cut into its letter and
 * its octal numbers, and nothing is done with them. Prints how many lines.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *take(const char *p, const char *end, uint64_t *sum)
{
	uint64_t value = 0;

	while (p < end && *p == ' ')
		p++;
	for (; p < end && *p != ' ' && *p != '\n'; p++)
		value = value << 3 | (uint64_t)(*p & 7);
	*sum += value;
	return p;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct stat st;
	const char *p, *end;
	uint64_t sum = 0;
	long lines = 0;

	if (fd < 0 || fstat(fd, &st))
		return 1;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return 1;
	for (end = p + st.st_size; p < end; p++, lines++) {
		sum += (uint64_t)*p++; /* the letter */
		while (p < end && *p != '\n')
			p = take(p, end, &sum);
	}
	printf("%ld %llu\n", lines, (unsigned long long)sum);
	close(fd);
	return 0;
}
