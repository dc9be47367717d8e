"""Kanata logs, read a second time the plain way: real ones, and made ones with every irregularity."""

import gzip
import os
import random
import re
import sys

import check
import series
from check import Run, ask, same
import model

PC = re.compile(r"(0[xX])?([0-9a-fA-F]{1,16}):[ \t]*(.*)$", re.S)


def split_pc(text):
    m = PC.match(text)
    if not m or not (m[1] or re.search(r"\d", m[2]) or len(m[2]) >= 8):
        return None, text
    return hex(int(m[2], 16)), m[3]


def unescape(text, newline="\n"):
    return text.replace("\\n", newline).replace("\\t", "\t")


def one_line(text):
    return unescape(text, " ")


def strip(text, newlines=True):
    while True:
        cut = text.rstrip(" \t\r")
        if newlines and cut.endswith("\\n"):
            cut = cut[:-2]
        if cut == text:
            return text
        text = cut


class Row:
    def __init__(self, number, name, thread, tick):
        self.number, self.id, self.thread, self.start, self.end = number, name, thread, tick, None
        self.fate, self.pc, self.text, self.detail = "in-flight", None, "", ""
        self.stages, self.links, self.labels = [], [], {}

    def last(self, lane):
        return next((s for s in reversed(self.stages) if s["lane"] == lane), None)


class Names:
    """A table with so many places, of which the last one is for all names to come."""

    def __init__(self, places, *names):
        self.own, self.places, self.rest = list(names), places, set()

    def known(self, name):
        return name if name in self.own else "other"

    def give(self, name):
        if name not in self.own and len(self.own) < self.places - 1:
            self.own.append(name)
        elif name not in self.own:
            self.rest.add(name)
        return self.known(name)


class Log:
    """Section 1 of the format document, with its recommended answers to what is irregular."""

    def __init__(self, data):
        self.rows, self.by_id, self.tick, self.first = [], {}, 0, None
        self.odd_labels = self.stale = self.ended = self.undefined = self.reborn = self.reused = self.strays = 0
        lines = data.split(b"\n")
        self.label = None
        self.stages, self.lanes = Names(64), Names(16, "0")
        if lines[-1].count(b"\t") < 4:  # cut in the middle, unless a tab ends each of its fields
            lines.pop()
        for raw in lines:
            self.line(raw.decode("utf-8", "replace"))
        self.odd_header = not re.fullmatch(rb"Kanata\t0004[ \t\r]*", lines[0])
        self.first = self.first if self.first is not None else 0
        self.last = self.tick

    def seen(self, tick):
        if self.first is None:
            self.first = tick

    def line(self, line):
        line = line[:-1] if line.endswith("\r") else line
        fields = line.split("\t")
        command = fields[0]
        if command in ("C", "C="):
            n = int(fields[1])
            if command == "C=":
                self.tick = n if self.first is None or n > self.tick else self.tick
            else:
                self.seen(self.tick if self.rows else self.tick + n)
                self.tick += n
            self.seen(self.tick)
            self.label = None
            return
        if command == "I":
            self.birth(*fields[1:4])
        elif command in ("S", "E", "L", "R", "W"):
            row = self.by_id.get(int(fields[1]))
            self.strays += command == "W" and (row is None or row.end is not None)
            if row is None:
                self.undefined += 1
            elif command == "L":
                self.add_label(row, int(fields[2]), line.split("\t", 3)[3] if len(fields) > 3 else "")
            elif row.end is not None:
                self.ended += 1
            else:
                getattr(self, command.lower())(row, fields)
        elif self.label and line and not line.startswith("#"):
            row, kind = self.label
            self.go_on(row, kind, line)
            return
        row = self.by_id.get(int(fields[1])) if command == "L" else None
        self.label = (row, int(fields[2])) if row else None

    def birth(self, name, gid, thread):
        old = self.by_id.get(int(name))
        if old is not None and old.end is None:
            self.reborn += 1
            self.finish(old, "lost")
        elif old is not None:
            self.reused += 1
        row = Row(len(self.rows), int(name), int(thread), self.tick)
        self.rows.append(row)
        self.by_id[row.id] = row

    def s(self, row, f):
        while f[2].isdigit() and len(self.lanes.own) < int(f[2]) < 15:
            self.lanes.own.append(str(len(self.lanes.own)))
        lane = self.lanes.give(f[2])
        last = row.last(lane)
        if last and last["end"] is None:
            last["end"] = self.tick
        row.stages.append({"name": self.stages.give(f[3].strip()), "lane": lane, "start": self.tick, "end": None, "note": []})

    def e(self, row, f):
        """The open stage of the lane, or one of the last two that ended there: it went on beside the next."""
        lane, name = self.lanes.known(f[2]), self.stages.known(f[3].strip())
        of_lane = [s for s in row.stages if s["lane"] == lane]
        last = of_lane[-3 if of_lane and of_lane[-1]["end"] is None else -2:]
        meant = next((s for s in reversed(last) if s["name"] == name), None)
        if meant:
            meant["end"] = self.tick if meant["end"] is None or meant["end"] < self.tick else meant["end"]
        self.stale += not meant

    def r(self, row, f):
        self.finish(row, "committed" if len(f) < 4 or f[3].strip() in ("", "0") else "squashed")

    def w(self, row, f):
        """The producer is who bears the id by now, or else the first who will."""
        producer = self.by_id.get(int(f[2]))
        row.links.append((int(f[2]), int(f[3]) if len(f) > 3 and f[3] else 0, self.tick,
                          producer and producer.number))

    def finish(self, row, fate):
        row.end, row.fate = self.tick, fate
        for s in row.stages:
            if s["end"] is None:
                s["end"] = self.tick

    def go_on(self, row, kind, text):
        """A blank stands for the newline, unless one begins the line."""
        text = strip(text, False)
        if kind == 2 and row.stages:
            note = row.stages[-1]["note"]
            before = next((i for i in reversed(range(len(note))) if note[i]), None)
            if before is None:
                note.append(unescape(text))
            elif text:
                note[before] += (" " if text[0] not in " \t" else "") + unescape(text)
            return
        if text and text[0] not in " \t":
            if kind == 0 and row.text:
                row.text += " "
            elif kind != 0 and row.detail:
                row.detail += " "
        if kind == 0: # no pc is looked for
            row.text += one_line(text)
        else:
            self.odd_labels += kind == 2 and row.end is None
            row.detail += unescape(text)

    def add_label(self, row, kind, text):
        if kind == 0:
            pc, text = split_pc(strip(text))
            row.pc = row.pc or pc
            row.text += one_line(text)
        elif kind == 1:
            row.detail += unescape(strip(text, False))
        elif not row.stages:
            self.odd_labels += row.end is None
            row.detail += ("\n" if row.detail else "") + unescape(strip(text))
        else:
            row.stages[-1]["note"].append(unescape(strip(text)))


