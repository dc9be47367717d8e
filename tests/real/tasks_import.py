"""Count tasks by themselves, and hold what pipeglass says of them against it."""

import os
import sqlite3
import sys
from collections import Counter

from check import ask, fail, finish, same


def read_csv(path):
    """Rows of (id, parent, place, start, end); times in ps."""
    with open(path, encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            task, parent, _, _, place, start, end = (f.strip() for f in line.split(","))
            yield task, parent, place, round(float(start) * 1e12), round(float(end) * 1e12)


def columns(db, table):
    return [row[1] for row in db.execute(f'pragma table_info("{table}")')]


def read_database(db):
    names = columns(db, "trace")
    ids = ("task_id", "parent_id", "start_time", "end_time") if "task_id" in names else ("ID", "ParentID", "StartTime", "EndTime")
    places = dict(db.execute("select ID, Locale from location")) if columns(db, "location") else {}
    rows = db.execute(f"select {ids[0]}, {ids[1]}, Location, {ids[2]}, {ids[3]} from trace order by rowid").fetchall()
    unit = 1 if rows and isinstance(rows[0][0], int) else 1e12
    for task, parent, place, start, end in rows:
        yield task, parent, places.get(place, place), round(start * unit), round(end * unit)


def count_marks(db, tasks):
    """Those whose tasks are there, and all."""
    found = every = 0
    for table in ("milestone", "trace_milestones", "tag"):
        if columns(db, table):
            for (task,) in db.execute(f"select TaskID from {table}"):
                found += task in tasks
                every += 1
    return found, every


def windows(db, unit):
    if not columns(db, "daisen$segments"):
        return []
    return sorted((round(a * unit), round(b * unit)) for a, b in db.execute('select StartTime, EndTime from "daisen$segments"'))


def count(path):
    db = None if path.endswith(".csv") else sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    rows = list(read_database(db) if db else read_csv(path))
    ids = {row[0] for row in rows}
    marks, every = count_marks(db, ids) if db else (0, 0)
    unit = 1 if db and rows and isinstance(rows[0][0], int) else 1e12
    return {
        "spans": len(rows),
        "roots": sum(not parent for _, parent, *_ in rows),
        "orphans": sum(bool(parent) and parent not in ids for _, parent, *_ in rows),
        "marks": marks,
        "lost": every - marks,
        "duplicates": len(rows) - len(ids),
        "zero": sum(start == end for *_, start, end in rows),
        "first": min(start for *_, start, _ in rows),
        "last": max(max(start, end - 1) for *_, start, end in rows),
        "places": Counter(row[2] for row in rows),
        "windows": windows(db, unit) if db else [],
    }


def check(path, want, got):
    for key in ("spans", "roots", "orphans", "marks", "first", "last"):
        same(f"{path}: {key}", got[key], want[key])
    for key, note in (("orphans", "orphans"), ("duplicates", "duplicate-ids"), ("zero", "zero-length"), ("lost", "marks-without-task")):
        same(f"{path}: {note}", got["notes"][note], want[key])
    same(f"{path}: components", {c["name"]: c["spans"] for c in got["components"]}, dict(want["places"]))
    same(f"{path}: windows", [(w["start"], w["end"]) for w in got["windows"]], want["windows"])
    same(f"{path}: warnings", got["warning_count"], 0)
    if not want["windows"] and "tracing windows" not in got["absent"]:
        fail(f"{path}: no word of missing windows")


def state(path):
    about, (folder, name) = os.stat(path), os.path.split(path)
    return about.st_size, about.st_mtime_ns, sorted(f for f in os.listdir(folder) if f.startswith(name))


for path in sys.argv[1:]:
    before = state(path)
    want = count(path)
    for cached in (False, True):
        got = ask("info", path)
        check(path, want, got)
        same(f"{path}: cached", got["index"]["cached"], cached)
    same(f"{path}: the file and what lies beside it", state(path), before)
finish()
