test both-are-shown
on fast run.trc
run compare slow.trc
shows [A] fast run.trc  B slow.trc
shows 59 instructions matched
shows A         0      1000 op0 r1
shows B         0      1000 op0 r1
run echo
shows = B row 0 cycle 0, lag 0
wrong compare -> already in a comparison
run compare off
shows [1/2] fast run.trc
shows-not slow.trc
wrong compare next -> nothing to compare with

test blanks-in-names-are-quoted
on slow.trc
run compare 'fast run.trc' cycle
shows [A] slow.trc  B fast run.trc
shows matched by cycle

test the-focus-changes-sides
on fast run.trc
run compare slow.trc
run goto row 50
run compare switch
tab 2
row-in 2 49
shows = A row 50 cycle 100, lag +7
run move down
row-in 1 51
run focus next
tab 1
run tab next
tab 2
row-in 2 50
run tab 1
# what is open goes over to the other trace
run open pane inspector
shows row          51
run escape
run compare switch
shows row          50

test differences-are-gone-to
on fast run.trc
run compare slow.trc
run compare next
row-in 1 20
row-in 2 20
shows A row 20, B row 20: cycles, life, stages
run compare next
row-in 1 40
shows only in A 1 instruction
run back
row-in 1 20
row-in 2 20
run goto last
run compare prev life,stages
row-in 1 20
# the kinds stay chosen
run compare next
shows no such difference after this place
run compare next all
row-in 1 40
run compare first
row-in 1 20
wrong compare next nonsense -> only-a

# From the side that lacks it the focus goes over.
test what-one-side-lacks-is-shown-on-the-other
on fast run.trc
run compare slow.trc
run goto row 30
run compare switch
run compare next only-a
tab 1
row-in 1 40

test the-table-leads-to-the-worst-place
on fast run.trc
run compare slow.trc
run goto row 3
run compare table
shows where the cycles went: B against A, by delta
shows B - A          +7 cycles          -1 instruction |
shows 0x1050  op20 r1        1        1         2         9      7  EX
# the cursor is on what lost most
run enter
row-in 1 20
row-in 2 20
panes 0
# to where it was, and the table
run back
row-in 1 3
panes 1
run sort by pc
shows by pc
wrong sort by nonsense -> cycles_a
run compare off
panes 0

# Rows 16 to 25 commit in them, and some of the next one's cycles: the one that lost is there.
test the-table-is-of-the-selected-cycles
on fast run.trc
run compare slow.trc
run compare table
shows B against A, by delta
shows A             123 cycles          60 instructions
run goto row 15 ; goto cycle 35 ; select cycles ; goto cycle 54
run compare table
shows B against A, cycle 35..54 of A, by delta
shows A              20 cycles          10 instructions
# its own, as of the whole runs
shows +7 cycles           0 instructions
run enter
row-in 1 20
# the place is not in this range
run select none ; goto cycle 65 ; select cycles ; goto cycle 74 ; compare table
shows A              10 cycles           5 instructions
shows cycle 65..74 of A
run select none ; compare table
shows B against A, by delta
run compare switch ; select cycles ; +4
wrong compare table -> select the cycles in A

test the-cursors-can-be-the-pair
on fast run.trc
run compare slow.trc
run compare off
run goto row 5
run tab 2
run goto row 8
run compare pair
run tab 1
run goto row 6
row-in 2 9

test without-a-name-it-is-the-tab-beside
on fast run.trc
wrong compare -> which trace?
run open slow.trc
# the one further left is A, wherever the cursor is
run compare
shows A fast run.trc  [B] slow.trc
run compare off
# from here to that one
run compare 1
shows [A] slow.trc  B fast run.trc
wrong compare 2 -> with itself
wrong compare 3 -> no tab 3
wrong compare /nonexistent -> /nonexistent
wrong compare 1 sideways -> commit, cycle or start

test the-other-side-comes-along
on fast run.trc
run compare slow.trc
run goto row 50
# one is left out
row-in 2 49
run echo
shows = B row 49 cycle 107, lag +7
run move up 20
row-in 2 30
run goto row 40
row-in 2 40
shows only in A: before B row 40 cycle 89
run zoom out 1
shows  2:2 |
# a list has a row a line
run compare layout overlaid
shows  1:2 |
row-in 1 40

