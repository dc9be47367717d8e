# Where the index keeps only the beginning of a text, the end is looked at too.
test long-texts-are-searched
on noted.kanata
run search 0 of 9[37]$
shows row 93 of 100 |
shows 1 of 2: |
run next
shows row 97 of 100 |
run prev
shows row 93 of 100 |
run search div 0*$
shows not found: /div 0*$/

test lines-are-walked
on noted.kanata
run search-text CACHE
shows not found: text /CACHE/
run search-text cache
shows 1 of 23: text /cache/: line 14, row 0  |
# the one in which the line stands
shows cycle 2 |
run next
shows 2 of 23: text /cache/: line 15, row 0  |
run next
shows row 7 of 100 |
shows 3 of 23: |
run prev ; prev ; prev
shows 23 of 23: |
shows row 98 of 100 |
shows (from the bottom)
run next 4
shows 4 of 23: |
shows row 14 of 100 |

test it-goes-on-from-the-cursor
on noted.kanata
run search-text missed
shows 1 of 15: |
run goto row 40 ; next
shows row 42 of 100 |
shows 7 of 15: |
run goto row 40 ; prev
shows row 35 of 100 |
run goto row 40 ; search-text-back missed
shows row 35 of 100 |
run next
shows row 28 of 100 |
run prev
shows row 35 of 100 |

test what-is-no-row
on noted.kanata
run search-text second phase$
shows 1 of 1: text /second phase$/: line |
shows before row 50  |
run search-text nowhere
shows not found: text /nowhere/
shows row 50 of 100 |
run search nowhere
shows not found: /nowhere/  (" searches all lines of the trace)
wrong search-text ( -> parenthes
run goto row 90 ; set wrap off ; search-text phase
shows not found: text /phase/

test only-rows-shown-are-found
on noted.kanata
run filter thread 1 ; search-text missed
shows 2 of 15: text /missed/
run next
shows 4 of 15: text /missed/
run filter none ; filter add ; goto first ; search-text-back missed
shows 9 of 15: text /missed/
# rows without text are read for the filter, all at once
run filter none ; filter !add
shows row 60 (no. 1 of 40)

test other-searches-take-its-place
on noted.kanata
run search-text missed ; search add r4
shows 1 of 11: /add r4/
run search-text
shows of 11: text /add r4/
run search none
wrong search-text -> no search yet
run search-text missed ; reload
run next
shows  of 15: text /missed/
run tab next ; search-text missed ; search-text cache ; close

# A newline spelt as an escape is a blank, wherever the text of a row is told.
test escapes-are-blanks
on noted.kanata
run search mul x1, x2 of two lines$
row 80
shows mul x1, x2 of two
run filter two lines
shows (1 of 100)

# A row that the pattern is too slow for is out, and that is said.
test too-slow-for-some-rows
file slow.kanata
Kanata	0004
C=	0
I	0	0	0
L	0	0	1000: add r1
S	0	0	F
I	1	1	0
L	1	0	1004: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!
S	1	0	F
C	1
R	0	0	0
R	1	1	0
end
on slow.kanata
run filter (a+)+b|add
shows (about 1 of 2)
