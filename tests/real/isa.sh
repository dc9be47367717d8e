#!/bin/sh
# The instructions of every real trace: each trace's instruction set is found, and 99 of 100 of its
# distinct texts are read. What the simulators themselves could not disassemble is left out.
. "$srcdir/tests/real/lib.sh"
corpus=tests/unit/test_isa_corpus
[ -x "$corpus" ] || skip "$corpus is not built: cmocka is missing"
need_traces
for packed in "$PIPEGLASS_TRACES"/kanata/*.xz "$PIPEGLASS_TRACES"/o3pipeview/*o3pipeview*.xz; do
	[ -e "$packed" ] || continue
	name=${packed##*/}
	xz -dc "$packed" >"$scratch/traces/${name%.xz}"
done

status=0
for trace in "$scratch"/traces/*; do
	case ${trace##*/} in
	alpha-* | mixed-* | simplescalar-*) isa=alpha ;;
	pisa-*) isa=pisa ;;
	arm*) isa=arm ;;
	gem5-o3pipeview-riscv* | izumi-* | kanata-sample-2*) isa=riscv ;;
	kanata-sample-1*) continue ;; # two lines of no instruction set's
	*) echo "${trace##*/}: which instruction set is it?"; status=1; continue ;;
	esac
	"$PIPEGLASS" rows --json "$trace" | python3 "$here/isa.py" >"$scratch/texts"
	"$corpus" "$isa" "$scratch/texts" >"$scratch/said" || { status=1; echo "FAILED: $trace"; }
	sed "s|$scratch/texts|${trace##*/}|" "$scratch/said"
done
exit $status