test a-third-tab-does-not-part-them
on fast run.trc
run compare slow.trc
run open a.trc
shows [3/3] a.trc
run goto row 100
row-in 1 0
run tab 2
shows [2/3] A fast run.trc  [B] slow.trc
run tab close
run tab 1
shows [1/2] fast run.trc

test layouts-take-turns
on fast run.trc
run compare slow.trc
run goto row 20
shows \nB                                      cycle
run compare layout
shows-not \nB                                      cycle
shows A~       20      1050 op20 r1
shows B~       20      1050 op20 r1
run compare layout
shows  ~       20      1050 op20 r1
run compare layout
shows-not  ~       20      1050 op20 r1
run compare layout interleaved
shows B~       20      1050 op20 r1
wrong compare layout sideways -> stacked, interleaved or overlaid

test the-table-leads-to-the-other-side
on fast run.trc
run compare slow.trc
run compare switch
run compare table
# what is left out is the last line
run sort by count_b
run goto last
run enter
tab 1
row-in 1 40

test matching-can-be-chosen
on fast run.trc
run compare slow.trc
run compare by cycle
shows matched by cycle
run compare layout overlaid
run compare pair 10 12
shows matched by pair
shows  ~ |
run goto row 10
row-in 2 12
wrong compare pair 10 -> or no row
wrong compare by pair -> commit, cycle or start
wrong compare pair 1000 1 -> row 1000 of A does not exist
# what is compared stays so
shows [A] fast run.trc

test reading-again-keeps-them-joined
on fast run.trc
run compare slow.trc
run compare layout overlaid
run compare table
run reload
shows [A] fast run.trc
run close panes ; goto row 20
shows  ~       20      1050 op20 r1
run goto row 50
row-in 2 49

test a-click-gives-the-focus
on fast run.trc
run compare slow.trc
run set mouse on
run set strip off
shows [A] fast run.trc
click 60 13
tab 2
click 60 4
tab 1
row-in 1 1
row-in 2 1

# Traces that have nothing in common are shown from their first rows on.
test unrelated
file other.trc
@ 0
+ 1 0x10 0x0 one
* 1 IF 0x0
@ 1
* 1 CT 0x0
+ 2 0x14 0x0 two
* 2 IF 0x0
@ 2
- 1
* 2 CT 0x0
@ 3
- 2
end
on slow.trc
run compare other.trc
shows no instruction in common: probably different programs
shows B+        1        10 one

test why-one-is-faster
on fast run.trc
size 100x50
run why
shows-not B against A
run compare slow.trc
shows why: B against A
shows cycles slower:
shows slower: fetch +6, taken-branch +1
run compare off
shows why (V, C-v: a part)
shows committed: CPI

test why-of-selected-rows
on fast run.trc
size 100x50
run goto row 5
run select rows
run why
shows why: rows 5..5
shows cycles, 1 committed: CPI

test why-says-what-a-row-cost
on fast run.trc
size 100x50
run why nosuch
shows no such cause
run close panes
run why fetch
run keys <Enter>
shows row 1: fetch, 2 cycles
run whatif window=1
shows cycles instead of
run close panes ; inspector
shows why so late: what came last

test why-of-two-lists-who-owns-a-cause
on fast run.trc
size 100x50
run compare slow.trc
run why
shows why: B against A  4/
run keys <Enter>
shows why: B against A: fetch
wrong why nosuch -> no cause of this trace
run why
shows-not against A:
shows instructions that own cycles

test why-of-two-goes-with-them
on fast run.trc
size 100x50
run compare slow.trc
run why fetch
shows why: B against A
shows 0x1054  op21 r1
run keys <Enter>
shows row 21: fetch, 2 cycles
run why
run compare switch
shows why: B against A
shows 0x1054  op21 r1
run close panes
run compare curves why
shows >1 A
run compare curves
run compare off
run why
shows committed: CPI
run tab close
shows fast run.trc
shows-not slow.trc
run why
shows committed: CPI
