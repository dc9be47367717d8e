"""On Kanata logs: who held the head of the commit queue, told tick by tick from the raw lines."""

import sys

import check
from check import ask, same
from model import heads


class Life:
    __slots__ = ("number", "start", "end", "fate")

    def __init__(self, number, start):
        self.number, self.start, self.end, self.fate = number, start, None, None


def lives(text):
    """One Life an `I` line; the first `R` ends it."""
    tick, rows, alive = 0, [], {}
    for line in text.decode("utf-8", "replace").split("\n")[1:]:
        field = line.rstrip("\r").split("\t")
        if field[0] == "C=":
            tick = int(field[1])
        elif field[0] == "C":
            tick += int(field[1])
        elif field[0] == "I":
            rows.append(Life(len(rows), tick))
            alive[field[1]] = rows[-1]
        elif field[0] == "R" and field[1] in alive and alive[field[1]].end is None:
            life = alive[field[1]]
            life.end, life.fate = tick, "committed" if int(field[3]) == 0 else "squashed"
    return rows


def compare(stalls, rows, held, keys):
    want = {}
    for life in rows:
        cost = want.setdefault(keys[life.number], {"count": 0, "head": 0, "squashed": 0, "worst": None})
        cost["count"] += 1
        cost["squashed"] += life.fate == "squashed"
        if life.number in held:
            cost["head"] += held[life.number]
            if cost["worst"] is None or held[life.number] > held[cost["worst"]]:
                cost["worst"] = life.number
    got = {(p["pc"], p["text"]): {k: p[k] for k in ("count", "head", "squashed", "worst")} for p in stalls["pcs"]}
    if "unattributed" in stalls:
        rest = stalls["unattributed"]
        got[None, None] = {k: rest[k] for k in ("count", "head", "squashed", "worst")}
    same("static instructions", sorted(map(str, got)), sorted(map(str, want)))
    for key in want:
        same(str(key), got.get(key), want[key])


def check_log(path):
    with open(path, "rb") as f:
        rows = lives(f.read())
    answer, info = ask("rows", path), ask("info", path)
    stalls = ask("stalls", path)
    if not answer or not info or not stalls:
        return
    order, first, last = rows, info["first"], info["last"]
    held = heads(order, first, last)
    same("rows", len(answer["rows"]), len(rows))
    keys = [(r["pc"], r["text"]) for r in answer["rows"]]
    cycles = last + 1 - first
    head = sum(held.values())
    same("run", stalls["run"], {"cycles": cycles, "head": head, "empty": cycles - head})
    compare(stalls, rows, held, keys)
    middle = (first + last) // 2
    parts = [ask("stalls", path, "--from", a, "--to", b)["run"] for a, b in ((first, middle), (middle, last + 1))]
    same("two halves", {k: parts[0][k] + parts[1][k] for k in parts[0]}, stalls["run"])
    print(f"{len(rows)} rows, {head} of {cycles} cycles held", flush=True)


if not sys.argv[1:]:
    check.fail("no logs")
for path in sys.argv[1:]:
    print("==", path.rsplit("/", 1)[-1], flush=True)
    check_log(path)
check.finish()
