"""The metrics of component tasks by their definitions, bin after bin, against what series says."""

import re
import sqlite3
import sys
from collections import Counter, defaultdict

from check import ask, close, fail, finish, same

SECOND = 10**12  # ticks are picoseconds


class Task:
    def __init__(self, kind, what, where, start, end, parent):
        self.kind, self.what, self.where = kind, what, where
        self.start, self.end, self.parent = start, end, parent
        self.sent = None  # when the parent began, and where, if it is a req_out
        self.sender = None
        self.marks = []


class Trace:
    """All rows of a file, read with SQL; the metrics with no thought of what they cost."""

    def __init__(self, path):
        db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        db.text_factory = lambda b: b.decode("utf-8", "replace")
        tables = {name for (name,) in db.execute("select name from sqlite_master")}
        columns = [row[1] for row in db.execute("pragma table_info(trace)")]
        old = "task_id" in columns
        first = None if old else db.execute("select typeof(ID), typeof(Location) from trace").fetchone()
        unit = 1 if first and first[0] == "integer" else SECOND
        if old:
            rows = db.execute("select task_id, parent_id, kind, what, location, start_time, end_time from trace")
        elif first[1] == "integer":
            rows = db.execute("select t.ID, ParentID, Kind, What, Locale, StartTime, EndTime"
                              " from trace t left join location l on l.ID = t.Location")
        else:
            rows = db.execute("select ID, ParentID, Kind, What, Location, StartTime, EndTime from trace")
        by_id = {}
        for id_, parent, kind, what, where, start, end in rows:
            by_id[id_] = Task(kind, what, where, round(start * unit), round(end * unit), parent)
        self.tasks = list(by_id.values())
        for task in self.tasks:
            parent = by_id.get(task.parent)
            if parent is not None:
                task.sent = parent.start
                task.sender = parent.where if parent.kind == "req_out" else None
        self.reasons = set()
        table = next((t for t in ("milestone", "trace_milestones") if t in tables), None)
        for of, tick, kind in db.execute(f"select TaskID, Time, Kind from {table}") if table else ():
            if of in by_id:
                by_id[of].marks.append((round(tick * unit), kind))
                self.reasons.add(kind)
        self.windows = []
        if "daisen$segments" in tables:
            self.windows = [(round(a * unit), round(b * unit))
                            for a, b in db.execute('select StartTime, EndTime from "daisen$segments"')]
        self.first = min(t.start for t in self.tasks)
        self.last = max(t.end for t in self.tasks)
        self.at = defaultdict(list)
        for task in self.tasks:
            self.at[task.where].append(task)

    def chosen(self, pattern):
        flags = 0 if re.search("[A-Z]", pattern) else re.I
        return [name for name in self.at if re.search(pattern, name, flags)]


def points(bins, tasks, tick, amount):
    """What has its tick in each bin."""
    low, high, n = bins
    found = [[] for _ in range(n)]
    for task in tasks:
        for k in range(n):
            edge = low * n + k * (high - low)
            if edge <= tick(task) * n < edge + high - low:
                found[k].append(amount(task))
    return found


def means(bins, intervals):
    """Of how many there are at a time, in each bin; in whole numbers, n of them a tick."""
    low, high, n = bins
    width, sums = high - low, [0] * n
    for begin, end in intervals:
        if end <= low or begin >= high or end <= begin:
            continue
        for k in range(n):
            edge = low * n + k * width
            sums[k] += max(0, min(end * n, edge + width) - max(begin * n, edge))
    return [total / width for total in sums]


def alive(tasks):
    return [(t.start, t.end) for t in tasks]


def blocked(tasks, reason):
    """From the milestone before, or the start, to the one of that kind; none outlives its task."""
    for task in tasks:
        since = task.start
        for tick, kind in sorted(task.marks):
            tick = min(tick, task.end)
            if tick > since:
                if kind == reason:
                    yield since, tick
                since = tick


def busy(tasks):
    covered = None
    for start, end in sorted(alive(tasks)):
        start = start if covered is None else max(start, covered)
        if end > start:
            yield start, end
        covered = end if covered is None else max(covered, end)


def is_of(task, kinds):
    flags = 0 if re.search("[A-Z]", kinds) else re.I
    return any(re.search(kinds, text, flags) for text in (task.kind, f"{task.kind} {task.what}"))


def buffered(tasks, *endings):
    return [t for t in tasks if t.kind == "incoming_buffer" and t.what.endswith(endings)]


