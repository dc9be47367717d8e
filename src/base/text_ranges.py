#!/usr/bin/env python3
"""Write text_ranges.h: the characters that may reach a terminal, with their widths.

    python3 text_ranges.py > text_ranges.h

Source: the Unicode character database of the Python that runs this. An older version is
the careful choice: a character younger than the user's libc has no width there.
"""
import unicodedata

# Controls, format, surrogates, private use, unassigned, separators of lines and paragraphs.
HARMFUL = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}

# Accents, vowel signs and the like: they stand in the column of what is before them.
MARKS = {"Mn", "Me"}

# Invisible, or of a width on which terminals and C libraries do not agree.
DISPUTED = [
    (0x115F, 0x11FF),    # Hangul fillers, medial vowels and final consonants: join into one cell
    (0x3164, 0x3164),    # Hangul filler
    (0x3248, 0x324F),    # circled numbers on black squares
    (0x4DC0, 0x4DFF),    # hexagrams
    (0xD7B0, 0xD7FF),    # Hangul jamo extended B
    (0xFFA0, 0xFFA0),    # half-width Hangul filler
    (0x1F1E6, 0x1F1FF),  # regional indicators: two join into a flag
    (0x1F3FB, 0x1F3FF),  # skin tones: join the emoji before
]
PER_LINE = 4


def width(cp):
    """Columns of a code point; None for what is never shown."""
    char = chr(cp)
    if unicodedata.category(char) in HARMFUL:
        return None
    if any(first <= cp <= last for first, last in DISPUTED):
        return None
    if unicodedata.category(char) in MARKS:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def ranges():
    """Runs [first, last, width] of equal width, in order."""
    runs = []
    for cp in range(0x110000):
        columns = width(cp)
        if columns is None:
            continue
        if runs and runs[-1][1] == cp - 1 and runs[-1][2] == columns:
            runs[-1][1] = cp
        else:
            runs.append([cp, cp, columns])
    return runs


def main():
    print("/*\n * Harmless characters as {first, last, columns}, in order. Included by text.c only.\n"
          f" * Written by text_ranges.py from Unicode {unicodedata.unidata_version}; do not edit.\n */")
    cells = ["{0x%x, 0x%x, %d}" % tuple(run) for run in ranges()]
    for i in range(0, len(cells), PER_LINE):
        print(", ".join(cells[i:i + PER_LINE]) + ",")


main()
