"""Exports of whole traces and of ranges say what `rows --json` says."""

import csv
import io
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys

import check
from check import Run, ask, fail, same

FLUSHED = ("squashed", "dropped", "lost", "unknown")
TOLD = ("dropped", "lost", "unknown")


def export(form, path, *options, **kw):
    run = Run("export", "--format", form, *options, path, **kw)
    if run.status != 0:
        fail(f"{run}: status {run.status}")
    return run.out


def events_of(stage):
    return " ".join(
        m["name"] + ("" if m["latency"] is None else f"({m['latency']})") for m in stage["marks"]
    )


def harmless(text):
    """As text stands in CSV; the rest of what pipeglass replaces is in none of these traces."""
    return "".join(" " if c == "\t" else "\ufffd" if c < " " or "\x7f" <= c <= "\x9f" else c for c in text)


def lines(*parts):
    return "\n".join(p for p in parts if p) or None


# ---- Kanata ------------------------------------------------------------------------------------


def in_order_of_birth(rows):
    """Rows without a birth that are known late have the last numbers and the first tick."""
    late = len(rows)
    while late and rows[late - 1]["fate"] == "unknown":
        late -= 1
    return rows[late:] + rows[:late]


def in_cycles(rows, clock):
    """As they are in a format that counts cycles."""
    return [
        {
            **row,
            "start": clock(row["start"]),
            "end": clock(row["end"]),
            "stages": [{**s, "start": clock(s["start"]), "end": clock(s["end"])} for s in row["stages"]],
            "links": [{**l, "tick": clock(l["tick"])} for l in row["links"] or []],
        }
        for row in rows
    ]


def clock_of(info):
    """The cycle of a tick: where ticks are counted, the first one begins a cycle."""
    ticks = info["ticks_per_cycle"]
    return lambda tick: None if tick is None else (tick - info["first"] % ticks) // ticks


def kanata_row(row, number):
    """What a row must be when the log that has it as its row number[row] is read again."""
    parent = row["parent"]
    micro = None if parent is None else "micro-op"
    if parent in number:
        micro = f"micro-op of {number[parent]}"
    return {
        "row": number[row["row"]],
        "id": str(number[row["row"]]),
        "pc": row["pc"],
        # nobody's: readers of Kanata logs drop them
        "text": row["text"] and row["text"].rstrip(" "),
        "start": row["start"],
        "end": row["end"],
        "fate": "squashed" if row["fate"] in FLUSHED and row["end"] is not None
        else "committed" if row["fate"] == "committed" else "in-flight",
        "thread": row["thread"] or 0,
        "stages": [
            (s["name"], s["lane"] or 0, s["start"], s["end"], lines(events_of(s), s.get("detail")))
            for s in row["stages"]
        ],
        "links": [
            (number[l["from"]], l["type"], l["tick"])
            for l in row["links"] or []
            if l["from"] in number
        ],
        "detail": lines(row["detail"], micro, row["fate"] if row["fate"] in TOLD else None),
    }


def read_back(row):
    return {
        **{k: row[k] for k in ("row", "id", "pc", "text", "start", "end", "fate", "thread", "detail")},
        "stages": [
            (s["name"], s["lane"], s["start"], s["end"], s.get("detail")) for s in row["stages"]
        ],
        "links": [(l["from"], l["type"], l["tick"]) for l in row["links"] or []],
    }


def check_kanata(what, scratch, path, rows, told, *options):
    """told: what info says of the trace."""
    copy = os.path.join(scratch, "export.kanata")
    with open(copy, "wb") as f:
        f.write(export("kanata", path, *options))
    info = ask("info", "--no-cache", copy)
    same(f"{what}: format", info["format"], "kanata")
    same(f"{what}: warnings", info["warnings"], [])
    if not options:
        clock = clock_of(told)
        same(f"{what}: ticks", (info["first"], info["last"]), (clock(told["first"]), clock(told["last"])))
        same(f"{what}: ipc", info["ipc"] == told["ipc"] or told["micro_ops"] > 0, True)
    back = ask("rows", "--no-cache", copy)["rows"]
    rows = in_cycles(in_order_of_birth(rows), clock_of(told))
    number = {r["row"]: i for i, r in enumerate(rows)}
    same(f"{what}: rows", len(back), len(rows))
    for got, row in zip(back, rows):
        if not same(f"{what}: row {row['row']}", read_back(got), kanata_row(row, number)):
            break
    retired = [l.split(b"\t")[2] for l in open(copy, "rb") if l.startswith(b"R\t") and l.endswith(b"\t0\n")]
    same(f"{what}: retire ids", retired, [b"%d" % i for i in range(len(retired))])


