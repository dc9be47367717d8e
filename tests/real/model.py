"""The lives that a pipetrace describes, read line by line straight from the format document.

Slow, literal and independent of the program under test: what the tests of this folder compare
it with. One Row a birth record, in file order, after the rows whose birth is not in the trace.
"""

import re
from itertools import accumulate

STAGES = ("IF", "DA", "EX", "WB", "CT")
EVENTS = (("cache-miss", 1), ("tlb-miss", 2), ("mispredict", 4), ("mispredict-detected", 8), ("agen", 16))
FATES = ("committed", "squashed", "dropped", "lost", "in-flight", "unknown")
MISSES = 3  # only these bits give the latency and colour fields a meaning

CYCLE = re.compile(rb"@ (\d+)$")
BIRTH = re.compile(rb"\+ (\d+) 0x([0-9a-f]+) 0x[0-9a-f]+ (.*)$")
ENTRY = re.compile(rb"\* (\d+) ([A-Z]+) 0x([0-9a-f]+)(?: (-?\d+) 0x([0-9a-f]+))?$")
REMOVAL = re.compile(rb"- (\d+)$")
STATISTIC = re.compile(rb"<([A-Za-z_]\w*)>\s*(\S.*)$")


def program_order(rows):
    return sorted(rows, key=lambda r: (r.parent.number if r.micro and r.parent else r.number, r.number))


def heads(order, first, last):
    """{row number: ticks of [first, last] that it held the head of the commit queue}; {row number:
    ticks before it that were nobody's}; and ticks at the ends. Told tick by tick: each belongs to the
    first row in program order that ends after it, if that is born yet."""
    order = [r for r in order if r.fate == "committed"]
    held = {r.number: 0 for r in order}
    empty, ends, at = dict(held), 0, 0
    for tick in range(first, last + 1):
        while at < len(order) and order[at].end <= tick:
            at += 1
        if at == len(order) or (at == 0 and order[at].start > tick):
            ends += 1
        elif order[at].start <= tick:
            held[order[at].number] += 1
        else:
            empty[order[at].number] += 1
    return held, empty, ends


def reasons(order, missed=lambda row: False, mispredicted=lambda row: False):
    """{row number: what an empty stretch before it is called}, of the rows in program order."""
    why, wrong = {}, False
    for row in order:
        if row.fate in ("squashed", "lost"):
            wrong = True
        elif row.fate == "committed":
            why[row.number] = "fetch-wait" if missed(row) else "squash-refill" if wrong else "unexplained"
            wrong = mispredicted(row)
    return why


class Run:
    """What stalls says of the run and, by instruction, of its share of it."""

    def __init__(self, order, first, last, **known):
        self.held, self.empty, self.ends = heads(order, first, last)
        self.why, self.cycles = reasons(order, **known), last + 1 - first

    def cost(self, number):
        return self.held[number] + self.empty[number]

    def empty_by(self, numbers):
        by = dict.fromkeys(("squash-refill", "fetch-wait", "unexplained"), 0)
        for number in numbers:
            by[self.why[number]] += self.empty[number]
        return by

    def told(self):
        head = sum(self.held.values())
        return {"cycles": self.cycles, "head": head, "empty": self.cycles - head,
                "empty_by": {**self.empty_by(self.held), "start-and-end": self.ends}}


class Stay:
    __slots__ = ("stage", "start", "end", "mask", "latency", "colour")

    def __init__(self, stage, start, mask, latency, colour):
        self.stage, self.start, self.end, self.mask = stage, start, None, mask
        self.latency, self.colour = latency, colour

    def marks(self):
        return [
            {"name": name, "latency": self.latency if self.colour == bit else None}
            for name, bit in EVENTS
            if self.mask & bit
        ]


class Row:
    __slots__ = ("seq", "pc", "text", "start", "end", "fate", "stays", "micro", "parent", "number", "overtaken")

    def __init__(self, seq, pc, text, start):
        self.seq, self.pc, self.text, self.start = seq, pc, text, start
        self.end = self.fate = self.parent = self.number = self.overtaken = None
        self.stays = []
        self.micro = False


