"""Check `pipeglass why` on real traces.

* The evaluation gives every observed time back, and the causes add up to the cycles, of the whole
  trace and of a range; what is not explained stays below a limit of each trace.
* Cycles, widths and the window are worked out here once more from the rows.
* A trace that is cut does not show a larger window; where it starts late is no cycle for the others.
* A row without its result says nothing of how long its operation takes.
* What causes save is compared with runs of the same program without them (truth-*.json).
"""

import collections
import json
import os
import subprocess
import sys
import tempfile

PIPEGLASS = os.environ["PIPEGLASS"]
checks = failed = 0

# share of the run, in percent, that the trace does not explain: at most
RESIDUES = {
    "alpha-lswlr-bugcompat.stock.trc": 3,
    "alpha-lswlr-def.stock.trc": 3,
    "alpha-math-def-cyc5000-8000.stock.trc": 2,
    "alpha-math-def.stock.trc": 3,
    "alpha-math-n1.stock.trc": 9,
    "arm-lswlr-def.gpv.trc": 7,
    "arm-own-list-m4.gpv.trc": 15,
    "arm-own-matmul-blocked-def.gpv.trc": 57,  # decode makes micro-ops at its own pace
    "arm-own-matmul-naive-def.gpv.trc": 57,
    "arm2007-printf-aborted.gpv.trc": 4,
    "pisa-lswlr-n1.stock.trc": 16,
    "mixed-stdout.stock.txt": 2,
    "simplescalar-fmathm.trc": 2,
    "simplescalar-lswlr.trc": 3,
    "izumi-sargantana-add_output.kanata": 50,  # no marks in Kanata: misses are fetch
    "kanata-sample-1.log": 1,
    "kanata-sample-2.log": 61,
    "simplescalar-ooo_Jacky1998Hung.kanata": 77,
    "series-leaf-edge.kanata": 100,  # random
    "gem5-o3pipeview-riscv_songclei.out": 88,  # cold caches
    "why-core1.kanata": 10,
    "why-core3.kanata": 13,
    "why-core5.kanata": 1,
    "why-core6.kanata": 1,
    "why-core8.kanata": 11,
}

# percent of the run that a prediction may be (below, above) the truth
CORE = {"branch": (2.5, 2.5), "dcache": (2.5, 2.5), "window": (2.5, 2.5), "queue": (2.5, 2.5)}
SIMPLESCALAR = {
    "dcache": (2, 2),
    "icache": (2, 2),
    "window": (2, 2),
    "branch": (2, 3),
    "dcache+branch": (2, 5.5),
    "window+branch": (2, 5.5),
}


def check(what, got, want):
    global checks, failed
    checks += 1
    if got != want:
        failed += 1
        print(f"FAILED: {what}: {got!r}, wanted {want!r}")


def within(what, got, low, high):
    global checks, failed
    checks += 1
    if not low <= got <= high:
        failed += 1
        print(f"FAILED: {what}: {got}, wanted {low} to {high}")


def ask(command, path, *args):
    """args: options, or a second trace."""
    run = subprocess.run([PIPEGLASS, command, "--json", path, *args], capture_output=True, check=False)
    if run.returncode:
        print(f"FAILED: {command} {args} {path}: {run.stderr.decode()}")
        sys.exit(1)
    return json.loads(run.stdout)


def adds_up(name, answer):
    check(f"{name}: times given back", answer["differences"], 0)
    check(f"{name}: causes", sum(c["cycles"] for c in answer["causes"]), answer["cycles"])
    check(f"{name}: pcs", sum(p["cycles"] for p in answer["pcs"]), answer["cycles"])
    for pc in answer["pcs"]:
        check(f"{name}: {pc['pc']}", sum(pc["causes"].values()), pc["cycles"])


def set_as_it_was(name, path, answer):
    """A machine with all sizes that were reached as they were seen takes as long."""
    seen = [f"{p['name']}={p['value']}" for p in answer["parameters"] if p["reached"] and "(" not in p["name"]]
    if seen:
        check(f"{name}: as it was", ask("why", path, "--set", ",".join(seen))["without"][0]["saved"], 0)


def starts(path):
    """Of rows in the order of the trace: fate, and the first start of each stage; and the first tick."""
    rows = []
    for row in ask("rows", path)["rows"]:
        stages = {}
        for stage in row["stages"]:
            stages.setdefault(stage["name"], stage["start"])
        rows.append((row["fate"], stages, row["end"]))
    return rows, ask("info", path)["first"]


def most(ticks):
    return max(collections.Counter(ticks).values())


