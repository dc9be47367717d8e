#include "config.h"

#include "reader/scan.h"

#include "base/num.h"

#define NONE4 0x1000, 0x1000, 0x1000, 0x1000
#define NONE16 NONE4, NONE4, NONE4, NONE4

const uint16_t scan_hex_values[256] = {
    NONE16, NONE16, NONE16, /* 0x00 */
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x1000, 0x1000, NONE4,
    0x1000, 10, 11, 12, 13, 14, 15, 0x1000, NONE4, NONE4, NONE16, /* A */
    0x1000, 10, 11, 12, 13, 14, 15, 0x1000, NONE4, NONE4, NONE16, /* a */
    NONE16, NONE16, NONE16, NONE16, NONE16, NONE16, NONE16, NONE16,
};

const char *scan_dec_field(const char *p, const char *end, uint64_t *out, bool *overflow)
{
	const char *start = p;
	uint64_t v = 0;

	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			*overflow = true;
	*out = v;
	return p == start ? NULL : p;
}

const char *scan_hex_field(const char *p, const char *end, uint64_t *out, bool *overflow)
{
	const char *start;
	uint64_t v = 0;

	if (end - p >= 2 && p[0] == '0' && (p[1] | 32) == 'x')
		p += 2;
	for (start = p; p < end && scan_hex_digit(*p) < 16; p++) {
		if (v >> 60)
			*overflow = true;
		v = v << 4 | scan_hex_digit(*p);
	}
	*out = v;
	return p == start ? NULL : p;
}

bool scan_real(const char *p, const char *end, double *out)
{
	char text[64];
	size_t len;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	len = (size_t)(end - p);
	if (len == 0 || len >= sizeof(text))
		return false;
	memcpy(text, p, len);
	text[len] = '\0';
	return num_parse_real(text, out);
}