# ---- Perfetto ----------------------------------------------------------------------------------


def check_nesting(what, events):
    """On one thread, an event lies inside another or beside it; rows only beside each other."""
    threads = {}
    for e in events:
        threads.setdefault((e["pid"], e["tid"]), []).append((e["ts"], -e["dur"], e["cat"], e["args"]["row"]))
    for key, spans in threads.items():
        stack, last_row = [], None
        for ts, dur, cat, row in sorted(spans, key=lambda s: s[:2]):
            if cat == "row":
                if last_row is not None and ts < last_row:
                    return fail(f"{what}: rows overlap in thread {key} at {ts}")
                last_row = ts - dur
            while stack and stack[-1] <= ts:
                stack.pop()
            if stack and ts - dur > stack[-1]:
                return fail(f"{what}: events cross in thread {key} at {ts}: row {row}")
            stack.append(ts - dur)
    return None


def fewest_slots(rows, stop):
    """Rows alive at the same time at most, a row taken for one tick longer."""
    at = {}
    for r in rows:
        end = stop if r["end"] is None else r["end"]
        at[r["start"]] = at.get(r["start"], 0) + 1
        if r["end"] is not None:
            at[end + 1] = at.get(end + 1, 0) - 1
    most = now = 0
    for tick in sorted(at):
        now += at[tick]
        most = max(most, now)
    return most


def drawn(row, stop):
    """Stays of a row as (stage, process, start, drawn end, events, detail)."""
    out = []
    for i, s in enumerate(row["stages"]):
        end = stop if s["end"] is None else s["end"]
        following = [t["start"] for t in row["stages"][i + 1:] if t["lane"] == s["lane"]]
        out.append((s["name"], f"lane {s['lane']}" if s["lane"] else "pipeline", s["start"], max(s["start"], min([end] + following[:1])),
                    events_of(s) or None, s.get("detail")))
    return out


