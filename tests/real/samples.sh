#!/bin/sh
# The sample core: does it compute right, are the bundled samples its own, does pipeglass count the same?
. "$srcdir/tests/real/lib.sh"
"$srcdir/samples/check.sh" "$SAMPLECORE"
python3 "$here/samples.py" "$scratch"
