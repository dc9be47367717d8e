"""
What caches held by real memory traces, read anew: every stay, why it began, how it ended and who ended
it; and what the simulator that wrote the traces counted. What it cost is sharing.py's.
"""

import csv
import io
import subprocess
import sys
from collections import Counter

from check import PIPEGLASS, ask, fail, finish, same

WORD = 4
CAUSES = ("cold", "replacement", "true", "false", "inclusion")
LEVELS = (1, 2)

# What the simulator that wrote the traces counted of them; of mp3d-bad less what a reader without
# masks cannot know: true sharing by writes that hit.
KNOWN = {
    "vecadd1.trace": {"GS": 8394, "ArrayC": 5352, "ArrayA": 1785, "ArrayB": 1785,
                      ("ArrayC", 1, "false"): 24, ("ArrayC", 2, "false"): 61, ("GS", 1, "true"): 193,
                      ("GS", 2, "true"): 65, ("GS", 1, "inclusion"): 1},
    "vecadd1-mask.trace": {"GS": 8394, ("ArrayC", 1, "false"): 24, ("GS", 2, "true"): 65},
    "mp3d-bad.trace": {"Quadrant": 536022, "BoundaryCellWall": 426957, "?": 259549,
                       ("Quadrant", 2, "false"): 4180, ("Quadrant", 1, "inclusion"): 7543,
                       (None, 1, "true"): 874, (None, 1, "false"): 193, (None, 1, "inclusion"): 7916,
                       (None, 2, "true"): 415, (None, 2, "false"): 5170},
}


class Stay:
    def __init__(self, level, cache, block, start, cause, line):
        self.where, self.block, self.start, self.cause, self.line = (level, cache), block, start, cause, line
        self.end = self.ending = self.dirty = self.taker = self.taker_line = None


