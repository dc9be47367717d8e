"""Check `pipeglass cpi0`.

* On the bundled traces the queue with the greatest bound is the one whose units the sample core
  counted as full in most cycles, and the mix is the one it counted.
* Formula and simulated machine are worked out here once more, in fractions, from `rows`.
* Real traces are diagnosed, whole and in ranges, quickly.
* What is wrong is one line and the right status.
"""

import json
import os
import re
import sys
from collections import Counter, deque
from fractions import Fraction

import check

SAMPLES = "daxpy-4wide list-2wide matmul-4wide matmul-blocked-4wide sort-2wide sort-4wide".split()
UNITS = {"alu": "int", "agen": "mem", "port": "mem", "fadd": "fp", "fmul": "fp"}
# mnemonics of the sample core -> queue, unit
OPS = {"ldq": "mem", "ldt": "mem", "stq": "mem", "stt": "mem", "addt": "fp", "cpys": "fp", "mult": "fp"}
LATENCY = {"int": 1, "mem": 2, "fp": 2}


def counters(path):
    with open(path) as f:
        return {name: float(value) for name, value in (line.split() for line in f)}


def program(path):
    """The committed instructions in order, as (queue, mnemonic)."""
    rows = check.ask("rows", path)["rows"]
    done = [r for r in rows if r["fate"] == "committed" and r["parent"] is None]
    names = [r["text"].split()[0] for r in sorted(done, key=lambda r: int(r["id"]))]
    return [(OPS.get(name, "int"), name) for name in names]


def rates(order):
    fp = Counter(name for queue, name in order if queue == "fp")
    most = max(fp["mult"], fp["addt"] + fp["cpys"], 1)
    return {"int": Fraction(2), "mem": Fraction(1),
            "fp": min(Fraction(2), Fraction(sum(fp.values()), most)) if fp else Fraction(2)}


def simulate(order, width, places, capacity):
    """Cycles: graduate, retire in order, dispatch in order."""
    rate, credit = rates(order), Counter()
    queues, window = {q: deque() for q in LATENCY}, deque()
    now = at = 0
    while at < len(order) or window:
        now += 1
        for q, waiting in queues.items():
            credit[q] += rate[q]
            for _ in range(min(int(credit[q]), len(waiting))):
                waiting.popleft()[0] = now + LATENCY[q] - 1
            credit[q] -= int(credit[q])
        for _ in range(width):
            if not window or window[0][0] is None or window[0][0] > now:
                break
            window.popleft()
        for _ in range(width):
            if at == len(order) or len(window) == places or len(queues[order[at][0]]) == capacity:
                break
            entry = [None]
            window.append(entry)
            queues[order[at][0]].append(entry)
            at += 1
    return now


def check_sample(folder, name):
    trace = os.path.join(folder, name + ".trc.gz")
    kept = counters(os.path.join(folder, name + ".counters"))
    machine = "samplecore-" + name.split("-")[-1]
    got = check.ask("cpi0", "--machine", machine, trace)
    queues = {q["name"]: q for q in got["queues"]}
    order = program(trace)
    # the counters
    check.same(f"{name}: instructions", got["instructions"], kept["committed_instructions"])
    check.close(f"{name}: measured", [got["measured_cpi"]],
                [kept["cycles"] / kept["committed_instructions"]])
    full = {}
    for unit, queue in UNITS.items():
        full[queue] = max(full.get(queue, 0), kept[f"unit.{unit}.full_cycles"])
        check.same(f"{name}: {unit}", kept[f"unit.{unit}.committed"] > 0, queues[queue]["count"] > 0)
    for queue, units in {"int": ["alu"], "mem": ["agen"], "fp": ["fadd", "fmul"]}.items():
        check.same(f"{name}: {queue}", queues[queue]["count"],
                   sum(kept[f"unit.{u}.committed"] for u in units))
    greatest = max(q["bound"] for q in queues.values())
    check.same(f"{name}: the fullest units are those of the greatest bound",
               queues[max(full, key=full.get)]["bound"], greatest)
    if got["limiting"] != ["dispatch"]:
        check.same(f"{name}: limiting", got["limiting"], [max(full, key=full.get)])
    # the formula
    rate, count = rates(order), Counter(queue for queue, _ in order)
    bounds = {q: Fraction(count[q], len(order)) / rate[q] for q in rate}
    width = int(kept["machine.width"])
    for q, bound in bounds.items():
        check.close(f"{name}: bound of {q}", [queues[q]["bound"]], [float(bound)])
        check.close(f"{name}: growth of {q}", [queues[q]["growth"]],
                    [float(width * Fraction(count[q], len(order)) - rate[q])])
    check.close(f"{name}: cpi0", [got["cpi0"]], [float(max(Fraction(1, width), *bounds.values()))])
    # the machine
    cycles = simulate(order, width, int(kept["machine.rob"]), int(kept["machine.queue.int"]))
    check.close(f"{name}: simulated", [got["simulated_cpi"]], [cycles / len(order)])
    # what the core counted is the same mix
    both = check.ask("cpi0", "--machine", machine, "--mapping", "samplecore", "--counts",
                     os.path.join(folder, name + ".counters"), trace)["runs"]
    for a, b in zip(both[0]["queues"], both[1]["queues"]):
        check.close(f"{name}: counters and trace", [a["growth"]], [b["growth"]])


