#!/bin/sh
# The instructions of every real trace: each trace's instruction set is found, and 99 of 100 of its
# distinct texts are read. What the simulators themselves could not disassemble is left out.
. "$srcdir/tests/real/lib.sh"
corpus=tests/unit/test_isa_corpus
[ -x "$corpus" ] || skip "$corpus is not built: cmocka is missing"
need_traces 'pipetrace/*' 'kanata/*' 'o3pipeview/*-o3pipeview-*'

status=0
for trace in $traces; do
	name=${trace##*/}
	case $name in
	alpha-* | mixed-* | simplescalar-*) isa=alpha ;;
	pisa-*) isa=pisa ;;
	arm*) isa=arm ;;
	gem5-o3pipeview-riscv* | izumi-* | kanata-sample-2*) isa=riscv ;;
	kanata-sample-1* | series-leaf-edge*) continue ;; # made by hand, of no instruction set
	*) echo "$name: which instruction set is it?"; status=1; continue ;;
	esac
	"$PIPEGLASS" stalls --json --limit 1000000 "$trace" | python3 "$here/isa.py" >"$scratch/texts"
	"$corpus" "$isa" "$scratch/texts" >"$scratch/said" || { status=1; echo "FAILED: $trace"; }
	sed "s|$scratch/texts|$name|" "$scratch/said"
done
exit $status
