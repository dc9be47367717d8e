"""A renamer of its own, which prints what gem5 prints of it, and what pipeglass makes of that.

usage: renames.py DIRECTORY [LOG]: logs are written there; LOG is a real one of gem5 with the flag
O3CPUAll. PIPEGLASS names the program.

Programs are random; dependencies are known from the architectural registers that instructions read
and write, undone at a squash, never from the text. The text is that of one of three generations of
gem5, of one or two CPUs of one or two threads, with registers that are never renamed.
"""
import os
import random
import re
import subprocess
import sys

import check
from check import same

REACH = 2 << 20  # of text, as the program promises: ROWS_RENAMED_BEFORE, ROWS_NOTES_BEFORE
WORDINGS = "old", "new", "xiangshan"
OBJECTS = {"old": "system.cpu{}", "new": "board.processor.cores{}.core",
           "xiangshan": "system.switch_cpus{}"}
CLASSES = {"integer": 32, "floating_point": 32, "condition_code": 5}
OLD_NAMES = {"integer": "IntRegClass", "floating_point": "FloatRegClass",
             "condition_code": "CCRegClass", "miscellaneous": "MiscRegClass"}
PHYSICAL = {"integer": 96, "floating_point": 64, "condition_code": 24, "miscellaneous": 40}
ZERO = 0  # of the integers: always the same register, though it is written


class Log:
    def __init__(self):
        self.lines, self.size = [], 0

    def put(self, text):
        at = self.size
        self.lines.append(text)
        self.size += len(text) + 1
        return at


class Thread:
    """Registers of a thread: where each is, and who wrote it and in which line."""

    def __init__(self, cpu, tid):
        self.cpu, self.tid = cpu, tid
        self.map = {(c, r): cpu.free[c].pop(0) for c, n in CLASSES.items() for r in range(n)}
        self.map.update({("miscellaneous", r): r for r in range(20)})
        self.writer = {}
        self.rob = []

    def name(self, tag=""):
        return f"[tid:{self.tid}]" + (":" if self.cpu.wording == "old" else "") + tag


class Cpu:
    def __init__(self, number, wording, threads, several):
        self.number, self.wording = number, wording
        self.free = {c: list(range(n)) for c, n in PHYSICAL.items()}
        self.base, at = {}, 0
        for c, n in PHYSICAL.items():
            self.base[c], at = at, at + n
        self.object = OBJECTS[wording].format(number if several else "")
        self.sn = 0
        self.threads = [Thread(self, t) for t in range(threads)]

    def physical(self, cls, reg):
        flat = self.base[cls] + reg
        return {"old": f"{flat}", "new": f"{reg}", "xiangshan": f"p{flat}"}[self.wording]


