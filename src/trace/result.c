#include "config.h"

#include "trace/result.h"

#include <math.h>
#include <string.h>

struct value value_none(void)
{
	return (struct value){.type = VALUE_NONE};
}

struct value value_text(const char *text)
{
	return text ? value_bytes(text, strlen(text)) : value_none();
}

struct value value_bytes(const char *p, size_t len)
{
	return (struct value){.type = VALUE_TEXT, .text = {p, len}};
}

struct value value_count(uint64_t count)
{
	return (struct value){.type = VALUE_COUNT, .count = count};
}

struct value value_ticks(int64_t ticks)
{
	return (struct value){.type = VALUE_TICKS, .ticks = ticks};
}

struct value value_real(double real)
{
	if (isnan(real))
		return value_none();
	return (struct value){.type = VALUE_REAL, .real = real};
}

struct value value_hex(uint64_t number)
{
	return (struct value){.type = VALUE_HEX, .count = number};
}
