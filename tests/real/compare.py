"""Matched rows, the first difference, and where the cycles went, tick by tick."""

import random
import sys
from collections import Counter, defaultdict

import check
from check import ask, same
from model import Trace

# traces, and what is known of them: the same program on two machines, a piece of a run, or other code
PAIRS = (
    ("whole-alpha-math-def.stock.trc", "whole-alpha-math-n1.stock.trc", "same"),
    ("alpha-lswlr-def.stock.trc", "alpha-lswlr-bugcompat.stock.trc", "same"),
    ("alpha-lswlr-bugcompat.stock.trc", "alpha-lswlr-def.stock.trc", "same"),
    ("alpha-math-def.stock.trc", "alpha-math-def-cyc5000-8000.stock.trc", "piece"),
    ("arm-own-matmul-naive-def.gpv.trc", "arm-own-matmul-blocked-def.gpv.trc", "other"),
    ("alpha-lswlr-def.stock.trc", "pisa-lswlr-n1.stock.trc", "other"),
)


class Step:
    """A committed instruction with its micro-ops."""

    def __init__(self, row):
        self.row, self.members = row, []
        self.before = self.end = None

    def last(self):
        return max(self.members, key=lambda m: (m.end, -m.number))

    def events(self):
        names = set()
        for r in {self.row.number: self.row, **{m.number: m for m in self.members}}.values():
            for s in r.stays:
                names |= {mark["name"] for mark in s.marks()}
        return names

    def shape(self):
        """Stages of its own row and of the one that ended last, in ticks since birth."""
        return [
            [(s.stage, s.start - r.start, s.end - r.start) for s in r.stays]
            for r in (self.row, self.last())
        ]


def steps_of(trace):
    by_row = {}
    for row in trace.rows:
        if row.fate == "committed":
            owner = row.parent if row.micro and row.parent is not None else row
            by_row.setdefault(owner.number, Step(owner)).members.append(row)
    steps = [by_row[n] for n in sorted(by_row)]
    reached = trace.first
    for s in steps:
        s.end = max(m.end for m in s.members)
        s.before, reached = reached, max(reached, s.end)
        s.until = reached
    return steps, reached


def where(step, tick):
    """The part that the step is in at a tick, not after its end."""
    last = step.last()
    row = last if tick >= last.start else step.row
    if tick < step.row.start:
        return "not fetched"
    if row is last and tick >= row.stays[-1].start:
        return row.stays[-1].stage
    for s in row.stays:
        if s.start <= tick < s.end:
            return s.stage
    return "other"


def costs(trace, steps, reached):
    """{(pc, text): [count, cycles, {part: cycles}]} and the sum over all by part."""
    by_code, parts = defaultdict(lambda: [0, 0, Counter()]), Counter()
    for s in steps:
        c = by_code[(s.row.pc, s.row.text)]
        c[0] += 1
        c[1] += s.until - s.before
        for tick in range(s.before + 1, s.until + 1):
            c[2][where(s, tick)] += 1
    for c in by_code.values():
        parts.update(c[2])
    parts["after last commit"] = trace.last + 1 - reached
    return by_code, parts


def text_of(raw):
    return "" if raw is None else raw.decode("utf-8", "replace")


def check_costs(side, answer, trace, steps, reached):
    by_code, parts = costs(trace, steps, reached)
    same(f"cycles_{side}", answer["cycles_" + side], trace.last + 1 - trace.first)
    got = {s["name"]: s["cycles_" + side] for s in answer["stages"] if s["cycles_" + side]}
    same(f"parts of {side}", got, {k: v for k, v in parts.items() if v})
    # a line names the pc of either side, and the text of A: the pc of a side is all both know
    want = defaultdict(lambda: [0, 0, Counter()])
    for (pc, _), (count, cycles, stages) in by_code.items():
        w = want[pc]
        w[0] += count
        w[1] += cycles
        w[2].update(stages)
    got = defaultdict(lambda: [0, 0, Counter()])
    for p in answer["pcs"]:
        if p["count_" + side] == 0:
            same("no steps, no cycles", p["cycles_" + side], 0)
            continue
        pc = p["pc" if side == "a" else "pc_b"]
        g = got[int(pc, 16) if pc else None]
        g[0] += p["count_" + side]
        g[1] += p["cycles_" + side]
        g[2].update({k: v for k, v in p["stages_" + side].items() if v})
    same(f"pcs of {side}", sorted(k or 0 for k in got), sorted(k or 0 for k in want))
    for pc in want:
        if not same(f"{side}: pc {pc:#x}", got[pc], want[pc]) and check.failures > 20:
            break