def lane(name):
    return int(name) if name.isdigit() else name


def compare(log, path, *options):
    """Everything that rows and info tell of the log."""
    got = ask("rows", *options, path)["rows"]
    same("rows", len(got), len(log.rows))
    places = {}
    for row in reversed(log.rows):
        places[row.id] = row.number
    for row, mine in zip(log.rows, got):
        name = f"row {row.number}"
        same(name, (mine["id"], mine["thread"], mine["start"], mine["end"], mine["fate"]),
             (str(row.id), row.thread, row.start, row.end, row.fate))
        same(f"{name}: pc", mine["pc"], row.pc)
        same(f"{name}: text", mine["text"] or "", row.text)
        same(f"{name}: detail", mine["detail"] or "", row.detail.rstrip("\n"))
        want = [(s["name"], lane(s["lane"]), s["start"], s["end"], "\n".join(n for n in s["note"] if n)) for s in row.stages]
        have = [(s["name"], s["lane"], s["start"], s["end"], s.get("detail", "")) for s in mine["stages"]]
        same(f"{name}: stages", have, want)
        have = [(int(l["id"]), l["type"], l["tick"], l["from"]) for l in mine["links"] or []]
        same(f"{name}: links", have, [(*l, places.get(l[0]) if p is None else p) for *l, p in row.links])
    compare_info(log, ask("info", *options, path))
    return got


def compare_births(log, path):
    """Also of a log whose cycle lines say the same tick again."""
    ticks = [0] * (log.last + 1 - log.first)
    for row in log.rows:
        ticks[row.start - log.first] += 1
    for bins in (1, 100, 1000):
        want = series.means(ticks, log.first, log.first, log.last + 1, bins)
        got = ask("series", "--metric", "fetch", "--bins", bins, path)["values"]
        check.close(f"births in {bins} bins", got, want, 1e-6)


