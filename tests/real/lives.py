"""Counts by fate, stage, event, statistic and static instruction, every single life, and curves."""

import sys

import check
import series
from check import ask, same
from model import EVENTS, MISSES, STAGES, Run, Trace, program_order

FATE_KEYS = {"in-flight": "in_flight"}


def text_of(raw):
    return None if raw is None else raw.decode("utf-8", "replace")


def by_name(items, *keys):
    return {i["name"]: tuple(i[k] for k in keys) for i in items}


def check_info(path, trace):
    info = ask("info", path)
    if not info:
        return
    stages, events, fates = trace.stage_counts(), trace.event_counts(), trace.fates()
    same("format", info["format"], "pipetrace")
    same("unit", info["unit"], "cycle")
    same("ticks", (info["first"], info["last"]), (trace.first, trace.last))
    for fate, count in fates.items():
        same(fate, info[FATE_KEYS.get(fate, fate)], count)
    same("instructions", info["instructions"], sum(fates.values()) - fates["unknown"])
    entries = sum(c[0] for c in stages.values())
    same("spans", info["spans"], len(trace.rows) + entries)
    same("components", by_name(info["components"], "spans"), {s: (c[0],) for s, c in stages.items()})
    same("component order", [c["name"] for c in info["components"]], list(STAGES))
    same(
        "events",
        by_name(info["events"], "mask", "count"),
        {name: (bit, events[name][0]) for name, bit in EVENTS},
    )
    statistics = {
        name: (len(samples), min(v for _, v in samples), max(v for _, v in samples))
        for name, samples in trace.statistics.items()
    }
    same("metrics", by_name(info["metrics"], "samples", "min", "max"), statistics)
    notes = {k: v for k, v in info["notes"].items() if v}
    want = {
        "second-removals": trace.notes["second removal"],
        "foreign-lines": trace.notes["foreign"],
        "untraced-statistics": trace.notes["hidden"],
        "text-statistics": trace.notes["not a number"],
        "end-marks": trace.notes["end"],
    }
    same("notes", notes, {k: v for k, v in want.items() if v})
    same("warnings", info["warning_count"], 1 if trace.cut else 0)
    same("warnings listed", len(info["warnings"]), info["warning_count"])
    same("source bytes", info["index"]["source_bytes"], trace.bytes)


def check_rows(path, trace):
    answer = ask("rows", path)
    if not answer:
        return
    rows = answer["rows"]
    if not same("number of rows", len(rows), len(trace.rows)):
        return
    for got, row in zip(rows, trace.rows):
        want = {
            "row": row.number,
            "id": str(row.seq),
            "pc": None if row.pc is None else hex(row.pc),
            "text": text_of(row.text),
            "start": row.start,
            "end": row.end,
            "fate": row.fate,
            "parent": row.parent.number if row.parent else None,
            "stages": [
                {"name": s.stage, "start": s.start, "end": s.end, "marks": s.marks()} for s in row.stays
            ],
        }
        for stage in got["stages"]:
            if stage.pop("lane") is not None:
                check.fail("a pipetrace has no lanes")
        for absent in ("thread", "links", "detail"):
            if got.pop(absent, None) is not None:
                check.fail(f"a pipetrace has no {absent}")
        if not same(f"row {row.number}", got, want) and check.failures > 20:
            return


def run_of(trace):
    def missed(row):
        fetched = row.parent if row.micro and row.parent else row
        return bool(fetched.stays) and fetched.stays[0].mask & MISSES

    def mispredicted(row):
        return any(s.mask & 12 for s in row.stays)

    return Run(program_order(trace.rows), trace.first, trace.last, missed=missed, mispredicted=mispredicted)


def check_stalls(path, trace):
    stalls = ask("stalls", path)
    if not stalls:
        return
    stages, events = trace.stage_counts(), trace.event_counts()
    same("stages", by_name(stalls["stages"], "cycles", "entries"), {s: (c[1], c[0]) for s, c in stages.items()})
    same("events", by_name(stalls["events"], "count", "latency"), {e: tuple(c) for e, c in events.items()})
    run = run_of(trace)
    held, head = run.held, sum(run.held.values())
    same("run", stalls["run"], run.told())
    same("heads of pcs", sum(p["head"] for p in stalls["pcs"]) + stalls.get("unattributed", {"head": 0})["head"], head)
    want = {}
    for row in trace.rows:
        key = (row.pc, text_of(row.text))
        cost = want.setdefault(
            key,
            {
                "count": 0,
                "head": 0,
                "empty_by": run.empty_by(()),
                "cycles": dict.fromkeys(STAGES, 0),
                "events": {n: 0 for n, _ in EVENTS},
                "squashed": 0,
                "worst": None,
                "life": None,
                "longest": dict.fromkeys(STAGES),
                "longest_row": None,
            },
        )
        if row.number in held:
            cost["head"] += held[row.number]
            cost["empty_by"][run.why[row.number]] += run.empty[row.number]
            if cost["worst"] is None or run.cost(row.number) > run.cost(cost["worst"]):
                cost["worst"] = row.number
        cost["count"] += 1
        cost["squashed"] += row.fate == "squashed"
        life = trace.until(row.end) - row.start
        if cost["life"] is None or life > cost["life"]:
            cost["life"], cost["longest_row"] = life, row.number
        for s in row.stays:
            stay = trace.until(s.end) - s.start
            cost["cycles"][s.stage] += stay
            cost["longest"][s.stage] = max(cost["longest"][s.stage] or 0, stay)
            for mark in s.marks():
                cost["events"][mark["name"]] += 1
    rest = want.pop((None, None), None)
    for key in ("life", "longest", "longest_row") if rest else ():
        rest.pop(key)
    got = {}
    for p in stalls["pcs"]:
        key = (int(p.pop("pc"), 16), p.pop("text"))
        if key in got:
            check.fail(f"static instruction {key} stands twice")
        got[key] = p
    same("static instructions", set(got), set(want))
    for key in want:
        if not same(f"static instruction {key}", got.get(key), want[key]) and check.failures > 20:
            break
    same("unattributed", stalls.get("unattributed"), rest)
    costs = [got[k]["head"] for k in got]
    same("order: most cycles at the head first", costs, sorted(costs, reverse=True))


def read(path):
    with open(path, "rb") as f:
        text = f.read()
    trace = Trace(text)
    trace.bytes = len(text)
    return trace


def check_lives(path, trace):
    check_info(path, trace)
    check_rows(path, trace)
    check_stalls(path, trace)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print("==", path.rsplit("/", 1)[-1], flush=True)
        trace = read(path)
        check_lives(path, trace)
        # of each who writes traces, one in all ranges
        series.check_curves(path, trace, "lswlr" in path and "bugcompat" not in path or "mixed" in path)
    check.finish()
