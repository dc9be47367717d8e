test curves-take-the-window-and-give-it-back
on a.trc
shows-not >1 ipc
shows r1
run keys og
shows >1 ipc
shows  2 in-flight
shows-not r1,
# back, not out
run keys q
shows-not >1 ipc
run keys <F3>
shows >1 ipc
shows r1
# the switch is for all that is under the rows
run set strip off
shows-not >1 ipc
run view resources
shows >1 ipc
run keys <Enter>
shows-not >1 ipc

test q-closes-a-pane-before-it-leaves-the-curves
on a.trc
run view resources
run inspector
run focus next
panes 1
run keys q
panes 0
shows >1 ipc
run keys q
shows-not >1 ipc

test digits-hide-lines-where-curves-are-alone
on a.trc
run metric add fetch
# a count, elsewhere
run keys 2j
row 2
run view resources
run keys t2
shows hidden: 2 in-flight
run keys j
shows >3 fetch
run keys k
shows >1 ipc
run keys t1
shows >3 fetch
run keys t2t1
shows >1 ipc
run keys t9
shows no curve shows
run curve select in-flight
shows >2 in-flight
run curve select 3
shows >3 fetch
wrong curve select occupancy EX -> no curve shows
wrong curve select 4 -> no curve shows
wrong curve select 0 -> no curve shows

test scales-are-set-for-all-or-one
on a.trc
run view resources
run set scale 0:20 ipc
shows 0..20 given
run set scale shared
shows-not given
shows shared
run keys s
shows scale of all curves: auto
run set scale -1:1 2
shows -1..1 given
wrong set scale 5 -> LOW:HIGH
wrong set scale 5:4 -> lower end
wrong set scale 5:9 fetch -> no curve shows
run keys q
# the strip has the same scales
run set scale 0:7
shows 0..7

# Both ways of telling agree with what `distance` says.
test the-slope-is-that-of-distance
on a.trc
wrong slope -> set a mark first
run goto cycle 5
run mark a
run goto cycle 15
run distance a
shows a to cursor: 10 cycles
shows-not >1 ipc
run slope
shows >1 ipc
shows a to cursor: |
shows in 10 cycles, IPC |
shows ; ipc |
run mark b
run goto cycle 12
run slope a b
shows a to b: |
shows in 10 cycles, IPC |
# what it was measured from is gone, and so is it
run unmark b
shows-not a to b: |
wrong slope a b -> mark b is not set
run slope
shows-not in 10 cycles

test rows-come-to-where-one-went
on a.trc
run view resources
run view rows
row 0
run view resources
run move right 40
run view rows
row 7

test a-click-goes-to-the-cycle
on a.trc
run set mouse on
run view resources
shows >1 ipc
click 52 10
tick 9
# but in the gutter
click 1 10
tick 9

test the-configuration-may-ask-for-it
file curves
view both
set scale 0:50
end
config curves
on a.trc
shows 0..50 given
complains

test the-overview-is-the-last-of-the-views
on a.trc
run keys <F3><F3><F3>
shows occupancy
shows IF
shows-not r1,
# its height is its own, and + leaves it alone
run keys {{{{{+
shows 1/2 cycles per column
run keys C
run keys ^(EX|WB)$<Enter>
shows components: /^(EX|WB)$/
shows-not IF
run keys /w<Enter>
shows WB  <Enter> open
run keys /E<Enter>N
shows EX  <Enter> open
wrong search nosuch -> no component matches nosuch
wrong overview metric ipc -> ipc belongs to the whole trace, not to a component
wrong fold -> no component holds others here
wrong filter component nosuch -> no stage or component matches nosuch
shows components: /^(EX|WB)$/
run filter component
shows IF
run mark a ; goto 50% ; goto mark a
# Enter leads to the stage in the rows, at the time that was looked at
run goto cycle 12 ; keys <Enter>
tick 12
shows r1,
shows next, N previous
run view overview ; overview sort occupancy ; keys s
shows by occupancy
shows shared scale
run keys s
run overview sort ; keys q
shows r1,
# from there on F3 begins anew
run keys <F3><F3><F3><F3>
shows r1,

# Where no rows are in sight v selects time, too; the views of a trace have it in common.
test time-is-selected-wherever-there-is-an-axis
on a.trc
run view resources ; goto cycle 20 ; keys v4L
shows selected: 5 cycles from cycle 20 on
run view overview
shows selected: 5 cycles from cycle 20 on
run select swap
tick 20
run keys <Esc>
shows-not selected
shows occupancy
run keys <C-v>2L
shows selected: 3 cycles from cycle 20 on
run view rows
shows selected: 3 cycles x 200 rows
run view overview
run keys <Esc><Esc>
shows-not selected
shows r1,

# What nobody sees moves nothing.
test zoom-keeps-the-time-where-curves-are-alone
on a.trc
run goto row 100 ; view resources ; goto cycle 90 ; move left 40
tick 50
run zoom cycles-out 2 ; keys ++++
tick 50
run keys <Esc>
shows r1,

# the first time, too
test another-view-has-the-same-time
on a.trc
run zoom cycles-out ; goto cycle 30 ; view overview
shows cycle 30  2 cycles per column
run goto cycle 10 ; zoom cycles-in ; zoom cycles-in ; view rows
tick 10

test digits-are-counts-where-curves-are-alone
on a.trc
run view resources
run keys 2t1
shows hidden: 1 ipc
run keys 100%
row 199
run keys %
shows how many percent? Type the number first: 50%