class Simulation:
    def __init__(self, seed, wording, cpus, threads, noise, instructions):
        self.dice = random.Random(seed)
        self.noise, self.tick = noise, 1000
        self.log, self.rows = Log(), []
        self.cpus = [Cpu(n, wording, threads, cpus > 1) for n in range(cpus)]
        while sum(c.sn for c in self.cpus) < instructions:
            self.cycle()
        for cpu in self.cpus:
            for thread in cpu.threads:
                while thread.rob:
                    self.commit(cpu, thread)

    def say(self, cpu, what):
        return self.log.put(f"{self.tick:7}: {cpu.object}.{what}")

    def cycle(self):
        self.tick += 500
        for cpu in self.cpus:
            thread = self.dice.choice(cpu.threads)
            # now and then so much is said that what is alive ends far behind what it read
            burst = self.noise > 100 and self.dice.random() < .004
            for _ in range(10000 if burst else self.dice.randint(0, self.noise)):
                self.say(cpu, f"iew: {thread.name()} Not blocked, so attempting to run dispatch.")
            for _ in range(self.dice.randint(0, 3)):
                self.rename(cpu, thread)
            if self.dice.random() < .08 and thread.rob:
                self.squash(cpu, thread, self.dice.randrange(len(thread.rob)))
            while thread.rob and (len(thread.rob) > 24 or self.dice.random() < .5):
                self.commit(cpu, thread)

    def registers(self, n):
        got = []
        for _ in range(n):
            cls = self.dice.choice(["integer"] * 5 + list(CLASSES))
            got.append((cls, self.dice.randrange(CLASSES[cls])))
        return got

    def rename(self, cpu, thread):
        cpu.sn += 1
        row = {"id": cpu.sn, "fetch": self.tick - 1000, "from": {}, "far": [], "early": [], "undo": [],
               "pc": 0x10000 * (cpu.number + 1) + 4 * cpu.sn, "thread": cpu.number + 1000 * thread.tid if len(self.cpus) > 1 or thread.tid
               else 0, "cpu": cpu.number, "renamed": self.tick}
        say = f"rename: {thread.name()} "
        self.say(cpu, f"decode: {thread.name()} Processing instruction [sn:{cpu.sn}]")
        row["begun"] = self.say(cpu, f"{say}Processing instruction [sn:{cpu.sn}] with PC "
                                     f"({row['pc']:#x}=>{row['pc'] + 4:#x}).(0=>1).")
        for cls, reg in self.registers(self.dice.randint(0, 3)):
            self.read(cpu, thread, row, cls, reg, say)
        if self.dice.random() < .2:
            self.read(cpu, thread, row, "miscellaneous", self.dice.randrange(20), say)
        for cls, reg in self.registers(self.dice.choice([0, 1, 1, 1, 2])):
            self.write(cpu, thread, row, cls, reg, say)
        thread.rob.append(row)

    def read(self, cpu, thread, row, cls, reg, say):
        phys = cpu.physical(cls, thread.map[cls, reg])
        at = self.say(cpu, say + {
            "old": f"Looking up {OLD_NAMES[cls]} arch reg {reg} (flattened {reg}), "
                   f"got phys reg {phys}",
            "new": f"Looking up {cls} arch reg {reg}, got phys reg {phys} ({cls})",
            "xiangshan": f"Looking up {cls} arch reg x{reg}, got {phys}"}[cpu.wording])
        self.say(cpu, say + f"Register {phys} is ready.")
        if cls == "miscellaneous":
            return
        row["reads"] = row.get("reads", 0) + 1
        writer = thread.writer.get((cls, reg))
        if writer and at - writer[1] <= REACH:
            row["from"].setdefault(writer[0], (at, self.tick))
        else:
            row["far" if at > REACH else "early"].append((at, cls, reg))

    def write(self, cpu, thread, row, cls, reg, say):
        old = thread.map[cls, reg]
        kept = (cls, reg) == ("integer", ZERO)
        if not kept and not cpu.free[cls]:
            return
        new = old if kept else cpu.free[cls].pop(0)
        flat = cpu.base[cls]
        self.log.put(f"{self.tick:7}: global: Renamed reg {reg} to physical reg " + {
            "old": f"{flat + new} old mapping was {flat + old}"}.get(
                cpu.wording, f"{flat + new} ({flat + new}) old mapping was {flat + old} "
                             f"({flat + old})"))
        at = self.say(cpu, say + {
            "old": f"Renaming arch reg {reg} to physical reg {flat + new}.",
            "new": f"Renaming arch reg {reg} ({cls}) to physical reg {new} ({flat + new}).",
            "xiangshan": f"Rename map arch reg x{reg} ({cls}) to p{flat + new}."}[cpu.wording])
        row["undo"].append((cls, reg, old, new, thread.writer.get((cls, reg))))
        if not kept:
            thread.map[cls, reg] = new
            thread.writer[cls, reg] = (row["id"], at)
        self.say(cpu, f"rename: {thread.name()} [sn:{row['id']}] Adding instruction to history "
                      f"buffer (size=1).")

    def squash(self, cpu, thread, keep):
        while len(thread.rob) > keep:
            row = thread.rob.pop()
            for cls, reg, old, new, writer in reversed(row["undo"]):
                self.say(cpu, f"rename: {thread.name()} Removing history entry with sequence "
                              f"number {row['id']}.")
                if old == new:
                    continue
                thread.map[cls, reg] = old
                if writer:
                    thread.writer[cls, reg] = writer
                else:
                    thread.writer.pop((cls, reg))
                cpu.free[cls].append(new)
            self.record(cpu, thread, row, 0)

    def commit(self, cpu, thread):
        row = thread.rob.pop(0)
        for cls, _, old, new, _ in row["undo"]:
            if old != new:
                cpu.free[cls].append(old)
        self.record(cpu, thread, row, self.tick)

    def record(self, cpu, thread, row, retired):
        row["tick"] = retired
        self.say(cpu, f"commit: {thread.name()} [sn:{row['id']}] done with PC "
                      f"({row['pc']:#x}=>{row['pc'] + 4:#x})")
        row["at"] = self.log.put(f"O3PipeView:fetch:{row['fetch']}:{row['pc']:#x}:0:{row['id']}:  op")
        for stage, tick in ("decode", 500), ("rename", 1000), ("dispatch", 1500), ("issue", 0), \
                ("complete", 0):
            self.log.put(f"O3PipeView:{stage}:{row['fetch'] + tick if tick else 0}")
        self.log.put(f"O3PipeView:retire:{retired}:store:0")
        self.rows.append(row)

    def truth(self):
        """Of each row: who wrote what it read; what is told too far from its record is not."""
        rows = sorted(self.rows, key=lambda r: (r["fetch"], r["cpu"], r["id"]))
        number = {(r["cpu"], r["id"]): i for i, r in enumerate(rows)}
        links = []
        for r in rows:
            r["far"] = {(cls, reg) for at, cls, reg in r["far"] if r["at"] - at <= REACH}
            links.append([(number[r["cpu"], sn], str(sn), tick)
                          for sn, (at, tick) in r["from"].items() if r["at"] - at <= REACH])
        return rows, links