class Trace:
    """Octal numbers, CPUs at both levels, losses of the CPU that lost, loads at the end of waits: as our traces are."""

    def __init__(self, path):
        self.header, self.objects, self.stays = [], [], []
        self.held, self.writes, self.written = {}, 0, {}
        self.losses, self.references, self.sources = [], 0, set()
        self.cycles, self.fills = Counter(), Counter()  # by word; by word, level and cause
        self.first = self.last = None
        self.loaded = {}  # when, by CPU
        for text in open(path, encoding="ascii"):
            fields = text.split()
            if fields[0] == "i":
                self.header.append(int(fields[1]))
            elif fields[0] == "c":
                self.objects.append((int(fields[2], 8), int(fields[3], 8), fields[1]))
            elif fields[0] != "m":
                self.take(fields[0], *(int(f, 8) for f in fields[1:]))

    def cache(self, level, cpu):
        return cpu if level == 1 else cpu * self.header[3] // self.header[2]

    def block(self, level, address):
        size = self.header[level - 1]
        return address // size * size

    def take(self, letter, address, cpu, *rest):
        if letter in "RW":
            return self.complete(letter, address, cpu, *rest)
        level, source, tick = rest[:3]
        self.first = tick if self.first is None else min(self.first, tick)
        self.last = tick if self.last is None else max(self.last, tick)
        if letter in "ghp":
            self.loaded[cpu] = tick
        if letter in "gh":
            self.load(letter, address, cpu, level, source, tick, rest[3] if len(rest) > 3 else None)
        elif letter in "abef":
            self.lose(letter, rest[3] if letter in "ab" else address, cpu, level, source, tick)
        elif self.there(level, cpu, self.block(level, address)) is None:
            self.from_first(level, cpu, self.block(level, address))

    def there(self, level, cpu, block):
        return self.held.get((level, self.cache(level, cpu), block))

    def from_first(self, level, cpu, block):
        stay = Stay(level, self.cache(level, cpu), block, self.first, "", None)
        self.stays.append(stay)
        self.held[*stay.where, block] = stay
        return stay

    def load(self, letter, address, cpu, level, source, tick, mask):
        block = self.block(level, address)
        before = self.there(level, cpu, block)
        cause = "cold"
        if before:
            cause = self.judge(before, level, address, mask)
            if before.end is None:
                before.end, before.ending, before.dirty = tick, "replaced", False
        stay = Stay(level, self.cache(level, cpu), block, max(tick, before.end if before else tick), cause, source)
        self.stays.append(stay)
        self.held[*stay.where, block] = stay
        self.fills[address // WORD, level, cause] += 1

    def judge(self, before, level, address, mask):
        if before.ending != "invalidated":
            return "replacement"
        if mask is not None:
            written = mask >> (address - before.block) // WORD & 1
        else:
            written = self.written.get(address // WORD, 0) > before.writes
        if written:
            return "true"
        by_other_block = level == 1 and self.block(1, before.taker_address) != before.block
        return "inclusion" if by_other_block else "false"

    def lose(self, letter, address, cpu, level, source, tick):
        block = self.block(level, address)
        stay = self.there(level, cpu, block)
        if stay and stay.end is not None:
            return
        stay = stay or self.from_first(level, cpu, block)
        stay.end, stay.writes = max(tick, stay.start), self.writes
        stay.ending = "replaced" if letter in "ab" else "invalidated"
        stay.dirty = letter in "ae"
        self.losses.append(stay)

    def complete(self, letter, address, cpu, source, cycles):
        if letter == "W":
            self.writes += 1
            self.written[address // WORD] = self.writes
        for stay in self.losses:
            stay.taker, stay.taker_line, stay.taker_address = cpu, source, address
        self.losses = []
        self.first = min(self.first, max(self.loaded[cpu] - cycles, 0))
        self.references += 1
        self.sources.add(source)
        self.cycles[address // WORD] += cycles

    def name(self, word):
        """Objects are made before all else and never deleted; the smallest around a word has it."""
        found = [(size, name) for at, size, name in self.objects if at <= word * WORD < at + size]
        return min(found)[1] if found else "?"

    def by_class(self):
        """And fills of all of them, as those of None."""
        names = {word: self.name(word) for word in self.cycles}
        cycles, fills = Counter(), Counter()
        for word, n in self.cycles.items():
            cycles[names[word]] += n
        for (word, level, cause), n in self.fills.items():
            fills[names[word], level, cause] += n
            fills[None, level, cause] += n
        return cycles, fills


def check_known(name, cycles, fills):
    for key, want in KNOWN[name.removeprefix("whole-")].items():
        same(f"{name}: {key} as the simulator has it", (fills if isinstance(key, tuple) else cycles)[key], want)


def check_info(path, trace, fills):
    info = ask("info", path)
    same(f"{path}: first and last", [info["first"], info["last"]], [trace.first, trace.last])
    same(f"{path}: stays", info["spans"], len(trace.stays))
    same(f"{path}: references", info["references"], trace.references)
    same(f"{path}: objects", info["objects"], len(trace.objects))
    same(f"{path}: classes", info["classes"], len({name for *_, name in trace.objects}))
    same(f"{path}: words", info["words"], len(trace.cycles))
    same(f"{path}: source lines", info["source_lines"], len(trace.sources))
    for level in LEVELS:
        got, fills_of = info["levels"][level - 1], ask("sharing", path)["levels"][level - 1]
        blocks = {s.block for s in trace.stays if s.where[0] == level}
        blocks |= {trace.block(level, word * WORD) for word in trace.cycles}
        same(f"{path}: fills of L{level}", fills_of["fills"], {cause: fills[None, level, cause] for cause in CAUSES})
        same(f"{path}: blocks of L{level}", got["blocks"], len(blocks))


def line_name(file, source):
    return f"{file}:{source & 0o777777}" if source is not None else ""


def check_stays(path, trace, file):
    """All of them, row by row: where, when, why, and who took the block."""
    out = subprocess.run([PIPEGLASS, "export", "--format", "csv", path], capture_output=True, check=True).stdout
    got = [[r["component"], r["block"], r["start"], r["end"], r["cause"], r["ending"], r["dirty"], r["line"],
            r["taker"], r["taker_line"]] for r in csv.DictReader(io.StringIO(out.decode()))]
    want = []
    for s in trace.stays:
        level, cache = s.where
        want.append([f"L{level}[{cache}]", f"{s.block:#x}", str(s.start), "" if s.end is None else str(s.end), s.cause,
                     s.ending or "", str(int(bool(s.dirty))), line_name(file, s.line),
                     "" if s.taker is None else f"CPU[{s.taker}]", line_name(file, s.taker_line)])
    same(f"{path}: rows", len(got), len(want))
    for i, (g, w) in enumerate(zip(got, want)):
        if not same(f"{path}: stay {i}", g, w):
            break


def main():
    for path in sys.argv[1:]:
        trace = Trace(path)
        cycles, fills = trace.by_class()
        check_known(path.split("/")[-1], cycles, fills)
        check_info(path, trace, fills)
        check_stays(path, trace, open(path + ".files", encoding="ascii").read().split()[1])
    if len(sys.argv) < 2:
        fail("no trace was given")
    finish()


main()