class Trace:
    """rows, first, last, statistics {name: [(tick, value)]}, notes {what: count}"""

    def __init__(self, text):
        self.born, self.unknown = [], []
        self.alive = {}  # seq -> Row, dead rows included until their number is born again
        self.statistics = {}
        self.notes = {"foreign": 0, "second removal": 0, "hidden": 0, "not a number": 0, "end": 0, "crlf": 0}
        self.first = self.last = None
        self.tick = None
        self.fetching = []  # rows in fetch, oldest first
        self.waiting = []  # stock micro-ops whose parent's decode record comes next
        self.replaced = {}  # pc -> the macro-instruction last dropped there
        self.before = None  # the row that the line before entered DA
        self.fresh = None  # the row that the line before gave birth to
        lines = text.split(b"\n")
        self.cut = lines.pop()  # what follows the last newline is no line
        for line in lines:
            if line.endswith(b"\r"):
                line = line[:-1]
                self.notes["crlf"] += 1
            if line and not self.line(line):
                self.foreign(line)
        self.finish()

    def foreign(self, line):
        """Output of the program, perhaps without its newline and with a record glued behind it."""
        self.notes["foreign"] += 1
        for at in range(1, len(line)):
            if line[at : at + 1] in b"@+*-<" and self.line(line[at:]):
                return

    def line(self, line):
        before, fresh = self.before, self.fresh
        self.before = self.fresh = None
        if m := CYCLE.match(line):
            self.tick = int(m[1])
            if self.first is None:
                self.first = self.tick
            self.last = self.tick
        elif m := ENTRY.match(line):
            self.entry(m, fresh)
        elif m := BIRTH.match(line):
            row = Row(int(m[1]), int(m[2], 16), m[3], self.tick)
            self.alive[row.seq] = self.fresh = row
            self.born.append(row)
        elif m := REMOVAL.match(line):
            self.removal(int(m[1]), before)
        elif line == b"<END VISUAL>":
            self.notes["end"] += 1
        elif m := STATISTIC.match(line):
            self.statistic(m[1].decode(), m[2])
        else:
            return False
        return True

    def row_of(self, seq):
        row = self.alive.get(seq)
        if row is None:
            row = self.alive[seq] = Row(seq, None, None, self.first)
            row.fate = "unknown"
            self.unknown.append(row)
        return row

    @staticmethod
    def colour(misses, colour):
        """The event that the latency belongs to; commit records leave it out, latency 0."""
        return colour & misses or misses & -misses

    def entry(self, m, fresh):
        row, stage, mask = self.row_of(int(m[1])), m[2].decode(), int(m[3], 16)
        latency = int(m[4]) if m[4] and mask & MISSES else None
        colour = self.colour(mask & MISSES, int(m[5], 16)) if m[5] and mask & MISSES else None
        if row is fresh:
            row.micro = stage == "DA"  # micro-ops have no fetch
        if row.stays:
            row.stays[-1].end = self.tick
        row.stays.append(Stay(stage, self.tick, mask, latency, colour))
        if stage == "IF":
            self.fetching.append(row)
        elif stage == "DA":
            self.before = row
            self.decode(row, fresh)

    def decode(self, row, fresh):
        if row.micro:
            if row.text == b"[internal ld/st]":
                self.waiting.append(row)
            else:
                row.parent = self.replaced.get(row.pc)
            return
        for u in self.waiting:
            if u.pc == row.pc:
                u.parent = row
        self.waiting = []
        if row.fate == "unknown":
            return
        still = []
        for older in self.fetching:
            if older.end is not None or older.stays[-1].stage != "IF":
                continue
            if older.seq < row.seq and older.overtaken is None:
                older.overtaken = self.tick
            still.append(older)
        self.fetching = still

    def removal(self, seq, before):
        row = self.row_of(seq)
        if row.end is not None:
            self.notes["second removal"] += 1
            return
        row.end = self.tick
        if row.stays:
            row.stays[-1].end = self.tick
        if row.fate is None:
            if any(s.stage == "CT" for s in row.stays):
                row.fate = "committed"
            elif row is before:
                row.fate = "dropped"
                self.replaced[row.pc] = row
            else:
                row.fate = "squashed"

    def statistic(self, name, value):
        if name.startswith("NT"):
            self.notes["hidden"] += 1
            return
        try:
            sample = float(value)
        except ValueError:
            self.notes["not a number"] += 1
            return
        self.statistics.setdefault(name, []).append((self.tick, sample))

    def finish(self):
        self.rows = sorted(self.unknown, key=lambda r: r.seq) + self.born
        for number, row in enumerate(self.rows):
            row.number = number
            if row.stays and row.stays[-1].stage == "CT":
                row.stays[-1].end = row.stays[-1].start
            if row.end is None and row.overtaken is not None and row.fate is None and len(row.stays) == 1:
                row.fate, row.end = "lost", row.overtaken
                row.stays[-1].end = row.end
            elif row.fate is None:
                row.fate = "in-flight"

    # What is counted

    def until(self, end):
        return self.last + 1 if end is None else end

    def fates(self):
        counts = dict.fromkeys(FATES, 0)
        for row in self.rows:
            counts[row.fate] += 1
        return counts

    def stage_counts(self):
        """{stage: [entries, ticks]}"""
        counts = {stage: [0, 0] for stage in STAGES}
        for row in self.rows:
            for s in row.stays:
                c = counts.setdefault(s.stage, [0, 0])
                c[0] += 1
                c[1] += self.until(s.end) - s.start
        return counts

    def event_counts(self):
        """{event: [records, sum of latencies or None]}"""
        counts = {name: [0, None] for name, _ in EVENTS}
        for row in self.rows:
            for s in row.stays:
                for mark in s.marks():
                    c = counts[mark["name"]]
                    c[0] += 1
                    if mark["latency"] is not None:
                        c[1] = (c[1] or 0) + mark["latency"]
        return counts

    def per_tick(self, metric, stages=None):
        """One number for each tick of [first, last + 1)."""
        steps = [0] * (self.last + 2 - self.first)

        def span(start, end):
            steps[start - self.first] += 1
            steps[self.until(end) - self.first] -= 1

        def instant(tick):
            span(tick, tick + 1)

        for row in self.rows:
            if metric == "fetch":
                if row.fate != "unknown":
                    instant(row.start)
            elif metric in ("commit", "ipc"):
                if row.fate == "committed" and not (metric == "ipc" and row.micro):
                    instant(row.end)
            elif metric == "squash":
                if row.fate == "squashed":
                    instant(row.end)
            elif metric == "in-flight":
                span(row.start, row.end)
            else:
                for s in row.stays:
                    if stages is None or s.stage in stages:
                        span(s.start, s.end)
        return list(accumulate(steps))[:-1]