def values(trace, names, metric, bins, kinds=None):
    at = {name: [t for t in trace.at[name] if kinds is None or is_of(t, kinds)] for name in names}
    tasks = [task for some in at.values() for task in some]
    ins = [t for t in tasks if t.kind == "req_in"]
    outs = [t for t in tasks if t.kind == "req_out"]
    reqs, rsps = buffered(tasks, "Req", "Request"), buffered(tasks, "Rsp", "Response")
    about = {"pending-req-out": outs, "request-buffer-pressure": reqs, "response-buffer-pressure": rsps,
             "concurrent-tasks": tasks, "utilisation": tasks}
    if kinds is not None and not about.get(metric, tasks if metric.startswith("blocked-by:") else ins):
        return [None] * bins[2]
    low, high, n = bins
    seconds = (high - low) / n / SECOND
    if metric == "req-in-rate":
        return [len(f) / seconds for f in points(bins, ins, lambda t: t.start, lambda t: 1)]
    if metric == "req-complete-rate":
        return [len(f) / seconds for f in points(bins, ins, lambda t: t.end, lambda t: 1)]
    if metric == "avg-latency":
        found = points(bins, ins, lambda t: t.end, lambda t: t.end - t.start)
        return [sum(f) / len(f) / SECOND if f else None for f in found]
    if metric == "concurrent-tasks":
        return means(bins, alive(tasks))
    if metric == "buffer-pressure":
        return means(bins, [(t.sent, t.start) for t in ins if t.sent is not None])
    if metric == "pending-req-out":
        return means(bins, alive(outs))
    if metric == "request-buffer-pressure":
        return means(bins, alive(reqs))
    if metric == "response-buffer-pressure":
        return means(bins, alive(rsps))
    if metric == "utilisation":
        each = [means(bins, busy(at[name])) for name in names]
        return [sum(column) / len(names) for column in zip(*each)]
    return means(bins, blocked(tasks, metric.split(":")[1]))


def untraced(trace, bins, got):
    """Bins where nothing was traced say so: but for that, 0 and none are one."""
    low, high, n = bins
    for k, value in enumerate(got):
        begin, end = low * n + k * (high - low), low * n + (k + 1) * (high - low)
        seen = any(a * n < end and b * n > begin for a, b in trace.windows or [(trace.first, trace.last + 1)])
        yield None if value == 0 and not seen else value


def check(path, trace, metric, pattern, bins, kinds=None):
    low, high, n = bins
    names = trace.chosen(pattern)
    want = list(untraced(trace, bins, values(trace, names, metric, bins, kinds)))
    got = ask("series", "--metric", metric, "--component", pattern, "--from", low, "--to", high,
              "--bins", n, *(["--kind", kinds] if kinds is not None else []), path)
    what = f"{path}: {metric} of {pattern} ({kinds}), {n} bins of [{low}, {high})"
    shares = [v / w if v is not None and w else v for v, w in zip(got.get("values", []), want)]
    close(what, shares, [w and 1 for w in want])


def exact(name):
    return "^" + re.sub(r"([][.()])", r"\\\1", name) + "$"


