/*
 * A pattern for single lines, for texts of many lines: one match looks through all of them.
 *
 * The pattern is said in other words, so that nothing in it matches a line feed: [^a] becomes
 * [^\na], \s becomes [^\S\n], ... So it sees in each line what it would see in the line alone,
 * which holds for assertions and possessive repeats too: a line feed stops them as the end of the
 * line's own text would. Where that is not certain there is no such pattern.
 */
#ifndef PIPEGLASS_BASE_REGEX_LINES_H
#define PIPEGLASS_BASE_REGEX_LINES_H

#include "base/regex.h"

/*
 * In a text of whole lines without carriage returns it finds the first line that r would match
 * alone: the one that its match begins in. It gives up sooner than r; once it is limited
 * (regex.h), what it says counts for nothing. NULL: nobody knows how (\A, \K, references,
 * options, ...), or memory is out.
 */
struct regex *regex_of_lines(const struct regex *r);

#endif
