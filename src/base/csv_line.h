/*
 * Lines of separated values: which separator a text has, and the fields of a line, quoted as RFC
 * 4180 has it. A quoted field does not go on in the next line. O(line).
 */
#ifndef PIPEGLASS_BASE_CSV_LINE_H
#define PIPEGLASS_BASE_CSV_LINE_H

#include <stddef.h>

/* The comma, semicolon or tab that stands most often in line[0..len); '\0': none does. */
char csv_separator(const char *line, size_t len);
/*
 * Cut a line in place into at most `most` fields, without the blanks and quotes around them; what
 * is behind them stays in the last one. Returns how many there are, at least 1.
 */
size_t csv_cut(char *line, char separator, char **fields, size_t most);

#endif