def compare_stalls(log, path):
    """Who held the head of the commit queue, told tick by tick; and what instructions there are."""
    run = model.Run(log.rows, log.first, log.last)
    held = run.held
    stalls = ask("stalls", "--limit", len(log.rows), path)
    same("run", stalls["run"], run.told())
    want = {}
    for row in log.rows:
        cost = want.setdefault((row.pc or "", row.text), {"count": 0, "head": 0, "empty_by": run.empty_by(()), "squashed": 0, "worst": None})
        cost["count"] += 1
        cost["squashed"] += row.fate == "squashed"
        if row.number in held:
            cost["head"] += held[row.number]
            cost["empty_by"][run.why[row.number]] += run.empty[row.number]
            if cost["worst"] is None or run.cost(row.number) > run.cost(cost["worst"]):
                cost["worst"] = row.number
    rest = [{"pc": None, "text": None, **stalls["unattributed"]}] if "unattributed" in stalls else []
    got = {(p["pc"] or "", p["text"] or ""): {k: p[k] for k in ("count", "head", "empty_by", "squashed", "worst")}
           for p in stalls["pcs"] + rest}
    same("static instructions", sorted(got), sorted(want))
    for key in want:
        same(str(key), got.get(key), want[key])
    middle = (log.first + log.last) // 2
    parts = [ask("stalls", path, "--from", a, "--to", b)["run"]
             for a, b in ((log.first, middle), (middle, log.last + 1))]
    for part in (*parts, stalls["run"]): # what is empty across the middle ends one half and not the other
        same("empty", sum(part.pop("empty_by").values()), part["empty"])
    same("two halves", {k: parts[0][k] + parts[1][k] for k in parts[0]}, stalls["run"])


def compare_info(log, info):
    fates = [r.fate for r in log.rows]
    same("instructions", info["instructions"], len(log.rows))
    for key, fate in (("committed", "committed"), ("squashed", "squashed"), ("in_flight", "in-flight"), ("lost", "lost")):
        same(key, info[key], fates.count(fate))
    same("ticks", (info["first"], info["last"]), (log.first, log.last))
    entries = {}
    for row in log.rows:
        for s in row.stages:
            entries[s["name"]] = entries.get(s["name"], 0) + 1
    same("stages", {c["name"]: c["spans"] for c in info["components"]}, entries)
    same("links", info["links"], sum(len(r.links) for r in log.rows))
    same("warnings", info["warning_count"], log.ended + log.undefined + log.reborn + log.odd_labels + min(log.reused, 16) + log.odd_header +
         len(log.stages.rest) + len(log.lanes.rest))
    for key, count in (("other-stage-names", len(log.stages.rest)), ("other-lane-names", len(log.lanes.rest)),
                       ("stale-stage-ends", log.stale), ("reused-ids", log.reused), ("stray-links", log.strays)):
        same(key, info["notes"][key], count)
    # what is a warning is no note as well
    same("second removals", info["notes"]["second-removals"], 0)


def compare_curves(log, path):
    """Areas: what the index sums up is what the stays add up to."""
    stays = {}
    for s in (s for r in log.rows for s in r.stages):
        stays.setdefault(s["name"], []).append((s["start"], log.last + 1 if s["end"] is None else s["end"]))
    ticks = log.last + 1 - log.first
    middle = log.first + ticks // 3
    for number, name in enumerate(sorted(stays)):
        want = sum(end - start for start, end in stays[name])
        got = ask("series", "--metric", "occupancy", "--component", f"^{re.escape(name)}$", "--bins", "1", path)["values"]
        same(f"occupancy of {name}", round((got[0] or 0) * ticks), want)
        if number % 4: # of many names, some
            continue
        want = sum(max(0, min(end, middle) - start) for start, end in stays[name])
        got = ask("series", "--metric", "occupancy", "--component", f"^{re.escape(name)}$", "--bins", "1",
                  "--from", log.first, "--to", middle, path)["values"]
        # the index sums up what went on beside the next stage where that ended
        check.close(f"occupancy of {name} to {middle}", [(got[0] or 0) * (middle - log.first)], [want], 5e-3)


