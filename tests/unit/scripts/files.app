test marks-are-kept
config own
on a.trc
run goto row 33 ; mark k ; goto row 34 ; mark l ; unmark l
on b.trc
wrong 'k -> mark k is not set
run goto row 2 ; mark k
on a.trc
run 'k
shows row 33 of 200 |
wrong 'l -> mark l is not set
# "none" neither reads nor writes any of it
config none
on a.trc
wrong 'k -> mark k is not set

test history-is-kept
config own
on a.trc
run keys :goto row 12<Enter>:goto row 13<Enter>/bne<Enter>
on a.trc
run keys :<Up><Up><Enter>
shows row 12 of 200 |
run keys :goto row 1<Up>
shows :goto row 12
run keys <C-c>/<Up><Enter>
shows row 14 of 200 |

test tabs
on a.trc
run open b.trc
shows [2/2] b.trc
shows row 0 of 20 |
run goto last ; tab next
shows [1/2] a.trc
run keys ]
shows row 19 of 20 |
run tab 1 ; hide squashed ; tab 2
shows (18 of 20)
run tab close
shows a.trc
shows-not [1/1]
wrong open /nonexistent/trace -> No such file
run tab close
shows no trace is open
wrong next squash -> no trace is open
wrong goto last -> no trace is open
run keys j
shows no trace is open

# Another pipeline: other cycles, and the cursor at the same instruction.
test pipelines
on samples/fig1.optrace
run wait ; goto row 9
shows row 9 of 10  cycle 24 |
run pipeline 1 1 ; wait
shows row 9 of 10  cycle 9 |
run pipeline 12 4 ; wait
shows row 9 of 10  cycle 28 |
wrong pipeline 0 5 -> two numbers from 1 to 4096
wrong pipeline 5 -> pipeline
# keeps it
run reload ; wait
shows row 9 of 10  cycle 28 |
# its own cycles stay, the pane's do not
on a.trc
run pipeline 8 3 ; open pane reduce ; wait
shows row 0 of |
shows N_E 8  N_S 3 |

test configuration
file mine
# mine
set pan 50
no such
bind main <F9> goto row 5
stage EX E 3
event cache-miss $
metric add squash
end
file itself
source itself
end
config mine
on a.trc
run set pan
shows pan 50
run keys <F9>
shows row 5 of 200 |
run goto row 7
shows FD$ee
shows squash
wrong source mine -> mine:3: no such command: no
wrong source itself -> nested more than

# A line that is no record is no warning, but the pane does not say that all was understood.
test foreign-lines
file foreign.trc
@ 0
+ 0 0x1000 0x0 add r1
* 0 IF 0x0
@ 1
sim: ** simulation statistics **
end
on a.trc
run warnings
shows every line was read
on foreign.trc
run warnings
shows every record was read; 1 line is no record (foreign-lines)

# Tabs of kinds that have nothing in common: each command works in its own, or says why not.
test kinds-side-by-side
file numbers.csv
time,load
0,0
10,1
20,4
30,9
40,16
50,8
60,2
70,15
80,13
90,13
end
on numbers.csv
run open a.trc
run tab 2 ; cpi0 ; reduce ; inspector ; filter ldr
shows row 1 (no. 1 of 50)
run tab 1
shows load
run view both ; tab 2 ; machine next ; metric add cpi0
shows cpi0
run tab 1
shows load
run view resources ; tab 2 ; keys jjhl
run reduce arcs raw ; tab 1
shows load
run close panes ; keys hl+-gGjk
run reload ; tab 2
shows row
run view rows ; set hide-squashed on ; tab 1 ; zoom fit
shows load
run tab 2
wrong compare -> compare needs traces of the same kind
run tab 1
wrong search x -> there is nothing to look for here
shows load

test a-picture-is-what-its-name-says
on a.trc
wrong write pic.png -> png is not written; use svg, html, ansi or txt
wrong write-pane! out/pic.jpeg -> jpeg is not written