def held(rows, enter, leave):
    """The most rows that were in a structure at the entry of one, itself included."""
    spans = [(s[enter], s.get(leave, end)) for _, s, end in rows if enter in s and s.get(leave, end) is not None]
    changes = collections.Counter()
    for begin, end in spans:
        changes[begin] += 1
        changes[max(end, begin)] -= 1
    inside = peak = 0
    for tick in sorted(changes):
        inside += changes[tick]
        peak = max(peak, inside)
    return peak


def core(name, path, answer):
    """A machine with five stages of its own, seen once more."""
    rows, first = starts(path)
    seen = {p["name"]: p["value"] for p in answer["parameters"]}
    committed = [s for fate, s, _ in rows if fate == "committed"]
    check(f"{name}: cycles", answer["cycles"], max(s["C"] for s in committed) - first)
    check(f"{name}: committed", answer["committed"], len(committed))
    check(f"{name}: fetch-width", seen["fetch-width"], most(s["F"] for _, s, _ in rows))
    check(f"{name}: issue-width", seen["issue-width"], most(s["X"] for _, s, _ in rows if "X" in s))
    check(f"{name}: commit-width", seen["commit-width"], most(s["C"] for s in committed))
    check(f"{name}: depth", seen["depth"], min(s["D"] - s["F"] for s in committed))
    check(f"{name}: window", seen["window"], held(rows, "D", "C"))