def make(rng, rows, odd, crowd=120, kinds=0, lanes=3, wrap=0):
    """A log of so many instructions; odd: how often something irregular happens; crowd: how many are alive;
    wrap: ids are used again after so many, unless theirs are still alive."""
    out, tick, alive, done, next_id = ["Kanata\t0004", f"C=\t{rng.randrange(-5, 100)}"], 0, [], [], 0
    names = ["F", "Dc", "Rn", "Is", "X", "Wb", "Cm", "a-long-stage-name"]
    names += [f"stage {i}" for i in range(kinds)]

    def maybe(chance=odd):
        return rng.random() < chance

    while next_id < rows or alive:
        for _ in range(rng.randrange(4) if next_id < rows else 0):
            next_id += rng.randrange(1, 4) if maybe() else 1
            new = next_id % wrap if wrap else next_id
            if new in alive:
                continue
            out.append(f"I\t{new}\t{rng.randrange(1 << 40)}\t{rng.randrange(3)}")
            if rng.random() < 0.9:
                out.append(f"L\t{new}\t0\t{rng.randrange(500) * 4 + 0x80000000:x}: op{rng.randrange(9)} r{rng.randrange(32)}")
            alive.append(new)
        for i in alive if len(alive) < 300 else rng.sample(alive, 100):
            act = rng.random()
            if act < 0.5:
                out.append(f"S\t{i}\t0\t{rng.choice(names)}" + ("\t" if maybe() else ""))
            elif act < 0.56:
                out.append(f"S\t{i}\t{rng.randint(1, lanes)}\tstl")
            elif act < 0.62:
                out.append(f"E\t{i}\t{rng.choice('0011')}\t{rng.choice(['stl', *names])}")
            elif act < 0.66:
                out.append(f"L\t{i}\t{rng.choice('0112')}\tnote {rng.randrange(99)}\\nmore\\n")
            elif act < 0.72 and (alive.index(i) if wrap else i > 20):
                # of an id that is used again the one before its consumer is meant
                producers = alive[:alive.index(i)] if wrap else [*alive, *done[-20:], *done[:1]]
                out.append(f"W\t{i}\t{rng.choice(producers)}\t{rng.choice('001')}")
            elif act < 0.8:
                out.append(f"R\t{i}\t{i}\t{rng.choice(['0', '0', '0', '1', ''])}")
                alive.remove(i)
                done.append(i)
            if maybe():
                out.append(rng.choice([f"R\t{i}\t0\t1", f"S\t{next_id + 50}\t0\tF", f"W\t{i}\t{max(i - 3, 0)}\t0", f"W\t{next_id + 50}\t{i}\t0", f"L\t{i}\t1\tlate", f"E\t{i}\t0\tX", "L\t%d\t%d\tbroken\nin two" % (i, rng.randrange(3)), "L\t%d\t%d\t\n%sempty head" % (i, rng.randrange(3), rng.choice(["", " "]))]))
                if out[-1].startswith("R") and i in alive:
                    alive.remove(i)
                    done.append(i)
        if len(alive) > crowd or next_id >= rows:
            for i in alive[:60]:
                out.append(f"R\t{i}\t0\t0")
            done += alive[:60]
            alive = alive[60:]
        step = rng.choice([1, 1, 1, 1, 0, 2, 30])
        out.append(f"C\t{step}")
        tick += step
    return ("\n".join(out) + "\n").encode()


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def rows_told(*args, **kw):
    """As it was printed: all ways of reading one log print the same."""
    run = Run("rows", "--json", *args, **kw)
    if run.status != 0:
        check.fail(f"{run}: status {run.status}")
    return run.out


folder = sys.argv[1]
for path in sys.argv[2:]:
    print("==", path.rsplit("/", 1)[-1], flush=True)
    with open(path, "rb") as f:
        data = f.read()
    log = Log(data)
    compare(log, path)
    compare_curves(log, path)
    compare_births(log, path)
    compare_stalls(log, path)
    plain = rows_told(path)
    for other in (write(folder, "packed.gz", gzip.compress(data, 1)), write(folder, "crlf", data.replace(b"\n", b"\r\n"))):
        same(other, rows_told("--no-cache", other) == plain, True)
        compare_info(log, ask("info", "--no-cache", other))

# irregular ones, a crowd, many names, ids used again; the last three are several pieces of text
CROWD = {"crowd": 20000}
MANY_NAMES = {"kinds": 90, "lanes": 30}
MADE = ((1, 300, 0, {}), (2, 300, 0.05, {}), (3, 3000, 0.02, {}), (9, 3000, 0.01, {"wrap": 700}),
        (7, 22000, 0.001, CROWD), (8, 6000, 0.002, MANY_NAMES), (10, 9000, 0.001, {"wrap": 3200}))
for seed, rows, odd, more in MADE:
    print("== made", seed, flush=True)
    data = make(random.Random(seed), rows, odd, **more)
    log, path = Log(data), write(folder, f"made{seed}", data)
    compare(log, path, "--no-cache", "--threads", 1)
    one = rows_told("--no-cache", "--threads", 1, path)
    same("three threads", rows_told("--no-cache", "--threads", 3, path) == one, True)
    same("makes the cache", rows_told(path) == one, True)
    same("from the cache", rows_told(path) == one, True)
    with open(path, "rb") as f:
        same("pipe", rows_told("-", stdin=f) == one, True)
    compare_curves(log, path)
    compare_births(log, path)
    compare_stalls(log, path)
check.finish()
