test inspector
file load.trc
@ 4
+ 4711 0x120007a8c 0x00000000 ldq r1,0(r19)
* 4711 IF 0x001 3 0x001
@ 6
+ 4712 0x120007a90 0x00000000 unrelated
* 4712 IF 0x000
+ 4713 0x120007a8c 0x00000000 [internal ld/st]
* 4713 DA 0x000
* 4711 DA 0x000
@ 9
* 4711 EX 0x003 30 0x001
@ 20
- 4711
@ 22
* 4712 DA 0x000
* 4712 CT 0x001 0 0x001
- 4712
end
on load.trc
size 120x50
run inspector
shows seq 4711
shows ldq r1,0(r19)
shows 0x120007a8c
shows squashed: removed before commit
shows byte 4, line 2
shows cycle 4 to 20, 16 cycles
shows micro-op     seq 4713 [internal ld/st] (row 2)
shows  F  IF    4        2  fetch
shows  X  EX    9       11  issue
shows cache-miss, latency 3 before the fetch
shows cache-miss, latency 30 as predicted on
shows tlb-miss: TLB miss
shows + 4711 0x120007a8c
shows * 4711 EX 0x003 30 0x001
# its lines lead to where they are of
run search  EX  ; enter
row 0
tick 9
run inspector ; search internal ; enter
row 2
run inspector ; search micro-op of ; enter
row 0
# a moment has no latency
run close panes ; goto row 1 ; inspector
shows  *  cache-miss
shows-not , latency

test legend
on load.trc
size 120x50
run legend
shows stages                     entries      cycles\n
shows  D  DA                           3          20\n
shows  X  EX                           1          11\n
shows  *  cache-miss                   3          11\n
shows  ×  squashed
# where it is narrow the numbers stay
size 60x40
shows  X  EX        1     11
shows-not executing
size 120x50
# Enter highlights what a line is of
shows tlb-miss
run search tlb-miss ; enter ; close panes ; next
shows 1 of 1 row: event tlb-miss
run legend
shows in-flight
run search in-flight ; enter ; close panes ; next
shows 1 of 1: in-flight row

# Rows 0 and 1 in the cycles 5 to 11.
test counts-in-a-range
on load.trc
size 120x50
run goto row 0 ; goto cycle 5 ; select ; move down ; move right 6
run legend
shows legend: rows 0..1, cycle 5..11
# the miss in IF at tick 4 is before the range, the stay reaches in by one tick
shows  *  cache-miss                   1          30\n
shows  F  IF                           1           7\n
shows  D  DA                           1           3\n
shows  X  EX                           1           3\n

test info
on load.trc
size 120x50
run info
shows cycle 4 to 22
shows cache-miss              1      3
shows micro-ops                 1

test warnings
file wrong.trc
@ 4
+ 1 0x10 0x0 one
* 1 IF 0x0
@ 5
+ 2 0x14 0x0 two
* 2 IF 0x0
* 99 DA 0x0
@ 3
+ 3 0x18 0x0 three
end
on load.trc
run warnings
shows every line was read
on wrong.trc
run warnings
shows line           8  cycle number goes backward
run goto row 3 ; warnings ; enter
row 3

test enter-on-a-hint-without-a-place-says-so
on a.trc
run hints
run keys G
run enter
shows this line is about no single place
