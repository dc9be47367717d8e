test going
on a.trc
shows row 0 of 200  cycle 0 |
run goto row 100
shows row 100 of 200  cycle 300 |
run goto cycle 302
shows cycle 302 |
run 302 ; +10
shows cycle 312 |
run -2
shows cycle 310 |
run #42
shows row 42 of 200  cycle 84 |
run 50%
shows row 100 of 200 |
run 0x1004
shows row 113 of 200 |
run goto last
shows row 199 of 200 |
run keys 12G
shows row 12 of 200 |
run keys g25%
shows row 50 of 200 |
run keys $
shows cycle 204 |
run keys ^
shows cycle 200 |
run keys 302c
shows cycle 302 |
run keys 12345678901c
shows the trace has cycles 0 to 599
run keys 42#
shows row 42 of 200 |
run keys 3p
shows :goto pc
run keys <Esc>
run goto cycle 100000
shows the trace has cycles 0 to 599
wrong goto row 200 -> no row 200 (there are 200)
wrong #9999 -> no instruction #9999
wrong 101% -> from 0 to 100
wrong goto elsewhere -> not a cycle

test moving
on a.trc
run keys jjj3jk
shows row 5 of 200 |
run keys <Space>
shows-not row 5 of 200 |
run keys b
shows row 5 of 200 |
run keys 3L
shows row 5 of 200  cycle 17 |
run keys H
shows row 5 of 200  cycle 16 |
# a cursor that changes rows comes along: to the birth going down, to the end going up
run goto row 5 ; keys 7j
shows row 12 of 200  cycle 24 |
run keys 7k
shows row 5 of 200  cycle 14 |
run set pinned on ; keys 4j
shows row 9 of 200  cycle 14 |
run set pinned off
run keys G<PageDown><PageDown>100j
shows row 199 of 200 |
run keys g<PageUp>9k
shows row 0 of 200 |

