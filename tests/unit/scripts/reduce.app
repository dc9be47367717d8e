# 50 rounds: 49 targets, ldq and addq a chain over all rounds, bne a round's own arc.
test the-numbers
on loop.trc
run reduce
shows N_E 5  N_S 5 |
shows instructions 200   targets 49   p_b 0.2450
shows estimate yes
size 100x40
shows 50  loads that do not tell from where
size 100x20
shows 1  instructions   |
shows f  flush          |
shows simulation agrees to the cycle

test what-is-no-length-is-refused
on loop.trc
run reduce
wrong reduce execute 0 -> a length must be 1 to 4096
wrong reduce setup 4097 -> a length must be 1 to 4096
wrong reduce setup x -> a length must be 1 to 4096
wrong reduce es 0 -> a ratio of numbers from 1 to 100
wrong reduce es 1/101 -> a ratio of numbers from 1 to 100
wrong reduce gamma -1 -> gamma must be
wrong reduce by links -> the trace has no links
wrong reduce by hand -> operands or links

test of-a-selection
on loop.trc
run goto row 40
run select rows
run move down 19
run reduce
shows reduced trace: rows 40..59
shows instructions 20   targets 4 |
shows simulation agrees to the cycle

# Rows 4i: ldq, addq, subq, bne; the status line tells those of the row under the cursor.
test the-status-line-names-arcs
on loop.trc
run reduce execute 7
run reduce arcs r3
# addq, behind its ldq
run goto row 41
shows waits for row 40 ldq (D 1, 0 branches): 6 cycles
# the next ldq waits for addq, across the loop's branch
run move down 3
shows row 41 addq (D 3) removed by Reduction 2: row 43 computes its own condition
run reduce arcs off
run move down
shows-not waits for
wrong reduce arcs r4 -> off, raw, r1, r2 or r3

# What was removed is there to be walked as long as the reduction that removes it is not shown.
test arcs-are-walked-as-links-are
on loop.trc
wrong producer -> no links between rows
run reduce arcs r1
run goto row 44
run producer
row 41
run producer
row 40
run consumer
row 41
run goto row 44
run reduce arcs r3
wrong producer -> waited for no row

test keys-change-the-pipeline
on loop.trc
run reduce
run keys >>]
shows N_E 7  N_S 6 |
shows simulation agrees to the cycle
run keys <Lt>[[[[[[[[
shows N_E 6  N_S 1 |
shows f  flush              0   0.0 %
run keys 9>
shows N_E 15  N_S 1 |
shows simulation agrees to the cycle
run keys 9<Lt>9<Lt>
shows N_E 1  N_S 1 |
run reduce execute 4096
shows N_E 4096  N_S 1 |
shows simulation agrees to the cycle
# elsewhere they are what they were
run close pane
run keys >
row 199
run reduce
shows N_E 4096  N_S 1 |

test enter-goes-to-the-dearest
on loop.trc
run reduce
size 100x40
shows dearest dependencies at N_E 5, N_S 5
run search 0x1004  addq
run enter
row 1
panes 0
run back
panes 1
shows dearest dependencies

test the-family-of-pipelines
on loop.trc
run reduce
run reduce es 2/3
run reduce gamma 50
size 100x120
shows how long to make it: E/S 2/3, gamma 50
run keys ++-
shows E/S 2/3, gamma 100

test in-ascii
on loop.trc
ascii
run reduce
size 80x120
only-ascii

# A file of commands may say it, where there is no trace.
test nothing-to-reduce
on
wrong reduce -> no trace is open
run reduce execute 3
run open loop.trc ; reduce
shows N_E 3  N_S 5 |

# A key goes on to the next reduction, and round.
test arcs-in-turn
on loop.trc
run goto row 44
shows-not └
run keys ta
shows └
run keys ta
shows └
run keys ta
shows └
run keys ta
shows └
run keys ta
shows-not └