def first_difference(a, b):
    """Of two runs of the same steps: the rows of the first pair that is not alike, and how."""
    for i, (x, y) in enumerate(zip(a, b)):
        kinds = set()
        # since the commit before, or the trace's first tick
        since = [step.end - (steps[i - 1].end if i else step.before) for step, steps in ((x, a), (y, b))]
        if since[0] != since[1]:
            kinds.add("cycles")
        if x.end - x.row.start != y.end - y.row.start:
            kinds.add("life")
        if x.events() != y.events():
            kinds.add("events")
        if x.shape() != y.shape():
            kinds.add("stages")
        if kinds:
            return {"row_a": x.row.number, "row_b": y.row.number, "kinds": kinds}
    return None


def keys(steps):
    return [(s.row.pc, s.row.text) for s in steps]


def check_match(kind, answer, a, b):
    members = [sum(len(s.members) for s in side) for side in (a, b)]
    if kind == "same":
        same("the model's own premise", keys(a), keys(b))
        want = sum(min(len(x.members), len(y.members)) for x, y in zip(a, b))
        same("matched", answer["matched"], want)
        same("all that could be", answer["matched_is_bound"], False)
        first = answer["first_difference"]
        if first:
            first["kinds"] = set(first["kinds"])
        same("first difference", first, first_difference(a, b))
    elif kind == "piece":
        # what was in flight when the piece began has no birth there; the rest lies in one stretch
        ka, kb = keys(a), [k for k in keys(b) if k[0] is not None]
        at = next(i for i in range(len(ka)) if ka[i : i + len(kb)] == kb)
        want = sum(
            min(len(x.members), len(y.members))
            for x, y in zip(a[at:], [s for s in b if s.row.pc is not None])
        )
        same("matched", answer["matched"], want)
    else:
        same("matched: not more than there are", answer["matched"] <= min(members), True)
        same("a first difference", answer["first_difference"] is not None, True)


