# Of 400: 200 of memory, 200 integers.
test the-numbers
on loop.trc
run cpi0
# nobody said what ran it
shows assumes r10000; press > to choose your machine
shows If r10000 ran it:
size 120x60
shows-not branch-rate
shows Choose the machine that ran it
size 100x24
run machine r10000
shows r10000: 4 dispatched a cycle, 32 in flight (in queues)
shows 400 instructions, Alpha
shows CPI0 0.5000: limited by m, the memory queue: |
shows 0.5000 of the instructions, 1 a cycle leaves it
shows   i at 50 %; with one more a cycle: 0.2500
shows <-  m          0.5000
size 110x60
shows first to fill: m, in cycle 16
shows measured 1.00
shows d  dispatch         0.2500
shows q  queue            0.2500
shows the mix: A memory 0.50, integer 0.50, rest 0.00
shows branch-rate   ok         0.0000

test of-a-selection
on loop.trc
run cpi0
run close pane
run goto row 20
run select rows
run move down 39
run cpi0
shows CPI0: rows 20..59
shows 40 instructions
# three of four
shows CPI0 0.7500: limited by m
# it follows
run close pane
run escape
run goto row 300
run select rows
run move down 39
run cpi0
shows CPI0: rows 300..339
shows CPI0 0.3750: limited by i, the integer queue

test two-runs
on loop.trc
run cpi0
run close pane
run open a.trc
run cpi0
shows A loop.trc: 400 instructions
shows B a.trc: |
shows p A     p B
size 120x60
shows ; B memory |
run close pane
# a third one: which two?
run open b.trc
run cpi0
size 100x20
shows-not p B
run compare 1
run cpi0
shows A b.trc: |
shows B loop.trc: 400 instructions

# The pane stays when what it shows is compared, and has both.
test compared-while-it-is-open
on loop.trc
run cpi0
shows-not p B
run compare a.trc
shows A loop.trc: 400 instructions
shows B a.trc: |
shows p A     p B
shows-not diagnosing

# What is selected in one of two that are compared is diagnosed in both.
test the-same-stretch-of-two
on loop.trc
run compare again.trc
run goto row 20
run select rows
run move down 39
run cpi0
shows A loop.trc: 40 instructions, Alpha, selected
shows B again.trc: 40 instructions, Alpha, the same stretch
run close pane
run escape
run select cycles
run move down 99
run cpi0
shows  instructions, Alpha, the same stretch
shows-not B again.trc: 401 instructions
size 120x60
run machine r10000
shows measured A 1.0000, B 1.0000
# not the rows of those numbers: there is one more before the loop
run close pane
run escape
run goto row 203
run select rows
run cpi0
shows A memory 1.00, integer 0.00
shows B memory 1.00, integer 0.00
# whose own selection comes first
run close pane
run compare switch
run goto row 300
run select rows
run move down 19
run cpi0
size 100x20
shows B again.trc: 20 instructions, Alpha, selected

# What is selected has no partner in the other one: that one has no diagnosis, and is named.
test a-stretch-of-one-only
on again.trc
run compare loop.trc
run goto row 0
run select rows
run cpi0
size 120x60
shows A again.trc: 1 instruction, Alpha, selected
shows B: no instruction there is to diagnose
size 100x20
# not in the title, where it has no room
shows-not   no instruction there is

# Of both on one axis: the names tell them apart, each has its own windows.
test the-curves-of-two
on loop.trc
run compare loop.trc
run goto cycle 100
run compare curves cpi0
shows A m
shows B m
run goto cycle 350
shows A i
shows B i

test the-curve-after-a-reload
on loop.trc
run metric add cpi0
run cpi0
run close pane
run goto cycle 100
shows cpi0 m
run reload
run goto cycle 100
shows cpi0 m

# A cell at its top, two more a line, a letter for each limit; the run where its mix is.
test the-triangle
on loop.trc
run machine r10000
run cpi0
size 110x60
shows prediction    not known |
shows   fiiiimmmmmA\n
shows   fffffffmmmmmmmmmmmmmm
# only integers are bounded by their queue, as by dispatch
run machine simplescalar
shows   i\n
shows   DDD\n
shows   fDDDDDDDDDA\n
run machine r10000
shows i integer

test machines-in-turn
on loop.trc
run cpi0
run keys >
shows samplecore-2wide: 2 dispatched a cycle, 24 in flight
shows-not assumes
shows CPI0 0.5000: limited by mem and dispatch alike
run keys <Lt><Lt>
shows neoverse-n1: 4 dispatched a cycle, 128 in flight
# round and round
run keys <Lt>
shows zen2: 6 dispatched a cycle, 224 in flight
# asks
run keys m
shows :machine

test a-machine-by-name-or-file
file tiny.machine
machine tiny
dispatch 1/2
in-flight 8
queue m
rate 1
takes load store
queue i
rate 1
takes integer
end
file broken.machine
machine broken
dispatch 0
end
on loop.trc
run cpi0
run machine simplescalar
shows simplescalar: 4 dispatched a cycle, 16 in flight
run machine tiny.machine
shows tiny: 0.5 dispatched a cycle, 8 in flight
shows CPI0 2.0000: limited by dispatch: 0.5 a cycle, and no queue grows
size 120x60
shows negative: the trace's machine is wider or holds more, or this part is short
wrong machine martian -> 'martian' is no file, nor shipped: neoverse-n1, r10000
wrong machine broken.machine -> broken.machine:2:
# that one stays
shows tiny: 0.5 dispatched
# from one that is not shipped
run machine next
shows neoverse-n1

# A file of commands may say it, where there is no trace.
test without-a-trace
on
wrong cpi0 -> no trace is open
run machine skylake
run keys :machine samplecore<Tab>
shows samplecore-2wide  samplecore-4wide
run keys <Esc>
run open loop.trc ; cpi0
shows skylake: |

test in-ascii
on loop.trc
ascii
run metric add cpi0
run view both
run cpi0
size 80x60
only-ascii

test no-instruction-there
file none.trc
@ 0
+ 0 0x1000 0x0 addq r1,r2,r3
* 0 IF 0x0
@ 1
* 0 DA 0x0
end
on none.trc
run cpi0
shows no instruction there is to diagnose

# Windows of 64 cycles: the first three are of the first half, which is 200 cycles long.
test the-curve
on loop.trc
run metric add cpi0
wrong metric add cpi0 -> shown already
run goto cycle 100
shows cpi0 m
shows 0.750
run goto cycle 350
shows cpi0 i
shows 0.375
run machine samplecore-2wide
shows cpi0 D
shows 0.500
run machine r10000
run zoom fit
run view resources
run curve select cpi0
shows peaks are means over about 64 cycles
# its letter, before its bars
shows m▇
run metric hide cpi0
shows-not peaks are means
run metric remove cpi0
shows-not cpi0