def cut(name, path, answer):
    """Wherever it is cut, mostly in the middle of a cycle, the window is not larger."""
    seen = {p["name"]: p["value"] for p in answer["parameters"]}
    with open(path, "rb") as whole, tempfile.NamedTemporaryFile(suffix=".kanata") as part:
        text = whole.read()
        for length in range(len(text) // 21, len(text), len(text) // 21 + 37):
            part.seek(0)
            part.truncate()
            part.write(text[:length])
            part.flush()
            for p in ask("why", part.name, "--no-cache")["parameters"]:
                if p["name"] == "window":
                    within(f"{name} up to {length}: window", p["value"], 1, seen["window"])


def changed(lines):
    """What is told of a trace of these lines."""
    with tempfile.NamedTemporaryFile(suffix=".trc") as part:
        part.writelines(lines)
        part.flush()
        return ask("why", part.name, "--no-cache")


def started_late(name, path):
    """Cut in the middle of a cycle it explains as much as one that is cut between two."""
    with open(path, "rb") as whole:
        lines = whole.readlines()
    cycles = [i for i, line in enumerate(lines) if line.startswith(b"@")]
    for start in cycles[len(cycles) // 4 :: len(cycles) // 4][:3]:
        clean, torn = changed(lines[start:]), changed(lines[start - 2 :])
        within(f"{name} from line {start}: residue share", torn["residue_share"] - clean["residue_share"], -0.02, 0.02)


def unfinished(name, path, answer):
    """The result of one load of many is not there."""
    with open(path, "rb") as whole:
        lines = whole.readlines()
    load = next(line.split()[1] for line in lines if line.startswith(b"L") and b" ld" in line)
    part = changed([line for line in lines if line.split()[:2] != [b"S", load] or line.split()[3:] != [b"W"]])
    check(f"{name}: one result less", [p for p in part["parameters"] if "ld" in p["name"]],
          [p for p in answer["parameters"] if "ld" in p["name"]])


def named(name, path, answer):
    """Named as they were found, stages make no difference; without issue and result less is explained."""
    for stages, same in (("F,D,X,W,C", True), ("F,D,-,-,C", False)):
        other = ask("why", path, "--stages", stages)
        check(f"{name}: {stages}", other["causes"] == answer["causes"], same)
        adds_up(f"{name}: {stages}", other)
    for wrong in ("F,D,X,W", "F,D,X,W,Nowhere", "F,D,X,W,C,C", ""):
        run = subprocess.run([PIPEGLASS, "why", "--stages", wrong, path], capture_output=True, check=False)
        check(f"{name}: --stages {wrong!r}", run.returncode, 2 if wrong else 0)


def truths(folder):
    for name in ("truth-core.json", "truth-simplescalar.json"):
        with open(os.path.join(folder, name), encoding="utf-8") as text:
            yield from json.load(text).items()


def bound(pair, answer, saved):
    """Mispredictions; or a structure was larger, and another one, never seen full, may be next."""
    places = {"window": {"window", "lsq"}, "queue": {"queue", "float-queue", "buffer"}}
    larger = set().union(*(places.get(cause, set()) for cause in pair.split("+")))
    others = {"window", "lsq", "queue", "float-queue"} - larger
    open_ended = any(p["name"] in others and not p["reached"] for p in answer["parameters"])
    return "upper" if "branch" in pair or (larger and open_ended and saved > 0) else None


def compare(name, path, truth, bounds):
    pairs = [w for w in truth["without"] if w in bounds or (bounds is CORE and "icache" not in w)]
    args = [word for pair in pairs for word in ("--without", pair.replace("+", ","))]
    answer = ask("why", path, *args)
    for pair, whatif in zip(pairs, answer["without"], strict=True):
        saved = truth["base"] - truth["without"][pair]
        error = (whatif["saved"] - saved) / truth["base"] * 100
        below, above = bounds.get(pair, (2.5, 2.5))
        within(f"{name} without {pair}: error in percent of the run", error, -below, above)
        check(f"{name} without {pair}: bound", whatif["bound"], bound(pair, answer, whatif["saved"]))


def two_runs(a, b):
    """By cause, by pc, and by cause within a pc, differences add up to the difference in cycles."""
    cycles = [ask("why", path)["cycles"] for path in (a, b)]
    answer = ask("why", a, b)
    name = " ".join(os.path.basename(path) for path in (a, b))
    check(f"{name}: cycles", [answer[side]["cycles"] for side in "ab"], cycles)
    for key in ("differences", "pcs"):
        for side, wanted in zip(("a", "b", "delta"), (*cycles, cycles[1] - cycles[0]), strict=True):
            check(f"{name}: {key}: {side}", sum(line[side] for line in answer[key]), wanted)
    for pc in answer["pcs"]:
        check(f"{name}: {pc['pc']}: causes", sum((pc["causes"] or {}).values()), pc["delta"])
    sizes = [abs(d["delta"]) for d in answer["differences"]]
    check(f"{name}: greatest first", sizes, sorted(sizes, reverse=True))
    check(f"{name}: compare", ask("compare", a, b)["differences"], answer["differences"])


def over_time(name, path):
    """Of each bin, shares add up to 1, and a cause's to its cycles."""
    answer = ask("why", path)
    first, cycles = ask("info", path)["first"], answer["cycles"]
    ends = ("--from", str(first), "--to", str(first + cycles))
    for bins in (1, 7, 1000):
        series = ask("series", path, "--metric", "why", "--bins", str(bins), *ends)
        for cause in answer["causes"]:
            shares = series["causes"].get(cause["name"], [0])
            within(f"{name}: {bins} bins: {cause['name']}", sum(shares) * cycles / bins - cause["cycles"], -1e-6, 1e-6)
        sums = [sum(shares) for shares in zip(*series["causes"].values(), strict=True)]
        within(f"{name}: {bins} bins: sums", max(abs(s - 1) for s in sums), 0, 1e-9)
        top = [max(shares) for shares in zip(*series["causes"].values(), strict=True)]
        check(f"{name}: {bins} bins: values", series["values"], top)
        one = ask("series", path, "--metric", "why:execute", "--bins", str(bins), *ends)
        check(f"{name}: {bins} bins: execute", one["values"], series["causes"]["execute"])


def main():
    folder, paths = sys.argv[1], sys.argv[2:]
    of = {os.path.basename(path).removeprefix("why-"): path for path in paths}
    for name, path in of.items():
        if name not in RESIDUES:
            continue
        answer = ask("why", path)
        adds_up(name, answer)
        set_as_it_was(name, path, answer)
        within(f"{name}: residue share", 100 * answer["residue_share"], 0, RESIDUES[name])
        if name.startswith("why-core"):
            core(name, path, answer)
            cut(name, path, answer)
            unfinished(name, path, answer)
            named(name, path, answer)
        elif name.startswith("simplescalar-") and name.endswith(".trc"):
            started_late(name, path)
    part = ask("why", of["simplescalar-lswlr.trc"], "--from", "5000", "--to", "6000")
    adds_up("a range", part)
    within("a range: cycles", part["cycles"], 900, 1200)
    whole = ask("why", of["simplescalar-lswlr.trc"])
    check("a range: parameters", part["parameters"], whole["parameters"])
    check("a range: rules", part["rules"], whole["rules"])
    for cause in part["causes"]:
        within(f"a range: {cause['name']}", cause["saved"] or 0, 0, part["cycles"])
    for name, truth in truths(folder):
        compare(name, of[name], truth, CORE if name.startswith("why-core") else SIMPLESCALAR)
    for a, b in (
        ("why-core5.kanata", "why-core8.kanata"),
        ("simplescalar-lswlr.trc", "simplescalar-fmathm.trc"),
        ("kanata-sample-1.log", "kanata-sample-2.log"),
        ("alpha-lswlr-def.stock.trc", "alpha-lswlr-bugcompat.stock.trc"),
    ):
        two_runs(of[a], of[b])
    for name in ("why-core5.kanata", "simplescalar-lswlr.trc"):
        over_time(name, of[name])
    print(f"{checks} checks, {failed} failed")
    return 1 if failed or not checks else 0


sys.exit(main())
