"""What `export --format akita` writes of a window, against the same choice made with SQL and by hand."""

import hashlib
import os
import sqlite3
import sys

from check import Run, ask, fail, finish, same

KNOWN = {"exec_info", "source", "component_spec", "port", "trace", "location", "trace_milestones",
         "milestone", "tag", "daisen$segments", "mgpusim_metrics"}
MARKS = ("trace_milestones", "milestone", "tag")
PS = 10**12


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class File:
    """All of a database: rows with the storage class of each value, columns."""

    def __init__(self, path):
        db = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        db.text_factory = bytes
        ask_all = lambda sql, *args: db.execute(sql, args).fetchall()
        names = [n.decode() for (n,) in ask_all("select name from sqlite_master where type = 'table'")]
        self.tables, self.columns = {}, {}
        for name in names:
            columns = [c for (c,) in ask_all("select name from pragma_table_info(?)", name)]
            words = ", ".join(f"{quoted(c.decode())}, typeof({quoted(c.decode())})" for c in columns)
            self.columns[name] = columns
            self.tables[name] = ask_all(f"select {words} from {quoted(name)} order by rowid")
        self.sound = ask_all("pragma integrity_check")
        self.unit = 1 if any(row[1] == b"integer" for row in self.tables["trace"][:1]) else PS

    def ticks(self, value):
        return round(value * self.unit)


def chosen_rows(file, low, high):
    """Numbers of the tasks that are there in [low, high), and of all their ancestors."""
    rows = file.tables["trace"]
    by_id = {}
    for i, row in enumerate(rows):
        by_id.setdefault(row[0], i)
    chosen = set()
    for i, row in enumerate(rows):
        start, end = file.ticks(row[10]), file.ticks(row[12])
        if start < high and (end > low or start >= low):
            while i is not None and i not in chosen:
                chosen.add(i)
                i = by_id.get(rows[i][2])
    return sorted(chosen)


def wanted(file, low, high):
    chosen = [file.tables["trace"][i] for i in chosen_rows(file, low, high)]
    ids = {row[0] for row in chosen}
    for name, rows in file.tables.items():
        if name == "trace":
            yield name, chosen
        elif name in MARKS:
            yield name, [row for row in rows if row[2] in ids]
        elif name == "daisen$segments":
            cut = []
            for start, _, end, _ in rows:
                if file.ticks(start) < high and file.ticks(end) > low:
                    start = low / file.unit if file.ticks(start) < low else start
                    end = high / file.unit if file.ticks(end) > high else end
                    cut.append((start, b"real", end, b"real"))
            yield name, cut
        elif name in KNOWN:
            yield name, rows


def export(path, out, low=None, high=None, *more):
    """Bounds in both ways in which they are typed."""
    bounds = (["--from", low] if low is not None else []) + (["--to", f"{high / 10**6:.6f}us"] if high is not None else [])
    return Run("export", "--format", "akita", *bounds, *more, "-o", out, path)


