#!/bin/sh
# A command that is right but finds nothing is a message: exit status 0, the screen is drawn with it,
# and stderr has it in one line. What no trace could have is wrong usage: 2, and no screen.
set -u
srcdir=$(cd "$srcdir" && pwd) || exit 99
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trace=$srcdir/samples/sort-4wide.trc.gz
failed=0 count=0

check() # option, argument, status, message, lines of stderr
{
	count=$((count + 1))
	"$PIPEGLASS" screen --no-cache -g 100x12 "$1" "$2" "$trace" >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
	if [ "$status" -ne "$3" ] || ! grep -qF -e "$4" "$scratch/err" ||
		[ "$(wc -l <"$scratch/err")" -ne "$5" ]; then
		echo "FAILED: $2: status $status, not $3 with '$4': $(cat "$scratch/err")"
		failed=$((failed + 1))
	elif [ "$3" -eq 0 ] && ! tail -n 1 "$scratch/out" | grep -qF -e "$4"; then
		echo "FAILED: $2: no '$4' on the screen: $(tail -n 1 "$scratch/out")"
		failed=$((failed + 1))
	elif [ "$3" -ne 0 ] && [ -s "$scratch/out" ]; then
		echo "FAILED: $2: a screen although the status is $status"
		failed=$((failed + 1))
	fi
}

while IFS='|' read -r status command message; do
	check -c "$command" "$status" "$message" 1
	[ "$status" -ne 0 ] || grep -qF -e "pipeglass: $command: " "$scratch/err" ||
		{ echo "FAILED: stderr does not name '$command'"; failed=$((failed + 1)); }
	# a script that meets the same says where, and goes on
	printf '# a comment\n%s\n' "$command" >"$scratch/script"
	check --script "$scratch/script" "$status" "script:2: $message" 1
done <<'TABLE'
0|goto row 99999|no row 99999 (there are 4 278)
0|goto cycle 9999999|the trace has cycles 0 to 1 745
0|goto 9999999|the trace has cycles 0 to 1 745
0|goto pc 0xdead|not found: pc 0xdead
0|goto 0xdead|not found: pc 0xdead
0|goto seq 99999999|no instruction #99999999
0|goto #99999999|no instruction #99999999
0|goto mark z|mark z is not set
0|goto 'z|mark z is not set
0|unmark z|mark z is not set
0|back|no older place
0|forward|no newer place
0|search no such text|not found: /no such text/
0|search-back no such text|not found: /no such text/
0|search-text no such text|not found: text /no such text/
0|next fate unknown|not found: unknown row
0|next stay 100000|not found: stay of 100 000 cycles or more
0|prev stay 100000|not found: stay of 100 000 cycles or more
0|next gap 100000|not found: gap of 100 000 cycles or more
0|next|nothing to look for
0|filter no such text|no row matches /no such text/
0|filter component nosuch|no stage or component matches nosuch
0|tab 9|there is 1 tab
2|goto row -1|row numbers start at 0
2|goto row x|not a number: x
2|goto percent 101|a percentage must be from 0 to 100
2|goto percent 50%%|not a percentage: 50%%
2|goto percent|how many percent
2|goto 101%|a percentage must be from 0 to 100
2|goto pc xyz|not a hexadecimal address: xyz
2|goto mark zz|a mark must be
2|unmark zz|a mark must be
2|next event nosuch|no such event: nosuch
2|next stage nosuch|no such stage: nosuch
2|next fate nosuch|no such fate: nosuch
2|highlight event nosuch|no such event: nosuch
2|metric add nosuch|the trace has no metric nosuch
2|search (|bad regular expression
2|nosuch|no such command: nosuch
TABLE

# Each step is told, and those after it are run.
count=$((count + 1))
if ! "$PIPEGLASS" screen --no-cache -g 100x12 -c 'goto row 99999' -c 'search no such' \
	-c 'goto row 1084' "$trace" >"$scratch/out" 2>"$scratch/err" </dev/null || [ "$(wc -l <"$scratch/err")" -ne 2 ] ||
	! head -n 1 "$scratch/out" | grep -qF 'row 1 084 of'; then
	echo "FAILED: steps after one that finds nothing: $(cat "$scratch/err")"
	failed=$((failed + 1))
fi
echo "$count calls, $failed failed"
[ "$failed" -eq 0 ]
