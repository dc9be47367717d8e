/*
 * Numbers as people type and read them. No allocation, no overflow: what does
 * not fit is refused (parse) or shown compactly (format). O(digits).
 */
#ifndef PIPEGLASS_BASE_NUM_H
#define PIPEGLASS_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whole-string integers: decimal with optional sign, `_`, `,`, ` ` or `'` between groups
 * of three (one kind per number), suffix k M G (powers of 1000), or 0x hexadecimal without
 * a sign. False, and *out untouched, on anything else or overflow.
 */
bool num_parse_i64(const char *text, int64_t *out);
bool num_parse_u64(const char *text, uint64_t *out);
bool num_parse_decimal(const char *text, uint64_t *out); /* as u64, but never hexadecimal */
bool num_parse_hex(const char *text, uint64_t *out);     /* with or without 0x */
bool num_parse_real(const char *text, double *out);      /* whole string, finite */
/* Some bytes, for the ones above; "", which is no number, where they are longer than any. */
const char *num_part(const char *p, size_t len, char buf[64]);

/* The shortest decimal form that reads back as value. */
const char *num_real(double value, char buf[32]);

/* "48 312 907": groups of three, blank between (SI style), into buf[32]; returns buf. */
const char *num_group(int64_t value, char buf[32]);

/*
 * At most width (>= 4) columns, three significant digits when they fit: 9999, 48.3M, 1.2e18,
 * 0.051, 120u (millionths); what has no such form in width columns is shown as a bound (>99P, <-9P)
 * or, when tiny, as 0.00. Sizes with num_bytes, powers of 1000, at most 7 columns: 4.2 MB.
 */
const char *num_short(double value, int width, char buf[32]);
const char *num_bytes(uint64_t bytes, char buf[32]);

/*
 * Times, counted in one of s, ms, us, ns, ps: exact, in the largest of them of which there is at least
 * one, "26.932 us"; and typed so, "26.932us", rounded to whole ones. False: the unit is none of them,
 * or the text no time that fits.
 */
bool num_time(int64_t value, const char *unit, char buf[40]);
/* Measured ones, in four digits: "12.5 us"; what is below a picosecond in those. */
const char *num_seconds(double seconds, char buf[40]);
/*
 * num_short() of a number with a unit, NULL: without. Times have it behind them, "12.5us", in at most
 * width (>= 5) columns if they have at least a tenth of a picosecond.
 */
const char *num_short_of(double value, const char *unit, int width, char buf[32]);
bool num_parse_time(const char *text, const char *unit, int64_t *out);

#endif