test searching
on a.trc
run /ldr
shows row 1 of 200 |
shows 1 of 50: /ldr/  n next, N previous
run keys 2n
shows row 9 of 200 |
run keys N
shows row 5 of 200 |
shows 2 of 50: /ldr/
run keys ?<Enter>n
shows row 197 of 200 |
shows 50 of 50: /ldr/  (from the bottom)
run ?^0x1000 add
shows row 192 of 200 |
# ^ is the beginning of the text too
run goto first ; /^ldr
shows 1 of 50: /^ldr/
run 0x1004
shows 2 of 13: pc 0x1004  n next
run keys /<Enter>
shows 3 of 13: pc 0x1004  n next
run goto row 192 ; /LDR
shows not found: /LDR/
shows row 192 of 200 |
run set wrap off ; goto last ; /ldr
shows not found: /ldr/
wrong /( -> parenthes
# while it is typed, and given up
run set wrap on ; goto row 40 ; keys /str
shows row 43 of 200 |
run keys <Esc>
shows row 40 of 200 |
run keys /str<Enter><C-o>
shows row 40 of 200 |

test finding
on a.trc
run next squash
shows row 3 of 200  cycle 8 |
shows 1 of 20: squashed row
run keys nnN
shows row 13 of 200 |
shows 2 of 20: squashed row
run prev squash ; prev squash
shows row 193 of 200 |
run goto first ; next event cache
shows row 7 of 200  cycle 16 |
shows 1 of 20 rows: event cache-miss
run next stay 25 ; next stay 25
shows row 27 of 200  cycle 56 |
shows 3 of 20: EX 30 cycles (25 or more)
run next stay 31
shows not found: stay of 31 cycles or more
run goto first ; next gap 50
shows 1 of 1: gap of 72 cycles from 128; 
run next
shows 1 of 1: gap of 72 cycles from 128; 
run goto first ; next stage EX ; next
shows row 2 of 200  cycle 6 |
# a filter changes what is counted
run &ldr|str ; goto first ; next event cache ; next
shows 2 of 20 rows: event cache-miss
run &!str ; goto first ; next event cache
shows 1 of 10 rows: event cache-miss
run filter none
run highlight event cache-miss ; goto first ; keys nn
shows row 17 of 200 |
run highlight none
wrong next -> nothing to look for
wrong next event nonsense -> there are: cache-miss
wrong next stay 0 -> at least 1

test filtering
on a.trc
run goto row 41 ; &ldr
shows filter: /ldr/ (50 of 200)
shows row 41 (no. 11 of 50) |
run &^ldr
shows filter: /^ldr/ (50 of 200)
run &^0x1004
shows (13 of 200)
run filter none ; goto row 41 ; &ldr
run &!ldr
shows filter: !/ldr/ (150 of 200)
run &nothing such
shows no row matches /nothing such/: the filter is unchanged
shows row 42 (no. 32 of 150) |
run hide squashed
shows (140 of 200)
run filter none
shows filter: (180 of 200)
run show all
shows row 42 of 200 |
run filter component ^(EX|WB)$
shows stages: /^(EX|WB)$/
wrong filter component zz -> no stage or component matches zz
run keys &<Enter>
shows-not stages:
wrong hide all -> not all
wrong hide committed -> micro-ops or all; only show

test marks-and-distance
on a.trc
wrong distance -> set a mark first
run goto row 10 ; mark a ; goto row 20 ; mark b ; distance a b
shows a to b: 20 cycles, 10 rows; 8 committed in these cycles, IPC 0.40
run goto last ; keys 'a
shows row 10 of 200 |
run keys ''
shows row 199 of 200 |
run back
shows row 10 of 200 |
run keys ma<Esc>
run marks
shows a  row 10
run close ; unmark b
wrong distance a b -> mark b is not set
wrong mark A -> a-z or 0-9
wrong 'z -> mark z is not set

test zooming
on a.trc
run zoom out 2
shows  4:4 |
run zoom in 2
shows  1:1 |
run zoom in
shows  1:1/2 |
run zoom out
shows  1:1 |
run zoom fit
run goto row 7 ; enter
shows  1:1 |
run back
shows-not  1:1 |
run zoom reset ; goto row 7 ; enter
shows seq 7
# the inspector follows the cursor when the view has the focus
run keys <Tab>j
shows seq 8

# Enter goes to what was just found, not to what is rarer in the same cell.
test looking-closer
on a.trc
run zoom fit ; next fate committed ; next fate committed
shows row 2 of 200 |
run keys <Enter>
shows row 2 of 200 |
shows  1:1 |
# moved away it is a cell again, whose rarest thing counts
run back ; keys L<Enter>
shows-not row 2 of 200 |
shows  1:1 |

test pending-keys
on a.trc
run keys 12t
shows 12t
shows t and then
shows l show the legend at the right
run keys <Esc>j
shows-not and then
shows row 1 of 200 |
# the keys of the mode and of those behind: what a pane binds hides what the view does with it
run bind pane oj curve next
run bind pane ok open pane marks
run open pane info ; keys o
shows j select the next visible curve
shows k open a pane
shows-not list the row's links
shows i show what the trace is
run keys <Esc>qo
shows i show what the trace is
run keys ix
run close pane
run keys Zx
shows Zx is not bound (<F1>: help)
# Esc and a key typed at once come as Alt and the key.
run keys oi<M-:>longest<Tab>
shows nothing to complete
run keys <M-g>
shows row 0 of 200 |
run keys 99999999999999999999j
shows row 199 of 200 |

test selecting
on a.trc
run goto row 10 ; keys v5j4L
shows selected: 5 cycles x 6 rows; 3 committed in these cycles, IPC 0.60
run range
shows Selection
# three of the six live in these cycles
shows rows         3
shows committed    3
run close ; keys V
shows selected: 15 cycles x 6 rows; |
run select swap
shows row 10 of 200 |
run keys y
shows yanked 6 lines
yanked row 10  #10  0x1028  bne 0x40  IF 20 DA 21
shows-not selected
run yank pc
clipboard 0x1028
run set clipboard on ; yank text
clipboard bne 0x40
wrong yank nonsense -> rows, pc, text

test panes
on a.trc
run keys <F1>
shows Help
run keys /shortest gap<Enter>
shows gap 10
run keys q
run help distance
shows distance
shows lines about distance  n next
run help <F1>
shows 1 line about <F1>
shows <F1>             list all keys, commands and options
# a key that begins others: all of them; one that only asks for something does that
run help B
shows lines about B  n next
run help c
shows c                go to a cycle
run close panes ; open pane info ; keys <F1>
shows KEYS while a pane has the focus
run keys q:help S<Enter>
shows S                sort the pane by the previous column
run close panes ; help S
shows S                go to the previous squashed row
run close panes
wrong help no such thing -> does not mention
shows Rows are instructions, columns are cycles
run close panes ; toggle legend
shows legend
run toggle legend
shows-not legend  |
run options ; keys <Enter>
run set mouse
shows mouse on
run close
wrong open pane nonsense -> there are: inspector, legend
wrong close pane -> no pane is open

test pages-of-panes
on a.trc
run keys <F1>
shows Rows are instructions
run keys <Space>
shows-not Rows are instructions
run keys b
shows Rows are instructions
run keys <Space><Space><C-d><C-u>bb
shows Rows are instructions
run keys 999<Space>
shows width of the column text
run keys 999b
shows Rows are instructions
# also before anything was drawn
run keys q<F1><Space>
shows-not Rows are instructions

# In the fit view the cursor stays with what lives.
test following
on a.trc
run zoom fit
run keys j
shows-not nothing alive
run keys 5j
shows-not nothing alive
run keys 6j
shows-not nothing alive
shows row 192 of 200 |
run keys llll
shows cycle 599 |

# What was found has lines around it; the option says how many.
test margins
on a.trc
run goto row 11
shows  14      1038
shows-not  15      103c
run keys 2j
shows  16      1000
shows-not  17      1004
run set scroll-margin 0 ; keys 3j
shows  16      1000
shows-not  17      1004
run set scroll-margin 1000 ; goto row 100
shows  94      1038
shows  106      1028
run goto first
shows row 0 of 200 |

# The note of a filter gives way to messages, and is cut before it is left out.
test notes
on a.trc
run &ldr|str|a very long pattern that has no room on a line of this width, whatever happens to it
run keys j
shows filter: /ldr|str|a very
shows …/ (100 of 200)
run echo a message of sixty columns: 9012345678901234567890123456789
shows 9012345678901234567890123456789
shows filter: /ldr|str|a very …/ (100 of 200)
run echo a message of ninety columns: 012345678901234567890123456789012345678901234567890123456789
shows 012345678901234567890123456789012345678901234567890123456789
shows-not filter:
run goto cycle 100000
shows the trace has cycles 0 to 599  filter: /ldr|str|a very

# What happened in a cell is told as far as the line goes, the rarest first.
test cells-in-words
on a.trc
run goto row 7 ; zoom out 5 ; goto row 7
shows mostly EX; cache-miss, squashed, committed
size 60x20
shows mostly EX; cache-miss, squashed, 1 more

# The IPC of the title is that of the ticks on screen, whatever lies over them.
test ipc-of-the-view
on a.trc
shows IPC 0.40 in view
run legend
shows IPC 0.40 in view

test stalls
on a.trc
run keys os
shows bne 0x40
# what cost most came after nothing had been there for long; what held the head missed the cache
run keys <Enter>
row 50
run stalls ; sort by head ; enter
row 7
panes 0
# and back, to the line that was left, in the order that was chosen
run keys <Backspace>
shows stalls (V, C-v: a part), by head
run keys ss
run sort by count ; move down 3
shows stalls (V, C-v: a part), by count
shows 4/16
run keys <Enter><Backspace>
shows stalls (V, C-v: a part), by count
shows 4/16
run keys SS
shows stalls (V, C-v: a part), by pc
run keys <Enter>
run legend ; close panes
run keys <Backspace>
panes 0
run goto row 20 ; keys Vjj
run stalls
shows stalls: rows 20..22
shows 0x1010
shows-not 0x1000

# The rows that waited longest, by life or by a stage.
test longest
on a.trc
run keys oS
shows longest rows
run sort by EX
shows longest rows (V, C-v: a part), by EX
run enter
row 7

# Beside a large view a table stays, with the keys, where it led; sideways by columns.
test beside-the-view
on a.trc
size 120x40
run stalls ; enter
panes 1
row 50
shows stalls
size 48x24
shows head  DA  EX
run keys 6l
shows cost  head  WB
run keys 6h
shows head  DA  EX

# What a table is sorted by is seen, however little it says.
test the-column-of-the-order
on a.trc
size 60x24
run stalls
shows-not worstrow
run sort by worst
shows worstrow
run sort by squash-refill
shows s-refill
shows-not worstrow

# What is zoomed out is seen from near; the way back leads to the zoom, too.
test stalls-from-afar
on a.trc
run zoom out 5 ; stalls ; enter
shows  1:1
run back ; close panes
shows-not  1:1

# A line of a list ends the selection that it was of: it would reach to there.
test stalls-of-a-part
on a.trc
run select rows ; goto row 20 ; stalls
shows-not a part
run enter ; close panes ; stalls
shows a part

test completion
on a.trc
run keys :got<Tab>
shows :goto
run keys <Esc>:goto pe<Tab>
shows :goto percent
run keys <Esc>:highlight event ca<Tab>
shows :highlight event cache-miss
run keys <Esc>:next stage W<Tab>
shows :next stage WB
run keys <Esc>:toggle leg<Tab>
shows :toggle legend
run keys <Esc>:set wrap o<Tab>
shows :set wrap o
run keys <Esc>:set wrap on ; zoom r<Tab>
shows :set wrap on ; zoom r
run keys <Esc>:bind main x highlight ev<Tab>
shows :bind main x highlight event
run keys <Esc>:keymap kon<Tab>
shows :keymap konata
run keys <Esc>:metric add in-f<Tab>
shows :metric add in-flight
run keys <Esc>:open pane insp<Tab>
shows :open pane inspector
run keys <Esc>:open /dev/nul<Tab>
shows :open /dev/null
run keys <Esc>:highlight <Tab><Tab><Tab>
shows event  fate  here  kind  none  stage
shows :highlight fate
run keys <BackTab>
shows :highlight event
run keys <Space>ca<Tab><Enter>nn
shows row 17 of 200 |

test mouse
on a.trc
run keys <F2>
shows row 0 of 200 |
click 50 6
shows row 3 of 200 |
wheel 50 6
wheel 50 6
wheel 50 6
wheel 50 6
wheel 50 6
shows-not row 3 of 200 |
click-twice 2 6
shows seq |

test columns
on a.trc
shows        1      1004 ldr r4,[r5]           |
run column seq ; column pc
shows-not 1004
shows ldr r4,[r5]  |
run column seq
shows  1 ldr r4,[r5]  |
run column text 6
shows  1 ldr r… |
wrong column nonsense -> mark, row, seq, thread, pc or text

# What is on the title line gives way from the right.
test narrow-titles
on a.trc
size 60x20
shows a.trc  row 0 of 200  cycle 0  1:1
size 20x20
shows row 0 of 200
shows-not cycle 0  1:1
