"""Check `pipeglass reduce` on real traces.

* What was executed, and where it went on elsewhere, is worked out here from the raw lines.
* Two machines that ran one program give the same reduction.
* Formula and simulation agree for every pipeline; an optrace is simulated here once more.
* A save file is read again as it was, and two of them add up.
"""

import json
import os
import random
import subprocess
import sys

PIPEGLASS = os.environ["PIPEGLASS"]
checks = failed = 0


def check(what, got, want):
    global checks, failed
    checks += 1
    if got != want:
        failed += 1
        print(f"FAILED: {what}: {got!r}, wanted {want!r}")


def reduce(*args):
    run = subprocess.run([PIPEGLASS, "reduce", "--json", *args], capture_output=True, check=False)
    if run.returncode:
        print(f"FAILED: reduce {args}: {run.stderr.decode()}")
        sys.exit(1)
    return json.loads(run.stdout)


def lives(path):
    """Births in order as (pc, fetched, parent), and fates, by sequence number; parent: of a micro-op."""
    born, fate, decoded, consumed = {}, {}, None, {}
    for line in open(path, "rb"):
        field = line.split()
        if not field:
            continue
        if field[0] == b"@":
            decoded = None
        elif field[0] == b"+" and len(field) >= 3:
            pc = int(field[2], 16)
            born[int(field[1])] = [pc, False, consumed.get(pc)]
        elif field[0] == b"*" and len(field) >= 3 and int(field[1]) in born:
            seq = int(field[1])
            born[seq][1] |= field[2] == b"IF"
            if field[2] == b"CT":
                fate[seq] = "committed"
            elif field[2] == b"DA":
                decoded = seq
        elif field[0] == b"-" and len(field) >= 2 and int(field[1]) in born:
            seq = int(field[1])
            if seq in fate:
                continue
            fate[seq] = "dropped" if decoded == seq else "squashed"
            if decoded == seq:  # micro-ops that follow with its address are its own
                consumed[born[seq][0]] = seq
    return born, fate


def program(path):
    """Addresses in program order: macro-instructions once, those cut by a squash not at all."""
    born, fate = lives(path)
    parts = {}
    for seq, (_, fetched, parent) in born.items():
        if not fetched and parent is not None:
            parts.setdefault(parent, []).append(fate.get(seq))

    def executed(seq):
        own = parts.get(seq, ())
        return fate.get(seq) == "committed" or ("committed" in own and "squashed" not in own)

    return [born[seq][0] for seq in sorted(born) if born[seq][1] and executed(seq)]


def simulate(ops, execute, setup):
    """t[i] = max(t[i-1] + (target ? setup : 1), t[r] + execute), the formula's own reading."""
    writer, t, target = {}, 0, False
    for i, (taken, self_, sources, sinks) in enumerate(ops):
        t = t + (setup if target else 1) if i else 1
        for s in sources:
            if s in writer:
                t = max(t, writer[s] + execute)
        if self_:
            t += execute
        for s in sinks:  # of a branch that computes its condition, there when that is resolved
            writer[s] = t - execute if self_ else t
        target = taken
    return t


def made_optrace(path, seed):
    rng = random.Random(seed)
    ops = []
    with open(path, "w", encoding="ascii") as out:
        out.write("optrace 1\n# made\n")
        for i in range(400):
            taken, self_ = rng.random() < 0.2, rng.random() < 0.05
            sources = sorted({f"r{rng.randrange(6)}" for _ in range(rng.randrange(3))})
            sinks = [f"r{rng.randrange(6)}"] if rng.random() < 0.7 else []
            ops.append((taken, self_, sources, sinks))
            flags = ("t" if taken else "") + ("s" if self_ else "") or "-"
            out.write(f"{4096 + 4 * i:x} {flags} {','.join(sources) or '-'} {','.join(sinks) or '-'}\n")
    return ops


def check_grid(what, r):
    for point in r["grid"]:
        check(f"{what} {point['ne']},{point['ns']}", point["simulated"], point["cycles"])
        parts = point["flush"] + point["data"] + point["stack"] + point["self"]
        check(f"{what} parts", r["instructions"] + parts, point["cycles"])


def check_trace(path):
    name = os.path.basename(path)
    r = reduce(path)
    check_grid(name, r)
    check(f"{name} unread", r["unread"], 0)
    check(f"{name} redirects", r["redirects"], 0)
    for d in r["dearest"]:
        if d["saved"] is not None:
            check(f"{name} {d['pc']} saves no more than it costs", d["saved"] <= d["cycles"], True)
    if name.startswith(("alpha-math-def.", "alpha-lswlr", "alpha-math-n1", "arm-own")):
        pcs = program(path)
        check(f"{name} instructions", r["instructions"] - r["nops"], len(pcs))
        jumps = sum(b != a + 4 for a, b in zip(pcs, pcs[1:]))
        check(f"{name} targets at most where pcs jump", r["targets"] <= jumps + r["nops"] + r["targets"] // 20, True)
        if not r["nops"]:
            check(f"{name} targets at least where pcs jump", r["targets"] >= jumps, True)
    return r


def check_optraces(scratch):
    for seed in range(20):
        path = os.path.join(scratch, "made.optrace")
        ops = made_optrace(path, seed)
        r = reduce("--ne", "1,2,5,8", "--ns", "1,3,6", path)
        check_grid(f"made {seed}", r)
        for point in r["grid"]:
            check(f"made {seed} {point['ne']},{point['ns']}", simulate(ops, point["ne"], point["ns"]), point["cycles"])


def check_save_files(scratch, trace, whole):
    saved = os.path.join(scratch, "saved.stats")
    reduce("--save", saved, trace)
    again = reduce(saved)
    for key in ("instructions", "targets", "self_resolving", "arcs", "chains", "histogram", "stacks"):
        check(f"saved {key}", again[key], whole[key])
    for a, b in zip(again["grid"], whole["grid"]):
        check("saved grid", dict(a, simulated=0), dict(b, simulated=0))
    three = reduce(saved, f"{saved}=2")
    check("weights", [p["cycles"] for p in three["grid"]], [3 * p["cycles"] for p in whole["grid"]])


def main():
    scratch, samples, *traces = sys.argv[1:]
    results = {}
    for path in traces:
        if "mixed" not in path:
            results[os.path.basename(path).split(".")[0]] = check_trace(path)
    parts = ("instructions", "targets", "self_resolving", "arcs", "chains", "histogram", "stacks", "grid")
    for a, b in (("whole-alpha-math-def", "whole-alpha-math-n1"), ("alpha-lswlr-def", "alpha-lswlr-bugcompat")):
        for key in parts:
            check(f"{a} and {b}: {key}", results[a][key], results[b][key])
    check_optraces(scratch)
    check_save_files(scratch, traces[0], results[os.path.basename(traces[0]).split(".")[0]])
    eigen = reduce("--ne", "2", "--ns", "1", os.path.join(samples, "eigen.stats"))
    check("EIGEN (2,1)", eigen["grid"][0]["data"], 28609)
    print(f"{checks} checks, {failed} failed")
    sys.exit(failed > 0)


main()
