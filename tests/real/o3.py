"""An independent reading of an O3PipeView log, and what pipeglass says of it.

usage: o3.py LOG [SAME...]: LOG is compared with its own text, each SAME (the same log in another
dress) with LOG. PIPEGLASS names the program.
"""
import sys
import tempfile
from math import gcd

import check
from check import same

CYCLES = 4096  # asked for at a time
STAGES = ["fetch", "decode", "rename", "dispatch", "issue", "complete", "retire", "store"]


def ask(path, *words):
    return check.ask(*words, path, stdin=open(LOG, "rb") if path == "-" else None)


def read(path):
    rows = []
    for line in open(path, encoding="utf-8"):
        if not line.startswith("O3PipeView:"):
            continue
        word, rest = line.rstrip("\n")[len("O3PipeView:"):].split(":", 1)
        if word == "fetch":
            tick, pc, part, seq, text = rest.split(":", 4)
            rows.append({"id": seq, "pc": hex(int(pc, 16)), "text": text.strip(),
                         "fetch": int(tick), "part": int(part)})
        elif word == "retire":
            tick, _, store = rest.split(":")
            rows[-1]["retire"], rows[-1]["store"] = int(tick), int(store)
        else:
            rows[-1][word] = int(rest)
    rows.sort(key=lambda r: (r["fetch"], int(r["id"])))
    return rows


def stays(row):
    ticks = [(row[s], i) for i, s in enumerate(STAGES) if row[s]]
    ticks.sort()
    ends = [t for t, _ in ticks[1:]] + [ticks[-1][0]]
    return [(STAGES[i], t, e) for (t, i), e in zip(ticks, ends)]


def settled(row):
    """A store commits where it retires, whenever its write is acknowledged."""
    return row["retire"] or stays(row)[-1][2]


def check_info(rows, info):
    squashed = sum(r["retire"] == 0 for r in rows)
    cpu = [r[s] for r in rows for s in STAGES[:7] if r[s]]
    same("format", info["format"], "o3pipeview")
    same("instructions", info["instructions"], len(rows))
    same("squashed", info["squashed"], squashed)
    same("committed", info["committed"], len(rows) - squashed)
    same("first", info["first"], min(cpu))
    same("last", info["last"], max(max(r[s] for s in STAGES) for r in rows))
    same("components", [(c["name"], c["spans"]) for c in info["components"]],
         [(s, sum(r[s] != 0 for r in rows)) for s in STAGES])
    step = 0
    for tick in cpu:
        step = gcd(step, tick - cpu[0])
    same("ticks per cycle", info["ticks_per_cycle"], step)
    cycles = (info["last"] - info["first"]) // step + 1
    same("ipc", abs(info["ipc"] - info["committed"] / cycles) < 1e-9, True)
    same("warnings", info["warning_count"], 0)


def check_rows(rows, got):
    same("rows", len(got), len(rows))
    for i, (g, r) in enumerate(zip(got, rows)):
        s = stays(r)
        same(f"row {i}", (g["row"], g["id"], g["pc"], g["text"], g["start"], g["end"], g["fate"]),
             (i, r["id"], r["pc"], r["text"], r["fetch"], s[-1][2],
              "committed" if r["retire"] else "squashed"))
        same(f"stages of row {i}",
             [(t["name"], t["start"], t["end"]) for t in g["stages"]], s)


def overlap(a, b, lo, hi):
    return max(0, min(b, hi) - max(a, lo))


def check_series(rows, info):
    lo, n = info["first"], 16
    hi = lo + (info["last"] + 1 - lo) // n * n
    wide = (hi - lo) // n
    lives = [(r["fetch"], stays(r)[-1][2]) for r in rows]
    fates = [(settled(r), r["retire"] != 0) for r in rows]
    issued = [(a, b) for r in rows for s, a, b in stays(r) if s == "issue"]
    curves = {
        "ipc": lambda a, b: sum(c and a <= t < b for t, c in fates),
        "commit": lambda a, b: sum(c and a <= t < b for t, c in fates),
        "squash": lambda a, b: sum(not c and a <= t < b for t, c in fates),
        "fetch": lambda a, b: sum(a <= s < b for s, _ in lives),
        "in-flight": lambda a, b: sum(overlap(s, e, a, b) for s, e in lives),
        "occupancy": lambda a, b: sum(overlap(s, e, a, b) for s, e in issued),
    }
    for name, curve in curves.items():
        words = ["series", "--metric", name, "--bins", str(n), "--from", str(lo), "--to", str(hi)]
        if name == "occupancy":
            words += ["--component", "^issue$"]
        values = ask(LOG, *words)["values"]
        for k, value in enumerate(values):
            want = curve(lo + k * wide, lo + (k + 1) * wide) / wide
            if name not in ("in-flight", "occupancy"):
                want *= info["ticks_per_cycle"]
            if abs(value - want) > 1e-9:
                sys.exit(f"{name}, bin {k}: {value}, not {want}")


