#!/bin/sh
# Real traces cut off at a random byte: everything before the cut is still told right.
. "$srcdir/tests/real/lib.sh"
need_traces
mkdir "$scratch/cut"
python3 - "$scratch/cut" "$scratch"/traces/*lswlr* "$scratch"/traces/arm2007* <<'EOT'
import os, random, sys
rng = random.Random(2024)
for path in sys.argv[2:]:
    with open(path, "rb") as f:
        text = f.read()
    for i in range(6):
        at = rng.randrange(len(text) // 3, len(text))
        name = f"{os.path.basename(path)}.{at}"
        with open(os.path.join(sys.argv[1], name), "wb") as f:
            f.write(text[:at])
EOT
python3 "$here/lives.py" "$scratch"/cut/*