def check(file, path, out, low, high):
    what = f"{path}: [{low}, {high})"
    run = export(path, out, low, high, "--force")
    if run.status != 0:
        fail(f"{what}: {run}")
        return 0
    made = File(out)
    want = dict(wanted(file, -(2**62) if low is None else low, 2**62 if high is None else high))
    same(f"{what}: tables", sorted(made.tables), sorted(want))
    for name, rows in want.items():
        same(f"{what}: {name}", made.tables.get(name), rows)
        same(f"{what}: columns of {name}", made.columns.get(name), file.columns[name])
    same(f"{what}: integrity", made.sound, [(b"ok",)])
    same(f"{what}: opened again", ask("info", out).get("spans"), len(want["trace"]))
    return len(want["trace"])


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def check_windows(path, out):
    before, beside = digest(path), sorted(os.listdir(os.path.dirname(path) or "."))
    file = File(path)
    starts = sorted(file.ticks(row[10]) for row in file.tables["trace"])
    first, middle, last = starts[0], starts[len(starts) // 2], starts[-1]
    part = (last - first) // 50
    sizes = [check(file, path, out, *window) for window in
             ((None, None), (middle, middle + part), (middle, middle + 1), (None, first + part),
              (last - part, None), (last * 10, last * 10 + 5))]
    if not 0 == sizes[5] < sizes[2] <= sizes[1] < sizes[0] == len(starts):
        fail(f"{path}: the windows hold {sizes} tasks")
    again = export(path, out)
    if again.status == 0 or b"--force" not in again.err:
        fail(f"{again}: replaced a file")
    if export(path, path, None, None, "--force").status == 0:
        fail(f"{path}: wrote to the trace")
    same(f"{path}: the file", digest(path), before)
    same(f"{path}: what lies beside it", sorted(os.listdir(os.path.dirname(path) or ".")), beside)


def check_csv(path, out):
    with open(path, "rb") as f:
        lines = f.read().splitlines(True)
    rows = [line.decode().rstrip("\n").split(", ") for line in lines[1:]]
    times = [(round(float(r[5]) * PS), round(float(r[6]) * PS)) for r in rows]
    middle = sorted(times)[len(times) // 2][0]
    by_id = {row[0]: i for i, row in reversed(list(enumerate(rows)))}
    for low, high in ((middle, middle + 1000), (0, 2**62)):
        chosen = set()
        for i, (start, end) in enumerate(times):
            if start < high and (end > low or start >= low):
                while i is not None and i not in chosen:
                    chosen.add(i)
                    i = by_id.get(rows[i][1])
        run = export(path, out, low, high, "--force")
        with open(out, "rb") as f:
            same(f"{path}: {run}", f.read().splitlines(True),
                 lines[:1] + [lines[i + 1] for i in sorted(chosen)])
    if len(chosen) != len(rows):
        fail(f"{path}: not all of it")


B1 = """create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);
create unique index idx_trace_ID on trace(ID);
create index idx_trace_loc_times on trace(Location, StartTime, EndTime);
create table trace_milestones(ID,TaskID,Time,Kind,What,Location);
create index idx_trace_milestones_TaskID on trace_milestones(TaskID);
insert into trace values('7@L1','7_req_out','req_in','it''s "quoted"','L1',3e-09,9e-09),
 ('7_req_out','w1','req_out',x'00ff','CU[0]',2e-09,1e-08),('w1','','wavefront',null,'CU[0]',1e-09,1.2e-08),
 ('w2','','wavefront',5,'CU[0]',2e-08,3e-08);
insert into trace_milestones values('90','7@L1',4e-09,'queue','L1.q','L1'),('91','w2',2.5e-08,'queue','q','L1'),
 ('92','nobody',2.5e-08,'queue','q','L1');"""

D2 = """create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);
create index idx_trace_StartTime on trace(StartTime);
create index idx_trace_ParentID on trace(ParentID);
create table location(ID,Locale);
create unique index idx_location_ID on location(ID);
insert into location values(7,'L2.req_out'),(1,'L2.req_in');
insert into trace values(14,2,'req_in','WriteReq',1,2000.0,31000.0),(2,0,'req_out','WriteReq',7,1000.0,32000.0),
 (3,0,'req_out','WriteReq',7,50000.0,50000.0);
create table milestone(ID,TaskID,Time,Kind,What);
insert into milestone values(15,14,9000.0,'work','L2.p'),(16,3,50000.0,'work','L2.p'),(17,'14',1.0,'work','x');
create table tag(ID,TaskID,Time,What);
create index idx_tag_What on tag(What);
insert into tag values(18,14,9000.0,'write-hit'),(19,3,50000.0,'write-miss');
create table "daisen$segments"(StartTime,EndTime);
insert into "daisen$segments" values(0.0,40000.0),(45000.0,60000.0);"""

# What a schema can say beside; none of it may come into the export, or run.
HOSTILE = """create table "evil""); drop table trace; --"(x);
create index "evil""); drop table trace; --i" on trace(ID);
create index idx_trace_Kind on trace(Kind) where Kind = 'wavefront';
create index idx_trace_What on trace(What || 'x');
create view exec_info as select 'a' Property, 'b' Value;
create trigger added after insert on trace begin delete from trace; end;"""


def make(path, sql):
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()
    return path


def check_hostile(folder, out):
    plain, path = make(f"{folder}/plain", B1), make(f"{folder}/hostile", B1 + HOSTILE)
    if export(plain, out, None, None, "--force").status != 0:
        fail("hostile: not even without its schema")
    plain = File(out)
    run = export(path, out, None, None, "--force")
    made = File(out)
    same("hostile: tables", made.tables, plain.tables)
    if b"1 table was left out" not in run.err:
        fail(f"{run}: does not say what is missing")
    run = Run("export", "--format", "akita", path)
    if run.status == 0 or b"-o FILE" not in run.err:
        fail(f"{run}: a database as text")


def check_damaged(path, folder, out):
    """No part without a word: what was there stays, and nothing new does."""
    cut = f"{folder}/cut"
    with open(path, "rb") as f, open(cut, "wb") as g:
        g.write(f.read()[: os.path.getsize(path) // 2])
    before = digest(out)
    run = export(cut, out, None, None, "--force")
    if run.status != 1 or b"damaged" not in run.err:
        fail(f"{run}: does not say that it is damaged")
    same("damaged: what was there", digest(out), before)
    same("damaged: what is left", [name for name in os.listdir(folder) if name.endswith(".part")], [])


def check_stream(folder):
    path = f"{folder}/stream"
    with open(path, "w") as f:
        f.write("pgtrace 1 10\n=a\tb\tc\n+5 0\n+7 0\n-1 1\n")
    run = Run("export", "--format", "akita", path)
    if run.status == 0 or run.out or b"Akita's form" not in run.err:
        fail(f"{run}: another form")
    run = Run("export", "--format", "kanata", path)
    if run.status != 1 or run.out or b"--format akita" not in run.err:
        fail(f"{run}: does not say which formats there are")


def main():
    folder = sys.argv[1]
    out = f"{folder}/extracted"
    if len(sys.argv) == 2:
        for name, sql, windows in (("b1", B1, ((3000, 4000), (20000, None), (None, None))),
                                   ("d2", D2, ((3000, 42000), (50000, 50001), (32000, 50000), (None, None)))):
            path = make(f"{folder}/{name}", sql)
            for window in windows:
                check(File(path), path, out, *window)
        check_hostile(folder, out)
        check_stream(folder)
    for path in sys.argv[2:]:
        (check_csv if path.endswith(".csv") else check_windows)(path, out)
    for path in [path for path in sys.argv[2:] if "mesh" in path]:
        check_damaged(path, folder, out)
    finish()


main()