def check_commits(rows, info):
    """Each cycle of the log: how many retired in it, and never more than the machine can."""
    first, step = info["first"], info["ticks_per_cycle"]
    n = (info["last"] - first) // step + 1
    want = [0] * n
    for r in rows:
        if r["retire"]:
            want[(r["retire"] - first) // step] += 1
    values = []
    for k in range(0, n, CYCLES):
        m = min(CYCLES, n - k)
        values += ask(LOG, "series", "--metric", "commit", "--bins", str(m), "--from",
                      str(first + k * step), "--to", str(first + (k + m) * step))["values"]
    for k, (value, count) in enumerate(zip(values, want, strict=True)):
        ticks = min(step, info["last"] + 1 - (first + k * step))  # the last one may be cut
        same(f"commits in cycle {k}", round(value * ticks / step), count)
    return max(want)


def check_stalls(rows, info):
    """Cycles that begin while a row is in a stage; a queue's head is the first row that ends later."""
    first, n = info["first"], info["ticks_per_cycle"]

    def begun(tick):
        return -((first - tick) // n)

    stalls, spent, reached, held = ask(LOG, "stalls"), dict.fromkeys(STAGES, 0), first, 0
    empty = dict.fromkeys(("squash-refill", "fetch-wait", "unexplained"), 0)
    wrong = False
    for r in rows:
        for stage, start, end in stays(r):
            spent[stage] += begun(end) - begun(start)
    for r in sorted(rows, key=lambda r: int(r["id"])):
        if r["retire"]:
            end, why = settled(r), "squash-refill" if wrong else "unexplained"
            held += max(0, begun(end) - begun(max(r["fetch"], reached)))
            empty[why] += max(0, begun(r["fetch"]) - begun(reached))
            reached = max(reached, end)
        wrong = not r["retire"]
    cycles = (info["last"] - first) // n + 1
    same("run", stalls["run"], {"cycles": cycles, "head": held, "empty": cycles - held,
                                "empty_by": {**empty, "start-and-end": cycles - held - sum(empty.values())}})
    same("stages", {s["name"]: s["cycles"] for s in stalls["stages"]}, spent)
    for stage in STAGES:
        same(f"{stage}, by pc", sum(p["cycles"][stage] for p in stalls["pcs"]), spent[stage])


def with_stores(path, acknowledged):
    """The log again; each store's write is acknowledged at another tick, given that of its retire."""
    with open(LOG, encoding="utf-8") as log, open(path, "w", encoding="utf-8") as out:
        for line in log:
            fields = line.rstrip("\n").split(":")
            if fields[:2] == ["O3PipeView", "retire"] and fields[4:] not in ([], ["0"]):
                fields[4] = str(acknowledged(int(fields[2])))
                line = ":".join(fields) + "\n"
            out.write(line)


def check_acknowledged(info):
    """When a memory answers is nobody's charge, and moves no commit: only rows end elsewhere."""
    words = ["series", "--metric", "commit", "--bins", "64", "--from", str(info["first"]),
             "--to", str(info["last"] + 1)]
    for name, acknowledged in {"late": lambda retire: retire + 100 * info["ticks_per_cycle"] + 1,
                               "at once": lambda retire: retire}.items():
        with tempfile.NamedTemporaryFile(suffix=".out") as other:
            with_stores(other.name, acknowledged)
            end = ask(other.name, "info")["last"] + 1
            if end > info["last"]:
                same(f"commits, stores {name}", ask(other.name, *words), ask(LOG, *words))
            got = ask(LOG, "compare", other.name)
            same(f"rows matched, stores {name}", got["matched"], got["a"]["committed"])
            for part in got["stages"]:
                if part["name"] != "after last commit":
                    same(f"{part['name']}, stores {name}", part["cycles_b"], part["cycles_a"])
            for pc in got["pcs"]:
                same(f"{pc['pc']}, stores {name}", pc["cycles_b"], pc["cycles_a"])


def unchanging(info):
    return {k: v for k, v in info.items() if k != "index"}


def main():
    rows = read(LOG)
    info = ask(LOG, "info")
    check_info(rows, info)
    got = ask(LOG, "rows")["rows"]
    check_rows(rows, got)
    check_series(rows, info)
    most = check_commits(rows, info)
    check_stalls(rows, info)
    check_acknowledged(info)
    for threads in "1", "2", "3":
        same(f"info with {threads} threads",
             unchanging(ask(LOG, "info", "--no-cache", "--threads", threads)), unchanging(info))
    same("info from the cache", unchanging(ask(LOG, "info")), unchanging(info))
    for path in sys.argv[2:]:
        same(f"info of {path}", unchanging(ask(path, "info")), unchanging(info))
        same(f"rows of {path}", ask(path, "rows")["rows"], got)
    print(f"{len(rows)} records, {info['squashed']} squashed, {most} commits in a cycle at "
          "most: as their text says")
    check.finish()


LOG = sys.argv[1]
main()