def some_components(trace):
    """Those of most tasks, and from the rest every so many; and a part of them together."""
    names = sorted(trace.at, key=lambda name: (-len(trace.at[name]), name))
    some = names[:2] + names[2 :: max(1, len(names) // 3)]
    small = [n for n in names if len(trace.at[n]) < 3000]
    return [exact(name) for name in some] + ["|".join(exact(n) for n in small[:20])]


def windows(trace):
    """All of it; from within a task to within another; a few ticks; beyond both ends."""
    first, last = trace.first, trace.last
    length = last - first
    middle = sorted(t.start for t in trace.tasks)[len(trace.tasks) // 2]
    yield first, last + 1, 7
    yield first + length // 3 + 1, first + length // 2 + 3, 13
    yield middle, middle + 5000, 3
    yield middle, middle + 2, 5
    yield first - 1000 - length // 5, last + length // 7, 9


def check_metrics(path):
    trace = Trace(path)
    metrics = ["req-in-rate", "req-complete-rate", "avg-latency", "concurrent-tasks",
               "buffer-pressure", "pending-req-out", "utilisation"]
    if any(t.kind == "incoming_buffer" for t in trace.tasks):
        metrics += ["request-buffer-pressure", "response-buffer-pressure"]
    metrics += [f"blocked-by:{reason}" for reason in sorted(trace.reasons)]
    count = 0
    for metric in metrics:
        for i, pattern in enumerate(some_components(trace)):
            for k, bins in enumerate(windows(trace)):
                if (i + k) % 2 == 0:  # every second pair of a component and a window
                    check(path, trace, metric, pattern, bins)
                    count += 1
    for metric in metrics[:7]:
        check(path, trace, metric, "", (trace.first, trace.last + 1, 3))
    return count + check_kinds(path, trace, metrics)


def check_kinds(path, trace, metrics):
    """By the kind of most tasks, by a kind and what, by what of any kind, and by what not all have."""
    pairs = [pair for pair, n in Counter((t.kind, t.what) for t in trace.tasks).most_common()]
    (kind, what), whole = pairs[0], (trace.first, trace.last + 1, 5)
    patterns = [exact(kind), re.escape(f"{pairs[-1][0]} {pairs[-1][1]}"), re.escape(what[-5:]) + "$", "^req_in"]
    count = 0
    for kinds in patterns:
        if not any(is_of(t, kinds) for t in trace.tasks):
            continue
        for metric in metrics:
            for pattern in ("", some_components(trace)[1]):
                check(path, trace, metric, pattern, whole, kinds)
                count += 1
    return count


def check_tables(path):
    """components, requests and the kinds of summary, counted anew."""
    trace = Trace(path)
    info = ask("info", path)
    whole = (info["first"], info["last"] + 1, 1)
    got = {c["name"]: c for c in ask("components", path)["components"]}
    same(f"{path}: components", sorted(got), sorted(trace.at))
    for name, tasks in trace.at.items():
        c = got.get(name, {})
        same(f"{path}: {name}", (c.get("tasks"), sorted(c.get("kinds", []))),
             (len(tasks), sorted({t.kind for t in tasks})))
        close(f"{path}: {name}", [c.get("busy"), 1e6 * c.get("residency", 0)],
              [*means(whole, busy(tasks)), sum(t.end - t.start for t in tasks) / 1e6])
    edges = Counter((t.sender, t.where) for t in trace.tasks if t.kind == "req_in" and t.sender)
    got = ask("requests", path)["edges"]
    same(f"{path}: requests", {(e["from"], e["to"]): e["count"] for e in got}, dict(edges))
    kinds = defaultdict(list)
    for t in trace.tasks:
        kinds[t.kind, t.what].append(t.end - t.start)
    got = {(k["kind"], k["what"]): k for k in ask("summary", path)["kinds"]}
    same(f"{path}: kinds", sorted(got), sorted(kinds))
    for key, lengths in kinds.items():
        k, n = got.get(key, {"latency": {}}), len(lengths)
        lengths.sort()
        want = [sum(lengths) / n] + [lengths[-(-n * p // 100) - 1] for p in (50, 90, 99, 100)]
        same(f"{path}: {key}", k.get("count"), n)
        close(f"{path}: {key}", [1e12 * v for v in k["latency"].values()], want)


def check_case(slow, fast):
    """Of the pair of the paper's case study one is bound by its dispatcher, and says so first."""
    hints = ask("hints", slow)["hints"]
    same("slow: first hint", (hints[0]["kind"], hints[0]["where"]),
         ("dispatch-bound", "GPU[1].CommandProcessor.Dispatcher0"))
    db = sqlite3.connect(f"file:{slow}?immutable=1", uri=True)
    starts = [round(t * SECOND) for (t,) in db.execute(
        "select StartTime from trace where Kind = 'req_out' and What = '*protocol.MapWGReq' order by 1")]
    (kernel,) = [round((b - a) * SECOND) for a, b in db.execute(
        "select StartTime, EndTime from trace where Kind = 'req_in' and What = '*protocol.LaunchKernelReq'")]
    same("slow: intervals", {b - a for a, b in zip(starts, starts[1:])}, {16000})
    evidence = hints[0]["evidence"]
    close("slow: evidence", [1e12 * evidence["interval"], evidence["share"], evidence["dispatches"]],
          [16000, (starts[-1] - starts[0]) / kernel, len(starts)])
    same("slow: ranks", [h["rank"] for h in hints], list(range(1, len(hints) + 1)))
    same("fast: dispatch", [h for h in ask("hints", fast)["hints"] if h["kind"] == "dispatch-bound"], [])


def main():
    if sys.argv[1] == "case":
        check_case(*sys.argv[2:])
        finish()
    for path in sys.argv[1:]:
        check_tables(path)
    count = sum(check_metrics(path) for path in sys.argv[1:])
    if count < 140 * len(sys.argv[1:]):
        fail(f"only {count} curves")
    finish()


main()