LONG = 16 << 20  # bytes of a trace whose rows are not counted again


def check_measured(name, got, info, rows):
    """Cycles over the instructions that were committed: with those whose micro-ops alone were."""
    parts = {}
    for r in rows:
        if r["parent"] is not None:
            parts.setdefault(r["parent"], []).append(r["fate"])
    done = 0
    for r in rows:
        fates = parts.get(r["row"], [])
        if r["parent"] is None and (r["pc"] or r["text"]):
            replaced = r["fate"] == "dropped" and "committed" in fates and "squashed" not in fates
            done += r["fate"] == "committed" or replaced
    cycles = (info["last"] - info["first"]) // (info.get("ticks_per_cycle") or 1) + 1
    check.same(f"{name}: instructions", got["instructions"], done)
    check.close(f"{name}: measured", [got["measured_cpi"]], [cycles / done])


def check_real(path):
    name = os.path.basename(path)
    run = check.Run("cpi0", "--machine", "simplescalar", path, "--json")
    if b"no committed instruction" in run.err:
        return
    if run.status:
        check.fail(f"{run}")
        return
    got = json.loads(run.out)
    if not got["simulated_cpi"] >= got["cpi0"] * (1 - 1e-12):
        check.fail(f"{name}: simulated {got['simulated_cpi']} below {got['cpi0']}")
    if not 0 <= sum(q["p"] for q in got["queues"]) <= 1 + 1e-12:
        check.fail(f"{name}: sum of p")
    if not got["measured_cpi"] >= got["cpi0"]:
        check.fail(f"{name}: measured {got['measured_cpi']} below the bound")
    info = check.ask("info", path)
    if info["index"]["source_bytes"] < LONG:
        check_measured(name, got, info, check.ask("rows", path)["rows"])
    middle = (info["first"] + info["last"]) // 2
    part = check.Run("cpi0", "--machine", "simplescalar", "--from", middle, "--to", middle + 1000,
                     path, "--json")
    if part.status and b"no committed instruction" not in part.err:
        check.fail(f"{part}")


WRONG = [
    (2, ["--mix", "m=1"]),
    (2, ["--machine", "r10000"]),
    (2, ["--machine", "martian", "--mix", "m=1"]),
    (2, ["--machine", "r10000", "--mix", "m=0"]),
    (2, ["--machine", "r10000", "--mix", "q=1"]),
    (2, ["--machine", "r10000", "--mix", "m=0x10"]),
    (2, ["--machine", "r10000", "--mix", "m=1e3"]),
    (2, ["--machine", "r10000", "--mix", "m=1,000"]),
    (2, ["--machine", "r10000", "--pattern", "mq"]),
    (2, ["--machine", "r10000", "--mix", "m=1", "--from", "3"]),
    (2, ["--machine", "r10000", "--mix", "m=1", "--mapping", "martian"]),
    (1, ["--machine", "r10000", "--counts", "/nowhere"]),
    (1, ["--machine", "r10000", "/nowhere"]),
    (1, ["--machine", "/", "--mix", "m=1"]),
]


def check_wrong(folder):
    files = {"zero.machine": "machine x\ndispatch 4\nin-flight 9\nqueue a\nrate 0\n",
             "counts": "<not counted>,,instructions:u,0,0.00,,\n"}
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    more = [(1, ["--machine", os.path.join(folder, "zero.machine"), "--mix", "a=1"]),
            (1, ["--machine", "r10000", "--counts", os.path.join(folder, "counts")])]
    for status, args in WRONG + more:
        run = check.Run("cpi0", *args)
        if run.status != status or run.err.count(b"\n") != 1 or run.out:
            check.fail(f"{run}: wanted status {status} and one line")


def check_lists():
    got = check.ask("cpi0", "--machine", "r10000", "--mix", "m=5,i=9,f=1")
    check.same("5:9:1", (got["limiting"], got["first_full"], got["runner_up"]), (["m"], ["i"], "i"))
    check.close("5:9:1", [got["cpi0"], got["simulated_cpi"], got["margin"]], [1 / 3, 1 / 3, 0.9])
    for machine in check.ask("cpi0", "--machine", "list")["machines"]:
        if not check.Run("cpi0", "--machine", machine["name"], "--mix", "load=3,integer=4").out:
            check.fail(f"{machine['name']} is listed, but not there")
    text = check.Run("cpi0", "--machine", "r10000", *["--mix", "m=5,i=9,f=1"] * 13).out.decode()
    if max(map(len, text.split("\n"))) > 80:
        check.fail("the table of several is wider than 80 columns")
    if not re.search(r"^13  m=5,i=9,f=1 ", text, re.M) or "\n 13  m=5,i=9,f=1\n" not in text:
        check.fail("runs of the same name cannot be told apart")