def ask(path, *words):
    return check.ask(*words, path)


def check_consumers(path, links, dice):
    """Who waited for a row, as the list of links has it on the screen."""
    after = {}
    for row, own in enumerate(links):
        for producer, _, _ in own:
            after.setdefault(producer, []).append(row)
    for producer in dice.sample(range(len(links)), 1) + dice.sample(sorted(after), 4):
        text = subprocess.run([os.environ["PIPEGLASS"], "screen", "-g", "100x140", "-c",
                               f"goto row {producer}", "-c", "links", path], check=True,
                              stdout=subprocess.PIPE).stdout.decode()
        listed = text.split("consumers: rows that waited for it")[1]
        got = [int(re.sub(r"\D", "", n)) for n in re.findall(r" row (.*?) +cycle", listed)]
        same(f"{path}: consumers of row {producer}", sorted(got), after.get(producer, []))


def check_alone(path, rows, got):
    """Rows that read their registers long before their records: the same whoever asks."""
    rows = [r for r in rows if r["from"]]
    rows.sort(key=lambda r: r["at"] - max(at for at, _ in r["from"].values()))
    for r in rows[-8:]:
        for g in ask(path, "rows", "--from", str(r["fetch"]), "--to", str(r["fetch"] + 1))["rows"]:
            same(f"{path}: links of row {g['row']} alone", (g["links"], g["links_far"]),
                 (got[g["row"]]["links"], got[g["row"]]["links_far"]))


