#!/bin/sh
# The sample core: does it compute right, are the bundled samples its own, does pipeglass count the same,
# and foretell what it does without a cause?
. "$srcdir/tests/real/lib.sh"
"$srcdir/samples/check.sh" "$SAMPLECORE"
python3 "$here/samples.py" "$scratch"
python3 "$here/samples_why.py" "$scratch"
