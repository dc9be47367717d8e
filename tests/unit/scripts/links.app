test one-producer-is-gone-to
on linked.kanata
run goto row 12
run producer
row 11
# in X, which ends at 16
tick 15
run back
row 12
run goto row 0
wrong producer -> waited for no row

test several-ask-which
on linked.kanata
run goto row 20
run producer
row 20
shows 1 row 19
shows 2 row 17
shows type 2
# on to the second producer
run move down
run enter
row 17
panes 0
run goto row 20
run producer 2
row 17
run goto row 20
run keys 1K
row 19
run goto row 20
wrong producer 3 -> 2 producers

test consumers-are-gone-to
on linked.kanata
run goto row 20
run keys J
row 21
run goto row 17
run consumer 2
row 20
run goto last
wrong consumer -> no row waited for it

test a-trace-without-links-says-so
on a.trc
wrong producer -> no links
wrong consumer -> no links
wrong links -> no links
wrong chain -> no links
wrong lanes split -> one lane
wrong lanes hide 1 -> no such lane: 1 (the trace has none)
wrong filter thread 1 -> no threads
wrong set colour-by thread -> no threads
wrong set time ticks -> only unit
# shows nothing, harms nothing
run links all

test lanes-are-split-and-hidden
on linked.kanata
run keys tn
shows lane 1
run lanes hide 1
shows-not lane 1
wrong lanes hide 0 -> no such lane: 0
run lanes show
shows lane 1
run reload
shows lane 1
run lanes split
shows-not lane 1

test chains-are-marked-until-told
on linked.kanata
run goto row 10
run chain
shows chain: 10 before, 49 after
shows →       5      1014
run chain none
shows-not →       5      1014
run chain
shows →       5      1014
run reload
shows-not →       5      1014

test stages-of-links-are-checked
on linked.kanata
run set link-stages Ds:Cm
wrong set link-stages Ds:Nope -> no such stage: Nope
run goto row 12
run producer
row 11
# the last cycle in Ds, which is chosen still
tick 14
run set link-stages
run goto row 12
run producer
tick 15
# the options are as they were
run set pan 10
run set pan
shows pan 10

test threads-are-filtered
on linked.kanata
run filter thread 1
shows (20 of 60)
# and the thread
run filter add r[0-9]$
shows (3 of 60)
# and the text
run filter thread [02]
shows (7 of 60)
# a whole number: not what holds none of it
run filter thread 1*
shows (3 of 60)
run filter thread [02]
wrong filter thread 9 -> no thread
wrong filter thread a( -> 'a('
shows (7 of 60)
# made again, with the threads
run hide squashed
shows (7 of 60)
run show all
run filter none
shows row 5 of 60
run column thread
shows thread
run keys th
wrong set colour-by wine -> stage or thread

test cycles-are-counted-where-there-are-ticks
on ticks.out
shows cycle of 1 000 ticks
run goto cycle 30
tick 30000
run goto cycle +5
tick 35000
run move right 2
tick 37000
# row 19, of cycles 29 to 35
shows committed at 35
run yank cycle
clipboard 37
wrong next stay x -> not a number
run set time ticks
shows-not cycle of
run goto cycle 40000
tick 40000
run keys ty
shows cycle of 1 000 ticks

# What can be said of any trace can be said before there is one.
test views-begin-as-the-configuration-says
file views
links all
set link-stages X:F
lanes split
set colour-by thread
set time ticks
end
config views
on ticks.out
# that has nothing of all this
run open a.trc
shows row 0 of 200  cycle 0 |
run open linked.kanata
complains
shows lane 1
run goto row 12
run producer
row 11
tick 15
run lanes hide 1
shows-not lane 1
run lanes show
shows lane 1
# what was said since then counts
run reload
shows lane 1
run tab 1
shows-not cycle of

test signs-of-links
on linked.kanata
run goto row 20
shows »      17      1044
shows →      19      104c
run links off
shows-not →      19
run links row
shows →      19      104c
shows ←      21      1054
on linked.kanata
ascii
run goto row 20 ; inspector ; close pane
shows )      17      1044
shows }      19      104c
shows {      21      1054
only-ascii

test a-click-among-lanes
on linked.kanata
run set mouse on ; lanes split ; goto row 3
shows lane 1
click 60 7
row 2
tick 17

# Numbers at the ends of what fits neither overflow nor hang.
test extreme-clocks
on ticks.out
run ticks-per-cycle 2
shows cycle of 2 ticks
run zoom fit ; goto last ; move right 9223372036854775807 ; move left 7
shows row 59 of 60
run ticks-per-cycle 2147483647
run zoom fit ; goto last ; move right 9223372036854775807 ; move left 7 ; zoom cycles-in 9
shows row 59 of 60

test the-critical-path-is-walked
on a.trc
wrong next -> nothing to look for
run critical
shows critical path:
run next
run next 1000000
wrong next -> no later step
run prev 1000000
wrong prev -> no earlier step
run keys <Esc>
wrong next -> nothing to look for
run critical ; critical
wrong next -> nothing to look for