def check_series(what, path, events, name, options):
    points = [(e["ts"], e["args"][name]) for e in events if e["ph"] == "C" and e["name"] == name]
    if not points:
        return fail(f"{what}: no curve {name}")
    ts, last = points[0][0], points[-1][0]
    stop = options["stop"]
    cycle = ask("info", path)["ticks_per_cycle"]
    step = points[1][0] - ts if len(points) > 1 else cycle
    same(f"{what}: {name}: steps", [t for t, _ in points], list(range(ts, last + 1, step)))
    want = ask("series", "--metric", name, "--bins", len(points) - 1, "--from", ts, "--to", last, path)["values"] if last > ts else []
    part = min(step, stop - last)
    want += ask("series", "--metric", name, "--bins", 1, "--from", last, "--to", last + part, path)["values"]
    if name == "ipc":  # of a cycle that is cut off: it counts as one
        want[-1] *= part / cycle / -(-part // cycle)
    values = [value for _, value in points]
    return check.close(f"{what}: {name}", values, want)


def check_perfetto(what, path, rows, last, *options):
    trace = json.loads(export("perfetto", path, *options).decode("utf-8"))
    zero = int(trace["otherData"]["tick_at_0_us"])
    events, stop = trace["traceEvents"], last + 1
    complete = [e for e in events if e["ph"] == "X"]
    process = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    lives = {e["args"]["row"]: e for e in complete if e["cat"] == "row"}
    stays = {}
    for e in complete:
        a = e["args"]
        life = lives[a["row"]]
        same(f"{what}: slot of row {a['row']}", e["tid"], life["tid"])
        same(f"{what}: subject", (a.get("pc"), a.get("text")), (life["args"].get("pc"), life["args"].get("text")))
        if e["cat"] == "stage":
            stays.setdefault(a["row"], []).append(
                (e["name"], process[e["pid"]], e["ts"] + zero, e["ts"] + e["dur"] + zero, a.get("events"),
                 a.get("detail")))
    same(f"{what}: rows", sorted(lives), [r["row"] for r in rows])
    for r in rows:
        e = lives[r["row"]]
        end = stop if r["end"] is None else r["end"]
        got = (e["name"], e["args"]["id"], e["args"].get("pc"), e["args"].get("text"), e["args"]["fate"],
               e["args"].get("parent"), e["ts"] + zero, e["dur"], e["args"].get("waited_for", []))
        want = (r["text"] or r["pc"] or f"row {r['row']}", r["id"], r["pc"], r["text"], r["fate"], r["parent"],
                r["start"], end - r["start"], [l["from"] for l in r["links"] or [] if l["from"] is not None])
        if not same(f"{what}: row {r['row']}", got, want):
            break
        if not same(f"{what}: stays of row {r['row']}", stays.get(r["row"], []), drawn(r, stop)):
            break
    check_nesting(what, complete)
    same(f"{what}: slots", max([e["tid"] for e in complete], default=0), fewest_slots(rows, stop))
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    same(f"{what}: names", named, {(e["pid"], e["tid"]) for e in complete})
    given = dict(zip(options[::2], options[1::2]))
    if zero == 0 and given.get("--from", 0) < min(given.get("--to", stop), stop):
        for name in ("ipc", "in-flight"):
            check_series(what, path, events, name, {"stop": stop})


# ---- CSV ---------------------------------------------------------------------------------------


def plain(cell):
    """A cell without the apostrophe that keeps spreadsheets from computing it."""
    return cell[1:] if cell.startswith("'") else cell


def check_csv(what, path, rows, *options):
    text = export("csv", path, *options).decode("utf-8")
    got = [[plain(c) for c in line] for line in csv.reader(io.StringIO(text, newline=""))]
    want = [["row", "id", "pc", "text", "fate", "thread", "stage", "lane", "start", "end", "events"]]

    def cell(value):
        return "" if value is None else harmless(str(value))

    for r in rows:
        head = [cell(r[k]) for k in ("row", "id", "pc", "text", "fate", "thread")]
        for s in r["stages"]:
            want.append(head + [cell(s[k]) for k in ("name", "lane", "start", "end")] + [events_of(s)])
        if not r["stages"]:
            want.append(head + ["", "", cell(r["start"]), cell(r["end"]), ""])
    same(f"{what}: lines", len(got), len(want))
    for a, b in zip(got, want):
        if not same(f"{what}: line", a, b):
            break


# ---- SQLite ------------------------------------------------------------------------------------


def kept(text):
    return None if text is None else "\n".join(harmless(line) for line in text.split("\n"))


def whole(text):
    return None if text is None else int(text)


def check_metrics(what, path, db, last, *options):
    given = dict(zip(options[::2], options[1::2]))
    stop = min(given.get("--to", last + 1), last + 1)
    if given.get("--from", 0) >= stop:
        return
    for name in ("ipc", "in-flight"):
        bins = db.execute("select start, value, end, exact from samples where metric = ? order by start", (name,)).fetchall()
        curve = [{"ph": "C", "name": name, "ts": start, "args": {name: value}} for start, value, _, _ in bins]
        if check_series(what, path, curve, name, {"stop": stop}):
            same(f"{what}: {name}: ends", [b[2] for b in bins],
                 [min(b[0] + bins[0][2] - bins[0][0], last + 1) for b in bins])
            same(f"{what}: {name}: exact", {b[3] for b in bins}, {1})


def make_database(what, scratch, path, *options):
    """What every one must be, whatever is in it."""
    made = os.path.join(scratch, "made.db")
    same(f"{what}: standard output", export("sqlite", path, *options, "-o", made, "--force"), b"")
    same(f"{what}: files", [f for f in os.listdir(scratch) if f.startswith("made.db")], ["made.db"])
    db = sqlite3.connect(made)
    tables = [name for name, in db.execute("select name from sqlite_master where type = 'table'")]
    there = [(table, column[1]) for table in tables for column in db.execute(f"pragma table_info({table})")]
    same(f"{what}: readme", db.execute("select table_name, column_name from readme order by rowid").fetchall(), there)
    same(f"{what}: whole", db.execute("pragma integrity_check").fetchall(), [("ok",)])
    return db


def check_sqlite(what, scratch, path, rows, last, *options):
    db = make_database(what, scratch, path, *options)
    want = {"rows": [], "stays": [], "events": [], "links": []}
    for r in rows:
        want["rows"].append((r["row"], whole(r["id"]), r["pc"], kept(r["text"]), r["start"], r["end"], r["fate"],
                             r["thread"], r["parent"], kept(r["detail"])))
        for s in r["stages"]:
            stay = len(want["stays"]) + 1
            lane = None if s["lane"] is None else str(s["lane"])
            want["stays"].append((stay, r["row"], kept(s["name"]), lane, s["start"], s["end"], kept(s.get("detail"))))
            want["events"] += [(stay, r["row"], s["start"], m["name"], m["latency"]) for m in s["marks"]]
        want["links"] += [(r["row"], l["from"], int(l["id"]), l["type"], l["tick"]) for l in r["links"] or []]
    for table in want:
        same(f"{what}: {table}", db.execute(f"select * from {table} order by rowid").fetchall(), want[table])
    check_metrics(what, path, db, last, *options)
    db.close()


def check_memory(scratch, path):
    """What caches held: the database against the text of the trace, and the CSV against the database."""
    cost, loads = {}, {"g": 0, "h": 0}
    with open(path, encoding="latin-1") as f:
        for line in f:
            kind, *numbers = line.split()
            if kind in "RW":
                address, cpu, source, cycles = (int(n, 8) for n in numbers)
                key = (f"CPU[{cpu}]", f"{address & ~3:#x}", f"file {source >> 18}:{source & 0o777777}", kind == "W")
                count, sum_ = cost.get(key, (0, 0))
                cost[key] = count + 1, sum_ + cycles
            elif kind in loads:
                loads[kind] += 1
    what = os.path.basename(path)
    db = make_database(what, scratch, path)
    accesses = db.execute("select cpu, address, line, write, count(*), sum(cycles) from accesses group by 1, 2, 3, 4")
    same(f"{what}: accesses", {row[:4]: row[4:] for row in accesses}, cost)
    named = db.execute(
        "select count(*) from accesses a left join objects o using (object) where a.class is not o.class"
        " or (o.size > 4 and a.word not like o.class || '%+0x%') or (object is null and a.word <> a.address)").fetchone()
    same(f"{what}: accesses of other objects than they say", named, (0,))
    loaded = dict(db.execute("select private, count(*) from stays where word is not null group by 1").fetchall())
    same(f"{what}: loads", loaded, {k: v for k, v in ((0, loads["g"]), (1, loads["h"])) if v})
    stays = db.execute("select * from stays order by row")
    names = [column[0] for column in stays.description]
    lines = list(csv.reader(io.StringIO(export("csv", path).decode("utf-8"))))
    same(f"{what}: csv", lines, [names] + [["" if v is None else str(v) for v in row] for row in stays])
    db.close()


PS = 10**12


def check_tasks(scratch, path):
    """Tables of tasks, counted and summed up by SQLite here and in the trace."""
    for low, high in ((None, None), (10 * 10**6, 11 * 10**6)):
        options = ("--from", f"{low // 10**6}us", "--to", high) if low else ()
        db = make_database(f"{path} {options}", scratch, path, *options)
        db.execute("attach ? as source", (path,))
        ask_both = lambda what, made, source: same(
            f"{path} {options}: {what}", db.execute(made).fetchall(), db.execute(source).fetchall())
        there = f"round(StartTime * {PS}) < {high} and (round(EndTime * {PS}) > {low} or round(StartTime * {PS}) >= {low})"
        db.execute(f"create temp view chosen as select rowid - 1 as row, * from source.trace where {there if low else 'true'}")
        tasks = (f"select row, ID, Kind, What, Location, cast(round(StartTime * {PS}) as integer), "
                 f"cast(round(EndTime * {PS}) as integer) from chosen order by row")
        ask_both("tasks", "select row, id, kind, what, component, start, \"end\" from tasks order by row", tasks)
        count, = db.execute("select count(*) from tasks").fetchone()
        same(f"{path} {options}: some tasks", count > 1000, True)
        ask_both("parents", "select t.id, p.id from tasks t join tasks p on p.row = t.parent order by t.row",
                 "select t.ID, p.ID from chosen t join chosen p on p.ID = t.ParentID order by t.row")
        ask_both("sums", "select kind, count(*), sum(\"end\" - start) from tasks group by kind",
                 f"select Kind, count(*), cast(sum(round(EndTime * {PS}) - round(StartTime * {PS})) as integer) from chosen group by Kind")
        ask_both("marks", "select t.id, m.tick, m.kind, m.what, m.component from marks m join tasks t using (row) order by 1, 2, 3, 4, 5",
                 f"select t.ID, cast(round(m.Time * {PS}) as integer), m.Kind, m.What, m.Location from source.milestone m "
                 "join chosen t on t.ID = m.TaskID order by 1, 2, 3, 4, 5")
        ask_both("links", "select row, producer, tick from links order by producer",
                 f"select p.rowid - 1, t.row, cast(round(t.StartTime * {PS}) as integer) from chosen t join source.trace p "
                 "on p.ID = t.ParentID where t.Kind = 'req_in' and p.Kind = 'req_out' order by t.row")
        ask_both("components", "select component, spans from components order by 1",
                 "select Location, count(*) from source.trace group by 1 order by 1")
        count, = db.execute("select sum((\"end\" - start) * value / 1e12) from samples where metric = 'req-in-rate'").fetchone()
        starts, = db.execute("select count(*) from source.trace where Kind = 'req_in' and "
                             f"round(StartTime * {PS}) >= {low or 0} and round(StartTime * {PS}) < {high or 2**62}").fetchone()
        same(f"{path} {options}: requests by samples", round(count, 6), starts)
        db.close()


# ---- all of it ---------------------------------------------------------------------------------


WHOLE_ROWS = 9000  # traces of more are checked in ranges only


def check_trace(scratch, path):
    name = os.path.basename(path)
    info = ask("info", path)
    first, last = info["first"], info["last"]
    third = (last - first) // 3
    whole = [()] if info["instructions"] <= WHOLE_ROWS else []
    ranges = [*whole, ("--from", first + third, "--to", first + third + min(third, 1000)),
              ("--from", last - min(third, 300)), ("--to", first + min(third, 300)),
              ("--from", last + 10), ("--from", first + third, "--to", first + third)]
    for options in ranges:
        what = f"{name} {' '.join(map(str, options))}".strip()
        rows = ask("rows", *options, path)["rows"]
        check_kanata(f"{what}: kanata", scratch, path, rows, info, *options)
        check_perfetto(f"{what}: perfetto", path, rows, last, *options)
        check_csv(f"{what}: csv", path, rows, *options)
        if SQLITE:
            check_sqlite(f"{what}: sqlite", scratch, path, rows, last, *options)


HOSTILE_PIPETRACE = rb"""@ 5
+ 1 0x400100 0x0 =HYPERLINK("http://x")
* 1 IF 0x00000000
+ 2 0x400108 0x0 a-nb-tc\
* 2 IF 0x00000000
@ 6
+ 3 0x400110 0x0 tail -n -t "quoted", 'x' <b>&amp;</b> L	9	0	tab
* 3 IF 0x00000000
* 1 DA 0x00000000
@ 7
* 1 EX 0x00000001
- 1
- 2
@ 9
- 3
"""

HOSTILE_KANATA = b"".join(
    [
        b"Kanata\t0004\nC=\t-7\n",
        b"I\t7\t1\t-3\nL\t7\t0\tdead1 : no pc\nS\t7\t0\tA B\n",
        b"I\t9\t1\t-3\nL\t9\t0\tffff8000: lw \\n a\nL\t9\t1\tone \\n\nL\t9\t1\ttwo\\n\nS\t9\tx\tF\n",
        b"C\t1\nS\t9\tx\tX\nL\t9\t2\tfirst\nL\t9\t2\tse\\tcond\nW\t9\t7\t2\nW\t9\t5555\t0\n",
        b"C\t3\nE\t9\tx\tF\nR\t7\t0\t0\nI\t7\t2\t4\nL\t7\t0\tagain \nL\t7\t0\tnever\n",
        b"L\t7\t1\t" + b"long words " * 500 + b"\nL\t7\t1\t" + "é".encode() * 3000 + b"\n",
        b"C\t2\nW\t7\t9\t0\nR\t9\t4\t1\nI\t11\t0\t0\n",
        "I\t12\t0\t0\nL\t12\t0\t=1+1 \"q\" 日本 \\n\nS\t12\t0\té\n".encode(),
    ]
)

TERMINAL = b"Kanata\t0004\nC=\t1\nI\t0\t0\t0\nL\t0\t0\t\x1b[31mred\x9b2J\xff \xe2\x80\xae\nS\t0\t0\t\x1bc\nC\t1\nR\t0\t0\t0\n"


def check_hostile(scratch):
    for name, text in (("hostile.trc", HOSTILE_PIPETRACE), ("hostile.kanata", HOSTILE_KANATA)):
        path = os.path.join(scratch, name)
        with open(path, "wb") as f:
            f.write(text)
        check_trace(scratch, path)
    path = os.path.join(scratch, "terminal.kanata")
    with open(path, "wb") as f:
        f.write(TERMINAL)
    for form in ("kanata", "perfetto", "csv"):
        out = export(form, path).decode("utf-8")
        bad = [c for c in out if (c < " " and c not in "\t\n") or "\x7f" <= c <= "\x9f" or c == "\u202e"]
        same(f"{form}: what terminals act on", bad, [])


def check_stores(scratch, path):
    """Of gem5: how many stores completed after they had retired, which Kanata cannot say."""
    with open(path, "rb") as f:
        ends = re.findall(rb"O3PipeView:retire:([0-9]+):store:([0-9]+)", f.read())
    moved = sum(0 < int(retire) < int(store) for retire, store in ends)
    err = Run("export", "--to", "kanata", path, "-o", os.path.join(scratch, "stores")).err
    same("stores told", b"%d stores commit where they completed" % moved in err, moved > 1)


def check_refused(what, run, status, says):
    if run.status != status or says.encode() not in run.err or run.err.count(b"\n") != 1:
        fail(f"{what}: {run}, not {status} with {says!r}")


def check_files(scratch, path):
    """-o makes files, and never what it must not."""
    out, trace = os.path.join(scratch, "out.csv"), os.path.join(scratch, "own.trc")
    info = ask("info", path)
    with open(path, "rb") as f:
        text = f.read()
    with open(trace, "wb") as f:
        f.write(text)
    want = export("csv", trace)
    same("-o: standard output", export("csv", trace, "-o", out), b"")
    same("-o: file", open(out, "rb").read(), want)
    check_refused("-o of a file", Run("export", "--to", "csv", trace, "-o", out), 1, "--force")
    with open(out, "ab") as f:
        f.write(b"more" * 1000)
    export("csv", trace, "-o", out, "--force")
    same("--force: file", open(out, "rb").read(), want)
    link = os.path.join(scratch, "link")
    os.symlink(trace, link)
    for name in (trace, link):
        check_refused("-o trace", Run("export", "--to", "csv", trace, "--force", "-o", name), 2, "is the trace")
    with open(trace, "ab") as f:
        done = subprocess.run([check.PIPEGLASS, "export", "--to", "csv", trace], stdout=f,
                              stderr=subprocess.PIPE, timeout=check.TIMEOUT)
    same(">> trace: status", done.returncode, 2)
    same("the trace", open(trace, "rb").read(), text)
    new = os.path.join(scratch, "new.csv")
    secure = Run("export", "--to", "csv", trace, "-o", new, env={"PIPEGLASS_SECURE": "1"})
    check_refused("secure", secure, 1, "PIPEGLASS_SECURE")
    absent = Run("export", "--to", "csv", os.path.join(scratch, "absent"), "-o", new)
    same("no trace", absent.status, 1)
    same("files of failed exports", os.path.exists(new), False)
    check_refused("no format", Run("export", trace), 2, "--format FORMAT is missing")
    check_refused("bad format", Run("export", "--to", "vcd", trace), 2, "'vcd' is not kanata, perfetto, csv, sqlite, akita or a tick")
    both = export("csv", trace, "--to", info["first"] + 3, f"--from={info['first'] + 1}")
    same("--to twice", both, Run("export", f"--to={info['first'] + 3}", "--from", info["first"] + 1, "--to=csv", trace).out)
    same("--to twice: both count", b"\n" in both and both != want, True)


def check_database_files(scratch, path):
    """What is made is a file of its own, whatever it is called; a failed export leaves none."""
    to = ("export", "--format", "sqlite", path, "-o")
    for name in (":memory:", "file:x.db?mode=memory"):
        here = os.getcwd()
        os.chdir(scratch)
        run = Run(*to[:3], os.path.join(here, path), "-o", name, program=os.path.join(here, check.PIPEGLASS))
        same(f"{run}: status", run.status, 0)
        with open(name, "rb") as f:
            same(f"{run}: begins with", f.read(15), b"SQLite format 3")
        os.chdir(here)
    there = os.path.join(scratch, "there.db")
    with open(there, "wb") as f:
        f.write(b"text " * 100000)
    check_refused("a database of that name", Run(*to, there), 1, "--force")
    same("--force: status", Run(*to, there, "--force").status, 0)
    same("--force: whole", sqlite3.connect(there).execute("pragma integrity_check").fetchall(), [("ok",)])
    fifo = os.path.join(scratch, "fifo")
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    check_refused("a database into a pipe", Run(*to, fifo, "--force"), 2, "is no regular file")
    os.close(reader)
    check_refused("a database to standard output", Run(*to, "-"), 2, "give a file with -o FILE")
    full = Run(*to, os.path.join(scratch, "full.db"), preexec=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)))
    same("a full disk: status", (full.status != 0), True)
    with open(there, "rb") as f:
        text = f.read()
    full = Run(*to, there, "--force", preexec=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)))
    same("a full disk: status of --force", (full.status != 0), True)
    with open(there, "rb") as f:
        same("a full disk: what was there", f.read(), text)
    stopped = subprocess.Popen([check.PIPEGLASS, "export", "--to", "csv", "-", "-o", there, "--force"], stdin=subprocess.PIPE)
    while stopped.poll() is None and not [f for f in os.listdir(scratch) if f.endswith(".part")]:
        pass
    stopped.terminate()
    same("stopped: status", stopped.wait(), -signal.SIGTERM)
    same("what is left", [f for f in os.listdir(scratch) if "full" in f or "part" in f], [])


if __name__ == "__main__":
    SCRATCH, TASKS, MEMORY, TRACES = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:5], sys.argv[5:]
    without = Run("export", "--format", "sqlite", TRACES[0], "-o", os.path.join(SCRATCH, "any.db"))
    SQLITE = b"built without SQLite" not in without.err
    if SQLITE:
        check_database_files(SCRATCH, TRACES[0])
        check_tasks(SCRATCH, TASKS)
        for TRACE in MEMORY:
            check_memory(SCRATCH, TRACE)
    check_hostile(SCRATCH)
    check_files(SCRATCH, TRACES[0])
    for TRACE in TRACES:
        check_trace(SCRATCH, TRACE)
        if "o3pipeview" in TRACE:
            check_stores(SCRATCH, TRACE)
    check.finish()