def check_reduced(directory, path, name, rows):
    """A reduction by these links is that by the links of the same trace written as Kanata."""
    kanata = os.path.join(directory, name + ".kanata")
    subprocess.run([os.environ["PIPEGLASS"], "export", "--to", "kanata", "--force",
                    "-o", kanata, path], check=True)
    scale = ask(path, "info")["ticks_per_cycle"]  # of the log; the other is of cycles
    ends = rows[len(rows) // 3]["fetch"], rows[len(rows) // 2]["fetch"]
    for part in (), ends:
        told, named = (ask(p, "reduce", "--links", "--ne", "5", "--ns", "5",
                           *(w for o, tick in zip(("--from", "--to"), part)
                             for w in (o, str(tick // unit))))
                       for p, unit in ((path, 1), (kanata, scale)))
        for key in "instructions", "arcs", "chains", "histogram":
            same(f"{name}: {key} of a reduction by links of {part}", told[key], named[key])
        if not told["arcs"]["raw"]:
            sys.exit(f"{name}: no arcs in a reduction by links")


def check_simulated(directory, seed, wording, cpus, threads, noise, instructions):
    name = f"{wording}-{cpus}-{threads}-{noise}"
    path = os.path.join(directory, name)
    run = Simulation(seed, wording, cpus, threads, noise, instructions)
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(run.log.lines) + "\n")
    rows, links = run.truth()
    info = ask(path, "info")
    same(f"{name}: instructions", info["instructions"], len(rows))
    same(f"{name}: warnings", info["warning_count"], 0)
    reads = sum(r.get("reads", 0) for r in rows)
    same(f"{name}: links", (info["links"], info["links_bound"]), (reads, "upper"))
    got = ask(path, "rows")["rows"]
    for i, (g, r, l) in enumerate(zip(got, rows, links)):
        same(f"{name}: row {i}", (g["id"], g["start"], g["thread"]),
             (str(r["id"]), r["fetch"], r["thread"]))
        same(f"{name}: links of row {i}",
             [(k["from"], k["id"], k["tick"], k["type"]) for k in g["links"]],
             [(*k, 0) for k in l])
        same(f"{name}: writers too far from row {i}", g["links_far"],
             len(r["far"]) if r["at"] - r["begun"] <= REACH else None)
    for threads_used in "1", "3":
        same(f"{name}: {threads_used} threads",
             ask(path, "info", "--no-cache", "--threads", threads_used)["links"], reads)
    check_alone(path, rows, got)
    check_reduced(directory, path, name, rows)
    print(f"{name}: {len(rows)} rows, {sum(map(len, links))} links, "
          f"{sum(len(r['early']) for r in rows)} reads of what was there before, "
          f"{sum(len(r['far']) for r in rows)} of who is too far, {run.log.size >> 20} MiB")
    check_consumers(path, links, run.dice)
    return any(r["far"] for r in rows)


def check_greedy(directory):
    """Links of one row beyond the most are counted; nothing told near a row is not nothing read."""
    most, writers = 64, 100
    log = Log()

    def record(sn):
        log.put(f"O3PipeView:fetch:{1000 * sn}:0x400:0:{sn}:  op")
        log.put(f"O3PipeView:retire:{1000 * sn + 500}:store:0")

    say = "system.cpu.rename: [tid:0] "
    for sn in range(1, writers + 3):
        log.put(f"{1000 * sn}: {say}Processing instruction [sn:{sn}] with PC (0x400=>0x404).(0=>1).")
        for reg in sorted(list(range(1, writers + 1)) * 2) if sn > writers else ():
            log.put(f"{1000 * sn}: {say}Looking up integer arch reg {reg}, got phys reg {reg} "
                    f"(integer)")
        if sn <= writers:
            log.put(f"{1000 * sn}: {say}Renaming arch reg {sn} (integer) to physical reg {sn} "
                    f"({sn}).")
        if sn <= writers + 1:
            record(sn)
    for line in range(REACH // 20):
        log.put(f"{line:9}: system.cpu: tick")
    record(writers + 2)
    path = os.path.join(directory, "greedy")
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(log.lines) + "\n")
    got = ask(path, "rows")["rows"]
    same("greedy: links", [k["from"] for k in got[writers]["links"]], list(range(most)))
    same("greedy: links that are left out", got[writers]["links_far"], writers - most)
    same("told too far from its record", (got[-1]["id"], got[-1]["links"], got[-1]["links_far"]),
         (str(writers + 2), [], None))


class Collisions:
    """Two CPUs whose instructions have the same numbers, and records long after what is told of them."""

    def __init__(self, seed, programs, objects):
        self.dice, self.log, self.rows, late, tick = random.Random(seed), Log(), {}, [], 5000
        sn, writer = [0, 0], [{}, {}]
        for step in range(1500):
            tick += self.dice.choice([0, 0, 500])
            cpu = self.dice.randrange(2)
            sn[cpu] += self.dice.choice([1, 1, 1, 2])
            pc = 0x10000 * (1 + cpu % programs) + 4 * sn[cpu]
            say = f"{tick}: system.{objects[cpu]}.rename: [tid:0] "
            self.log.put(f"{say}Processing instruction [sn:{sn[cpu]}] with PC "
                         f"({pc:#x}=>{pc + 4:#x}).(0=>1).")
            reads = set()
            for reg in self.dice.sample(range(30), 2):
                self.log.put(f"{say}Looking up integer arch reg {reg}, got phys reg {reg} (integer)")
                reads.add(writer[cpu].get(reg))
            reg = self.dice.randrange(30)
            self.log.put(f"{say}Renaming arch reg {reg} (integer) to physical reg {reg} ({reg}).")
            writer[cpu][reg] = sn[cpu]
            self.rows[cpu, sn[cpu]] = reads - {None}
            late.append((step + self.dice.choice([3, 9, 50]), cpu, sn[cpu], tick, pc))
            while late and late[0][0] <= step:
                self.record(*late.pop(0)[1:])
        for left in late:
            self.record(*left[1:])

    def record(self, cpu, sn, tick, pc):
        self.log.put(f"O3PipeView:fetch:{tick - 1000}:{pc:#x}:0:{sn}:  c{cpu}")
        self.log.put(f"O3PipeView:rename:{tick}")
        self.log.put(f"O3PipeView:retire:{tick + 2000}:store:0")


def check_collisions(directory, programs, objects, numbers):
    """No row has another CPU's thread or producers, and what is not known is counted."""
    run, shown = Collisions(30 + programs, programs, objects), {}
    path = os.path.join(directory, f"collisions-{programs}-{objects[0]}")
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(run.log.lines) + "\n")
    got = ask(path, "rows", "--no-cache", "--threads", "1")["rows"]
    same(f"{path}: 5 threads", ask(path, "rows", "--no-cache", "--threads", "5")["rows"], got)
    cpu_of = [int(g["text"][1]) for g in got]
    unknown = linked = 0
    for g, cpu in zip(got, cpu_of):
        unknown += g["thread"] is None
        if g["thread"] is not None and shown.setdefault(cpu, g["thread"]) != g["thread"]:
            sys.exit(f"{path}: row {g['row']} of {objects[cpu]} has thread {g['thread']}")
        for link in g["links"]:
            linked += link["from"] is not None
            if g["thread"] is None or int(link["id"]) not in run.rows[cpu, int(g["id"])] or \
                    (link["from"] is not None and cpu_of[link["from"]] != cpu):
                sys.exit(f"{path}: row {g['row']} of cpu{cpu} is linked to {link}")
    same(f"{path}: CPUs", sorted(shown.values()), numbers)
    info = ask(path, "info")
    notes = info["notes"]
    same(f"{path}: threads", sorted(info["threads"]), numbers)
    same(f"{path}: from the cache", ask(path, "rows")["rows"], got)
    same(f"{path}: rows of no known CPU", notes.get("ambiguous-numbers", 0), unknown)
    print(f"{path}: {len(got)} rows, {unknown} of no known CPU, {linked} links")
    if (unknown > 0) != (programs == 1) or not linked:
        sys.exit(f"{path}: {unknown} rows of no known CPU, {linked} links")


def with_records(log):
    """A real log without O3PipeView records, and one of each renamed instruction put into it."""
    begins = re.compile(r"rename: .*Processing instruction \[sn:(\d+)\]")
    last = {}
    for n, line in enumerate(log):
        for sn in re.findall(r"\[sn:(\d+)\]", line):
            last[sn] = n
    renamed = {m[1] for m in map(begins.search, log) if m}
    ends = {}
    for sn in renamed:
        ends.setdefault(last[sn], []).append(sn)
    for n, line in enumerate(log):
        yield line
        for sn in sorted(ends.get(n, []), key=int):
            yield f"O3PipeView:fetch:{1000 * int(sn)}:0x400:0:{sn}:  op"
            yield f"O3PipeView:retire:{1000 * int(sn) + 500}:store:0"


def check_real(directory, log):
    """Links of a real log by its own words: those of its gem5 alone."""
    lines = list(with_records(open(log, encoding="utf-8").read().split("\n")))
    path = os.path.join(directory, "real")
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines))
    at, writer, links, reads, now, record = 0, {}, {}, 0, None, {}
    for n, line in enumerate(lines):
        if m := re.search(r"rename: .*Processing instruction \[sn:(\d+)\]", line):
            now = m[1]
        elif m := re.search(r"Looking up (\w+) arch reg .* got phys reg (\d+)", line):
            if m[1] != "MiscRegClass":
                reads += 1
                if m[2] in writer and at - writer[m[2]][1] <= REACH:
                    links.setdefault(now, {}).setdefault(writer[m[2]][0], at)
        elif m := re.search(r"rename: .*Renaming arch reg \d+ to physical reg (\d+)", line):
            old = re.search(r"old mapping was (\d+)", lines[n - 1])
            if old[1] != m[1]:
                writer[m[1]] = (now, at)
        elif line.startswith("O3PipeView:fetch:"):
            record[line.split(":")[5]] = at
        at += len(line.encode()) + 1
    info = ask(path, "info")
    same("the real log: links", info["links"], reads)
    found = 0
    for g in ask(path, "rows")["rows"]:
        want = [sn for sn, told in links.get(g["id"], {}).items()
                if record[g["id"]] - told <= REACH]
        same(f"the real log: links of seq {g['id']}", [k["id"] for k in g["links"]], want)
        found += len(want)
    print(f"the real log: {reads} reads, {found} links found of {sum(map(len, links.values()))}")


def main():
    directory = sys.argv[1]
    for seed, wording in enumerate(WORDINGS):
        check_simulated(directory, seed, wording, 1, 1, 2, 2000)
        check_simulated(directory, 10 + seed, wording, 2, 2, 0, 2000)
    if not check_simulated(directory, 20, "new", 2, 1, 120, 3000):
        sys.exit("no writer is farther back than is looked: that is not tested")
    check_greedy(directory)
    for programs in 1, 2:
        check_collisions(directory, programs, ("cpu0", "cpu1"), [0, 1])
        check_collisions(directory, programs, ("big.cpu0", "little.cpu0"), [0, 100])
    if len(sys.argv) > 2:
        check_real(directory, sys.argv[2])
    check.finish()


main()