def table(*args):
    return check.Run("cpi0", "--machine", "r10000", *args).out.decode()


def check_names(folder, samples):
    """Each line of several can be told from the others, whatever the runs are called."""
    paths = [os.path.join(samples, f"matmul-{kind}4wide.trc.gz") for kind in ("", "blocked-")]
    cut, wide = table(*paths), table("--wide", *paths)
    for i, path in enumerate(paths, 1):
        if f"\n{i:3}  {path}\n" not in cut or f"\n{i}  matmul-" not in cut:
            check.fail(f"{path} is not told: {cut}")
        if f"\n{i}  {os.path.basename(path)} " not in wide:
            check.fail(f"{path} has not its line: {wide}")
    os.mkdir(os.path.join(folder, "long"))
    with open(os.path.join(folder, "long", "a.machine"), "w") as f:
        f.write("machine x\ndispatch 4\nin-flight 9\n"
                "queue aninstructionqueue1\nrate 3\ntakes load\n"
                "queue aninstructionqueue2\nrate 3\ntakes store\n")
    text = check.Run("cpi0", "--machine", f.name, "--mix", "load=1,store=1").out.decode()
    if not re.search("\n(<-)? *(aninstruct.*…|aninstructionqueue1) ", text):
        check.fail("a queue's name is cut without a mark")


def check_widths(samples):
    """Nothing that one run has to say is wider than 80 columns."""
    names = [m["name"] for m in check.ask("cpi0", "--machine", "list")["machines"]]
    paths = [os.path.join(samples, name + ".trc.gz") for name in SAMPLES]
    for path in [*paths, os.path.join(samples, "dot-product.kanata.gz")]:
        for machine in names:
            text = check.Run("cpi0", "--machine", machine, path).out.decode()
            for line in text.split("\n"):
                if len(line) > 80 and path not in line:
                    check.fail(f"{machine}, {path}: {line}")


def check_along(samples):
    """Each bin of the series is the diagnosis of its ticks."""
    path = os.path.join(samples, "matmul-4wide.trc.gz")
    machine = ["--machine", "samplecore-4wide"]
    got = check.ask("series", "--metric", "cpi0", *machine, "--from", 100, "--to", 700, "--bins", 3, path)
    for i, (value, limit) in enumerate(zip(got["values"], got["limiting"], strict=True)):
        where = ["--from", 100 + 200 * i, "--to", 300 + 200 * i]
        whole = check.ask("cpi0", *machine, *where, path)
        check.close(f"cpi0 along the trace {where}", [value], [whole["cpi0"]])
        check.same(f"what limits {where}", limit, whole["limiting"])
    check.same("machine", got["machine"], "samplecore-4wide")
    check.same("by default", check.ask("series", "--metric", "cpi0", path)["machine"], "r10000")
    before = check.ask("series", "--metric", "cpi0", "--from", -400, "--to", 0, "--bins", 1, path)
    check.same("before the trace", (before["values"], before["limiting"]), ([None], [None]))
    for args in (["cpi0", "--component", "EX"], ["ipc", *machine], ["cpi0", "--machine", "martian"]):
        run = check.Run("series", "--metric", *args, path)
        if run.status != 2 or run.err.count(b"\n") != 1 or run.out:
            check.fail(f"{run}: wanted status 2 and one line")


def check_unknown(folder):
    """What nobody has counted is not known, and there."""
    path = os.path.join(folder, "few")
    with open(path, "w") as f:
        f.write("instructions 1000\ncycles 700\nL1-dcache-loads 100\n")
    args = ["--machine", "r10000", "--counts", path]
    flags = {f["check"]: f for f in check.ask("cpi0", *args)["flags"]}
    for name in ("branch-rate", "prediction", "l1-hit", "icache-hit", "clustering"):
        check.same(name, (flags[name]["verdict"], flags[name]["value"]), ("not known", None))
    check.same("measured", flags["measured"]["verdict"], "ok")
    text = check.Run("cpi0", *args).out.decode()
    if not re.search("\nbranch-rate +not known +-  branches among", text):
        check.fail(f"the text does not say what is not known: {text}")
    if "nan" in text or "not known" in table(*args[2:], "--mix", "m=1"):
        check.fail("what is not known is in the list of what does not hold")
    with open(path, "w") as f:
        f.write("instructions 1000\ncycles 10\n")
    text = check.Run("cpi0", *args).out.decode()
    if "\nnegative: the counters do not agree, or the machine's rates are too low\n" not in text:
        check.fail(f"counters below the bound are taken for a trace: {text}")


def main(folder, samples, *traces):
    for name in SAMPLES:
        check_sample(samples, name)
    for path in traces:
        check_real(path)
    check_wrong(folder)
    check_lists()
    check_names(folder, samples)
    check_unknown(folder)
    check_along(samples)
    check_widths(samples)
    check.finish()


main(*sys.argv[1:])
