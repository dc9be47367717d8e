"""Run pipeglass and compare what it says; the shared half of the tests of this folder."""

import gc
import json
import os
import subprocess
import sys

gc.disable()  # a trace and its answers are millions of objects, needed to the end

PIPEGLASS = os.environ["PIPEGLASS"]
TIMEOUT = int(os.environ.get("PIPEGLASS_TIMEOUT", "300"))

failures = 0


def fail(what):
    global failures
    failures += 1
    if failures <= 40:
        print("FAILED:", what, flush=True)


def same(what, got, want):
    if got != want:
        got, want = repr(got), repr(want)
        at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
        at = max(0, at - 60)
        fail(f"{what}:\n    got  ...{got[at:at + 200]}\n    want ...{want[at:at + 200]}")
        return False
    return True


def close(what, got, want, tolerance=1e-9):
    """Lists of numbers and None."""
    if len(got) != len(want):
        return same(what + " (length)", len(got), len(want))
    for i, (g, w) in enumerate(zip(got, want)):
        if (g is None) != (w is None) or (w is not None and abs(g - w) > tolerance * max(1.0, abs(w))):
            fail(f"{what}: value {i} of {len(want)}: got {g}, want {w}")
            return False
    return True


class Run:
    def __init__(self, *args, stdin=None, env=None, timeout=TIMEOUT, preexec=None, program=PIPEGLASS):
        self.args = args
        done = subprocess.run(
            [program, *map(str, args)],
            stdin=stdin if stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
            timeout=timeout,
            preexec_fn=preexec,
        )
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr

    def __str__(self):
        return f"pipeglass {' '.join(map(str, self.args))} [{self.status}] {self.err[:300]!r}"


def ask(*args, **kw):
    """The JSON object that a batch command answers with; {} after a failure."""
    run = Run(*args, "--json", **kw)
    if run.status != 0:
        fail(f"{run}: status {run.status}")
        return {}
    try:
        return json.loads(run.out.decode("utf-8"))
    except ValueError as e:
        fail(f"{run}: no JSON: {e}")
        return {}


def finish():
    print(f"{failures} differences" if failures else "all the same")
    sys.exit(1 if failures else 0)
