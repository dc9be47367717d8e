# A stretch that begins with the trace is one of them, and wrapping leads to it.
test the-first-gap-is-counted
file late.trc
@ 0
@ 100
+ 0 0x1000 0x0 add
* 0 IF 0x0
@ 101
@ 180
* 0 CT 0x0
- 0
end
on late.trc
run next gap 50
shows 2 of 2: gap of 79 cycles from 101; 
run next
shows 1 of 2: gap of 100 cycles from 0; 
run goto last ; prev gap 90
shows 1 of 1: gap of 100 cycles from 0; 

# gem5. A store commits where it retires, not where its row ends.
test a-store-is-yanked
file store.out
O3PipeView:fetch:1000:0x10:0:1:sd a
O3PipeView:decode:1500
O3PipeView:rename:2000
O3PipeView:dispatch:2500
O3PipeView:issue:3000
O3PipeView:complete:3500
O3PipeView:retire:4000:store:9000
end
on store.out
run yank rows
yanked retire 4000 store 9000  committed 4000\n

# The status line names the stages that go on beside their successors, too, where they fit.
test stages-at-the-cursor
file beside.kanata
Kanata	0004
C=	0
I	0	0	0
S	0	0	F
S	0	1	stl
C	20
S	0	0	X
C	2
S	0	0	W
C	1
E	0	0	X
C	2
E	0	0	F
E	0	1	stl
C	1
R	0	0	0
C	4
end
on beside.kanata
run zoom cycles-in 1
run goto cycle 19
shows \nF 25 cycles + stl 25 cycles\n
run goto cycle 20
shows \nX 3 cycles + F 25 cycles + stl 25 cycles\n
run goto cycle 22
shows \nW 4 cycles + X 3 cycles + F 25 cycles + stl 25 cycles\n
run goto cycle 23
shows \nW 4 cycles + F 25 cycles + stl 25 cycles\n
run goto cycle 25
shows \nW 4 cycles\n
size 38x20
run goto cycle 19
shows \nF 25 cycles + stl 25 cycles\n
run goto cycle 20
shows \nX 3 cycles + stl 25 cycles\n
run goto cycle 22
shows \nW 4 cycles + stl 25 cycles\n
run goto cycle 25
shows \nW 4 cycles\n

# Columns that begin before the trace does.
test a-selection-is-of-the-trace-alone
file offset.kanata
Kanata	0004
C=	1021
I	0	0	0
S	0	0	F
C	1
R	0	0	0
I	1	1	0
S	1	0	F
C	1
R	1	1	0
I	2	2	0
S	2	0	F
C	1
R	2	2	0
end
on offset.kanata
run zoom cycles-out 4 ; goto last ; goto end ; select cycles ; goto first ; goto start
shows selected: 4 cycles x 3 rows; 3 committed in these cycles, IPC 0.75
run range
size 100x40
shows length       4
shows committed    3
shows ipc          0.75

# gem5: of the last cycle the trace has one tick.
test a-last-cycle-counts-as-one
file one.o3pipeview
O3PipeView:fetch:1000:0x1000:0:1:  add
O3PipeView:decode:1500
O3PipeView:rename:2000
O3PipeView:dispatch:2500
O3PipeView:issue:3000
O3PipeView:complete:3500
O3PipeView:retire:4000:store:0
end
on one.o3pipeview
# of seven
shows IPC 0.14 in view
run goto cycle 8 ; select cycles
shows selected: 1 cycle x 1 row; 1 committed in this cycle, IPC 1.00
run range
size 100x40
shows length       1
shows committed    1
shows ipc          1
run close
run goto cycle 7
shows selected: 2 cycles x 1 row; 1 committed in these cycles, IPC 0.50
run range
shows length       2
shows ipc          0.500
run close
run goto cycle 2
shows selected: 7 cycles x 1 row; 1 committed in these cycles, IPC 0.14
run range
shows length       7
shows committed    1
shows ipc          0.143
run close
run select none ; select rows
shows selected: 7 cycles x 1 row; 1 committed in these cycles, IPC 0.14
test what-is-interpolated-says-so
on two.kanata
shows-not estimated
run goto row 0 ; goto cycle 1950 ; zoom fit
shows :128 estimated  |
shows 8 192 rows, 128 cycles: mostly F (estimated)
run zoom reset
shows-not estimated

# Little text under the cursor is read, however much there is under the whole picture.
test a-cell-is-exact
on two.kanata
run goto row 0 ; goto cycle 1100 ; zoom rows-out 1 ; zoom cycles-out 4
shows 2 rows, 16 cycles: mostly X
shows-not (estimated)
run zoom reset ; goto row 0 ; goto cycle 1100 ; zoom cycles-out 6
shows 1 row, 64 cycles: mostly X
shows-not (estimated)
