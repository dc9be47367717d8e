/*
 * usage: inflate FILE.gz
 *
 * One plain zlib pass over a gzip file, front to back, thrown away: the yardstick for reading
 * compressed traces.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 1 << 18 };

int main(int argc, char **argv)
{
	static unsigned char in[CHUNK], text[CHUNK];
	z_stream z = {0};
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1, result = Z_OK;
	unsigned long long bytes = 0;
	ssize_t n;

	if (fd < 0 || inflateInit2(&z, 15 + 16) != Z_OK) {
		fprintf(stderr, "usage: inflate FILE.gz\n");
		return 2;
	}
	while (result != Z_STREAM_END && (n = read(fd, in, sizeof(in))) > 0) {
		z.next_in = in;
		z.avail_in = (uInt)n;
		while (z.avail_in > 0 && result != Z_STREAM_END) {
			z.next_out = text;
			z.avail_out = sizeof(text);
			result = inflate(&z, Z_NO_FLUSH);
			if (result != Z_OK && result != Z_STREAM_END) {
				fprintf(stderr, "inflate: %s\n", z.msg ? z.msg : "damaged");
				return 1;
			}
			bytes += sizeof(text) - z.avail_out;
		}
	}
	inflateEnd(&z);
	close(fd);
	printf("%llu\n", bytes);
	return result != Z_STREAM_END;
}