def in_order(a, b):
    """The longest common subsequence of the instructions of both: (steps, committed rows)."""
    best = [[(0, 0)] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            best[i + 1][j + 1] = max(best[i][j + 1], best[i + 1][j])
            if (x.row.pc, x.row.text) == (y.row.pc, y.row.text):
                steps, rows = best[i][j]
                both = steps + 1, rows + min(len(x.members), len(y.members))
                best[i + 1][j + 1] = max(best[i + 1][j + 1], both)
    return best[len(a)][len(b)]


def check_cycles(folder, names, a, b):
    """Aligned by cycle: of those born at a tick as many as keep their order."""
    born = [defaultdict(list) for _ in "ab"]
    for side, steps in zip(born, (a, b)):
        for s in steps:
            side[s.row.start].append(s)
    want = sum(in_order(born[0][tick], born[1].get(tick, ()))[1] for tick in born[0])
    answer = ask("compare", "--by", "cycle", *(f"{folder}/{name}" for name in names))
    same("matched by cycle", answer["matched"], want)


def check_chosen(folder, names, a, b):
    """A chosen pair of rows: all that has a place on both sides is matched from there on."""
    i, j = 100, 160
    pair = f"{a[i].row.number}:{b[j].row.number}"
    answer = ask("compare", "--pair", pair, *(f"{folder}/{name}" for name in names))
    want = sum(min(len(x.members), len(y.members)) for x, y in zip(a, b[j - i :]))
    same("matched by pair", answer["matched"], want)


def check_pair(traces, folder, a, b, kind):
    print("==", a, b, flush=True)
    answer = ask("compare", f"{folder}/{a}", f"{folder}/{b}")
    if not answer:
        return
    sides = [(traces(name), *steps_of(traces(name))) for name in (a, b)]
    for side, (trace, steps, reached) in zip("ab", sides):
        check_costs(side, answer, trace, steps, reached)
        fates = trace.fates()
        same(f"committed of {side}", answer[side]["committed"], fates["committed"])
    for p in answer["pcs"]:
        same("delta", p["delta"], p["cycles_b"] - p["cycles_a"])
    deltas = [p["delta"] for p in answer["pcs"]]
    same("order: most cycles lost first", deltas, sorted(deltas, reverse=True))
    check_match(kind, answer, sides[0][1], sides[1][1])
    if kind == "same":
        check_cycles(folder, (a, b), sides[0][1], sides[1][1])
        check_chosen(folder, (a, b), sides[0][1], sides[1][1])


def check_itself(folder, name):
    """A run against itself; and a range of it, whose parts are all its ticks."""
    answer = ask("compare", f"{folder}/{name}", f"{folder}/{name}")
    same("itself: matched", answer["matched"], answer["a"]["committed"])
    same("itself: first difference", answer["first_difference"], None)
    same("itself: cycles lost", sum(abs(p["delta"]) for p in answer["pcs"]), 0)
    answer = ask("compare", "--from", 2000, "--to", 3000, f"{folder}/{name}", f"{folder}/{name}")
    same("range", answer["cycles_a"], 1000)
    same("its parts", sum(s["cycles_a"] for s in answer["stages"]), 1000)
    path = f"{folder}/{name}"
    first, last = answer["a"]["first"], answer["a"]["last"] + 1
    whole = ask("compare", path, path)
    for parts in (2, 37):
        cuts = [first + (last - first) * k // parts for k in range(parts + 1)]
        each = [ask("compare", "--from", a, "--to", b, path, path) for a, b in zip(cuts, cuts[1:])]
        for key in ("cycles_a", "instructions_a", "cycles_b", "instructions_b"):
            same(f"{key} of {parts} parts", sum(part[key] for part in each), whole[key])
    rng = random.Random(5)
    last = answer["a"]["last"]
    for _ in range(12):
        start = rng.randrange(-5, last)
        end = start + rng.choice((1, 2, 7, 50, 1000, last))
        path = f"{folder}/{name}"
        answer = ask("compare", f"--from={start}", "--to", end, path, path)
        same(f"{start}..{end} of itself", answer["cycles_b"], answer["cycles_a"])
        same("instructions", answer["instructions_b"], answer["instructions_a"])
        same("first difference", answer["first_difference"], None)
        same("changes", [p for p in answer["pcs"] if p["delta"] or p["stages_a"] != p["stages_b"]], [])


def check_ranges(folder, a, b, parts):
    """Ranges side by side are the whole, of each run and of each instruction."""
    print("==", a, b, "in", parts, "ranges", flush=True)
    paths = [f"{folder}/{a}", f"{folder}/{b}"]
    whole = ask("compare", *paths)
    first, last = whole["a"]["first"], whole["a"]["last"] + 1
    cuts = [first + (last - first) * k // parts for k in range(parts + 1)]
    each = [ask("compare", "--from", x, "--to", y, *paths) for x, y in zip(cuts, cuts[1:])]
    for key in ("matched", "cycles_a", "instructions_a", "cycles_b", "instructions_b"):
        same(f"{key} of {parts} ranges", sum(part[key] for part in each), whole[key])

    def lines(answers):
        total = Counter()
        for p in (p for answer in answers for p in answer["pcs"]):
            for side in "ab":
                total[p["pc"], p["text"], "count", side] += p["count_" + side]
                for stage, cycles in p["stages_" + side].items():
                    total[p["pc"], p["text"], stage, side] += cycles
        return +total

    same(f"lines of {parts} ranges", lines(each), lines([whole]))


def main(folder):
    read = {}

    def traces(name):
        if name not in read:
            with open(f"{folder}/{name}", "rb") as f:
                read[name] = Trace(f.read())
        return read[name]

    for a, b, kind in PAIRS:
        check_pair(traces, folder, a, b, kind)
    check_itself(folder, "alpha-lswlr-def.stock.trc")
    check_ranges(folder, "alpha-lswlr-def.stock.trc", "alpha-lswlr-bugcompat.stock.trc", 13)
    check_ranges(folder, "arm-lswlr-def.gpv.trc", "alpha-lswlr-def.stock.trc", 5)
    check.finish()


main(sys.argv[1])
