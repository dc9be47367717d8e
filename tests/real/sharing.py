"""What `sharing` says of a trace of shared memory, against the text of the trace counted anew."""

import os
import sys
from collections import Counter, defaultdict

from check import ask, finish, same
from functions import bodies

CAUSES = ("cold", "replacement", "true", "false", "inclusion")
WORD = 4


class Trace:
    """The rules of formats/chiron.md and guides/sharing.md with no thought of what they cost."""

    def __init__(self, path):
        lines = [line.split() for line in open(path, encoding="latin-1")]
        head = [int(f[1]) for f in lines if f[0] == "i"][:4]
        self.size, self.caches = head[:2], head[2:]
        self.masks = any(len(f) > 6 for f in lines if f[0] in "gh")
        self.files = {}
        try:
            self.files = dict(line.split() for line in open(path + ".files"))
        except FileNotFoundError:
            pass
        self.bodies = {}  # file -> line -> the function that it is in
        for file in self.files.values():
            source = os.path.join(os.path.dirname(path), file)
            if os.path.exists(source):
                self.bodies[file] = bodies(open(source).read())
        self.objects, self.at = [], {}  # (name, address, size); word -> its number
        # by cell: (word, object, line, cpu)
        self.cycles, self.reads, self.writes = Counter(), Counter(), Counter()
        self.fills, self.shared = defaultdict(Counter), defaultdict(Counter)
        self.pairs, self.transfers = Counter(), Counter()
        self.owner = {}  # (level, block) -> the cache that has it for itself
        self.held = {}  # (level, cache, block) -> the word that it was loaded for
        self.lost = {}  # (level, cache, block) -> None: replaced; or the write, and when
        self.history = defaultdict(list)  # word -> (when, cpu) of writes
        self.now = 0
        group = []
        for f in lines:
            if f[0] == "c":
                self.create(f[1], int(f[2], 8), int(f[3], 8))
            elif f[0] in "RW":
                self.reference(group, f)
                group = []
            elif f[0] in "ghabefp":
                group.append(f)

    def create(self, name, address, size):
        """The smallest object around a word has it; of equal ones the later."""
        number = len(self.objects)
        self.objects.append((name, address, size))
        for word in range(address // WORD, (address + size + WORD - 1) // WORD):
            old = self.at.get(word)
            if old is None or self.objects[old][2] >= size:
                self.at[word] = number

    def name(self, number):
        return "?" if number is None else self.objects[number][0]

    def line(self, source):
        file, line = source >> 18, source & 0x3FFFF
        return self.files.get(str(file), f"file {file}"), line

    def function(self, file, line):
        return self.bodies.get(file, {}).get(line)

    def cache(self, level, cpu):
        return cpu if level == 0 else cpu * self.caches[1] // self.caches[0]

    def reference(self, group, f):
        """All records since the one before belong to it."""
        address, cpu, source, cycles = (int(x, 8) for x in f[1:5])
        self.now += 1
        word = address // WORD
        cell = (word, self.at.get(word), self.line(source), cpu)
        self.cycles[cell] += cycles
        (self.reads if f[0] == "R" else self.writes)[cell] += 1
        if f[0] == "W":
            self.history[word].append((self.now, cpu))
        causes, taken = {}, defaultdict(set)
        for r in group:
            level, block = int(r[3], 8) - 1, int(r[1], 8) // self.size[int(r[3], 8) - 1]
            cache = self.cache(level, int(r[2], 8))
            if r[0] in "hp":
                self.owner[level, block] = cache
            elif r[0] == "g" and self.owner.pop((level, block), cache) != cache:
                self.transfers[level, block] += 1  # a load of what another cache had changed
            if r[0] in "ab":
                self.disown(level, int(r[6], 8) // self.size[level], cache)
                self.lost[level, cache, int(r[6], 8) // self.size[level]] = None
            elif r[0] in "ef":
                self.disown(level, block, cache)
                self.lost[level, cache, block] = (cell, self.now)
                touched = word * WORD // self.size[level] == block  # not only one beside it
                self.transfers[level, block] += r[0] == "e" and touched
                taken[level, block].add(self.held.get((level, cache, block)))
            elif r[0] in "gh":
                mask = int(r[6], 8) if len(r) > 6 else None
                causes[level] = self.why(level, cache, block, cell, mask)
                self.fills[cell][level, causes[level]] += 1
        for r in group:
            level, block = int(r[3], 8) - 1, int(r[1], 8) // self.size[int(r[3], 8) - 1]
            if r[0] == "p" and taken[level, block] and level not in causes:
                causes[level] = "true" if word in taken[level, block] else "false"
        for level, cause in causes.items():
            self.shared[cell][level, cause] += cycles
        if causes:
            self.shared[cell][None, causes[max(causes)]] += cycles

    def disown(self, level, block, cache):
        if self.owner.get((level, block)) == cache:
            del self.owner[level, block]

    def why(self, level, cache, block, cell, mask):
        word = cell[0]
        held = (level, cache, block) in self.held
        self.held[level, cache, block] = word
        if (level, cache, block) not in self.lost:
            return "replacement" if held else "cold"  # it went without a record
        if not self.lost[level, cache, block]:
            return "replacement"
        culprit, since = self.lost[level, cache, block]
        self.pairs[self.name(cell[1]), *cell[2], self.name(culprit[1]), *culprit[2], level + 1] += 1
        if mask is None:
            changed = any(when >= since and self.cache(level, cpu) != cache for when, cpu in self.history[word])
        else:
            changed = mask >> word % (self.size[level] // WORD) & 1
        if changed:
            return "true"
        return "false" if culprit[0] * WORD // self.size[level] == block else "inclusion"

    def by(self, key):
        """Cycles, fills and cycles of shared data, summed by what a cell is of."""
        cycles, fills, shared = Counter(), defaultdict(Counter), defaultdict(Counter)
        for cell, n in self.cycles.items():
            cycles[key(cell)] += n
            fills[key(cell)].update(self.fills[cell])
            shared[key(cell)].update(self.shared[cell])
        return cycles, fills, shared


def of_level(fills, level):
    return {cause: fills[level, cause] for cause in CAUSES}


def verdict(cycles, shared, level=None):
    """At a level; None: at the outermost one of each reference."""
    false, true = shared[level, "false"], shared[level, "true"]
    if not false + true or false + true < 0.05 * cycles:
        return "not-shared"
    share = false / (false + true)
    return "false" if share >= 0.8 else "true" if share <= 0.2 else "mixed"


def check_objects(said, t):
    cycles, fills, shared = t.by(lambda c: c[1])
    numbers = list(range(len(t.objects))) + [None] * (None in cycles)
    want = Counter()
    for i in numbers:
        name, address, size = t.objects[i] if i is not None else ("?", None, None)
        want[(name, hex(address) if address is not None else None, size, cycles[i],
              str(of_level(fills[i], 0)), str(of_level(fills[i], 1)),
              verdict(cycles[i], shared[i]))] += 1
    got = Counter((o["name"], o["address"], o["size"], o["cycles"], str(o["fills_l1"]), str(o["fills_l2"]),
                   o["verdict"]) for o in said["objects"])
    same("objects", sorted(map(str, (got - want).items())), sorted(map(str, (want - got).items())))
    same("order of objects", [o["cycles"] for o in said["objects"]],
         sorted((o["cycles"] for o in said["objects"]), reverse=True))
    classes, _, shared = t.by(lambda c: t.name(c[1]))
    count = Counter(name for name, _, _ in t.objects)
    same("classes", {c["name"]: (c["instances"], c["cycles"], c["verdict"]) for c in said["classes"]},
         {name: (count[name] or None, classes[name], verdict(classes[name], shared[name]))
          for name in [*count, *classes]})


def check_blocks(said, t):
    want = {}
    for level in (0, 1):
        cycles, fills, shared = t.by(lambda c: c[0] * WORD // t.size[level])
        for block in cycles:
            want[level + 1, hex(block * t.size[level])] = (
                cycles[block], of_level(fills[block], level), t.transfers[level, block],
                verdict(cycles[block], shared[block], level))
    got = {(b["level"], b["address"]): (b["cycles"], b["fills"], b["transfers"], b["verdict"])
           for b in said["blocks"]}
    same("blocks", sorted(got.items()), sorted(want.items()))


def check_touches(said, t):
    want = defaultdict(lambda: [0, 0, 0])
    for (word, _, (file, line), cpu), n in t.cycles.items():
        cell = (word, _, (file, line), cpu)
        touch = want[hex(word * WORD), file, line, t.function(file, line), cpu]
        touch[:] = touch[0] + t.reads[cell], touch[1] + t.writes[cell], touch[2] + n
    got = {(s["address"], s["file"], s["line"], s["function"], s["cpu"]): [s["reads"], s["writes"], s["cycles"]]
           for s in said["touches"]}
    same("touches", sorted(map(str, got.items())), sorted(map(str, want.items())))


def check_words(said, t):
    want = {}
    for (word, number, (file, line), cpu), n in t.cycles.items():
        cell = (word, number, (file, line), cpu)
        w = want.setdefault(hex(word * WORD), {"cycles": 0, "object": None, "offset": None, "cpus": {}})
        w["cycles"] += n
        if number is not None:
            w["object"], address, _ = t.objects[number]
            w["offset"] = word * WORD - address
        use = w["cpus"].setdefault(cpu, [0, 0, set()])
        use[0] += t.reads[cell]
        use[1] += t.writes[cell]
        use[2].add(f"{file}:{line}")
    got = {w["address"]: {"cycles": w["cycles"], "object": w["object"], "offset": w["offset"],
                          "cpus": {u["cpu"]: [u["reads"], u["writes"], set(u["lines"])] for u in w["cpus"]}}
           for w in said["words"]}
    for address in sorted(set(got) | set(want)):
        same(f"word {address}", got.get(address), want.get(address))


def check(path):
    t = Trace(path)
    said = ask("sharing", "--words", path)
    _, fills, _ = t.by(lambda c: 0)
    same("bound", said["bound"], None if t.masks else "upper")
    same("levels", said["levels"], [{"level": level + 1, "fills": of_level(fills[0], level)} for level in (0, 1)])
    check_objects(said, t)
    cycles, _, shared = t.by(lambda c: c[2])
    same("lines", {(l["file"], l["line"]): (l["cycles"], l["verdict"]) for l in said["lines"]},
         {line: (n, verdict(n, shared[line])) for line, n in cycles.items()})
    ends = [p[end] for p in said["pairs"] for end in ("victim", "culprit")]
    for row in said["lines"] + ends:
        same("function", row["function"], t.function(row["file"], row["line"]))
    check_blocks(said, t)
    check_words(said, t)
    check_touches(said, t)
    got = {(*(p[end][key] for end in ("victim", "culprit") for key in ("object", "file", "line")), p["level"]):
           p["count"] for p in said["pairs"]}
    same("pairs", sorted(got.items()), sorted(t.pairs.items()))


for trace in sys.argv[1:]:
    print("==", trace)
    check(trace)
finish()
