"""`stalls --binary` against binutils, for every byte of a program's functions."""

import json
import os
import random
import subprocess
import sys

import check
from check import Run, ask, same

HEADER = """static inline __attribute__((always_inline)) int twice(int x)
{
	return x + x;
}
"""
PROGRAM = """#include "part.h"
int table[64];

static __attribute__((noinline)) int leaf(int x)
{
	if (x & 1)
		return twice(x) + 1;
	return x / 3;
}

int middle(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += leaf(table[i & 63] + i);
	return sum;
}

int main(int argc, char **argv)
{
	(void)argv;
	return middle(argc * 10) & 1;
}
"""
FUNCTIONS = ("leaf", "middle", "main")
# what it is, options of the compiler
BUILDS = (
    ("linked", "-g -O0 -fno-pie -no-pie"),
    ("optimised", "-g -O2 -fno-pie -no-pie"),
    ("position-independent", "-g -O0 -fPIE -pie"),
    ("DWARF 4", "-gdwarf-4 -O1 -fPIE -pie"),
    ("compressed", "-g -gz -O1 -fno-pie -no-pie"),
    ("no lines", "-g0 -O0 -fno-pie -no-pie"),
)


def output(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, text=True).stdout


def compile_program(folder, name, options):
    with open(os.path.join(folder, "part.h"), "w") as f:
        f.write(HEADER)
    source = os.path.join(folder, "program.c")
    with open(source, "w") as f:
        f.write(PROGRAM)
    path = os.path.join(folder, name)
    done = subprocess.run([*os.environ.get("CC", "cc").split(), *options.split(), "-o", path, source])
    return path if done.returncode == 0 else None


def addresses(path):
    """{name: (from, to)} of our functions, as nm tells."""
    spans = {}
    for line in output("nm", "-S", path).splitlines():
        field = line.split()
        if len(field) == 4 and field[3] in FUNCTIONS:
            spans[field[3]] = (int(field[0], 16), int(field[0], 16) + int(field[1], 16))
    return spans


def write_trace(path, pcs):
    """One row each, committed one tick after the other; a pc outside first."""
    with open(path, "w") as f:
        for i, pc in enumerate(pcs):
            f.write(f"@ {2 * i}\n+ {i + 1} 0x{pc:x} 0x0 op\n* {i + 1} IF 0x0\n@ {2 * i + 1}\n")
            f.write(f"* {i + 1} CT 0x0\n- {i + 1}\n")


def told(path, pcs):
    """What addr2line says of each: (file, line); None, None: nothing."""
    lines = output("addr2line", "-e", path, *[hex(pc) for pc in pcs]).splitlines()
    places = []
    for line in lines:
        file, _, number = line.split(" (")[0].rpartition(":")
        places.append((None, None) if file == "??" or number in ("?", "0") else (file, int(number)))
    return places


def sums(lists, key):
    return sum(item[key] for item in lists)


def check_build(folder, what, options):
    path = compile_program(folder, "program", options)
    if not path:
        print(f"-- {what}: the compiler does not do it", flush=True)
        return
    spans = addresses(path)
    same(f"{what}: functions", sorted(spans), sorted(FUNCTIONS))
    inside = [pc for a, b in spans.values() for pc in range(a, b)]
    places = told(path, inside)
    names = [name for name, (a, b) in spans.items() for _ in range(a, b)]
    for load in (None, 0x4000000000):
        first = int(next(l.split()[2] for l in output("readelf", "-lW", path).splitlines() if l.split()[:1] == ["LOAD"]), 16)
        moved = 0 if load is None else load - first
        pcs = [0x10, *[pc + moved for pc in inside]]
        trace = os.path.join(folder, "t.trc")
        write_trace(trace, pcs)
        option = () if load is None else ("--load-address", hex(load))
        stalls = ask("stalls", "--binary", path, *option, "--no-cache", trace)
        got = {int(p["pc"], 16): (p["function"], p["file"], p["line"]) for p in stalls["pcs"]}
        want = {0x10: (None, None, None)}
        want.update({pc: (n, *p) for pc, n, p in zip(pcs[1:], names, places)})
        same(f"{what}: pcs", got, want)
        check_lists(what, stalls, names, places)
    print(f"-- {what}: {len(inside)} pcs, {len(set(places))} lines", flush=True)


def check_lists(what, stalls, names, places):
    for key, name in (("functions", "name"), ("lines", "file")):
        for number in "count", "head", "squashed":
            same(f"{what}: {key}.{number}", sums(stalls[key], number), sums(stalls["pcs"], number))
        same(f"{what}: {key} has one nameless", sum(x[name] is None for x in stalls[key]), 1)
    counts = {f["name"]: f["count"] for f in stalls["functions"]}
    same(f"{what}: rows of functions", counts, {None: 1, **{n: names.count(n) for n in set(names)}})
    counts = {(x["file"], x["line"]): x["count"] for x in stalls["lines"]}
    want = {p: places.count(p) for p in set(places)}
    want[None, None] = want.get((None, None), 0) + 1
    same(f"{what}: rows of lines", counts, want)


def check_tables(folder):
    path = compile_program(folder, "program", BUILDS[0][1])
    trace = os.path.join(folder, "t.trc")
    spans = addresses(path)
    write_trace(trace, [pc for a, b in spans.values() for pc in range(a, b)])
    for by, text in (("function", "middle"), ("line", "program.c"), ("pc", "middle")):
        run = Run("stalls", "--binary", path, "--by", by, "--no-cache", trace)
        same(f"--by {by}", (run.status, text.encode() in run.out, run.err), (0, True, b""))
        wide = max(len(l) for l in run.out.decode().splitlines())
        same(f"--by {by}: fits into 80 columns", wide <= 80, True)
    output("strip", path)
    stalls = ask("stalls", "--binary", path, "--no-cache", trace)
    same("stripped", {p["file"] for p in stalls["pcs"]}, {None})
    run = Run("stalls", "--binary", path, "--load-address", "0x70000000", "--no-cache", trace)
    same("not there", (run.status, run.err.count(b"\n"), b"--load-address" in run.err), (0, 1, True))
    for args, status in (
        (("--by", "line"), 2),
        (("--load-address", "1"), 2),
        (("--binary", path, "--load-address", "x"), 2),
        (("--binary", trace), 1),
        (("--binary", folder), 1),
        (("--binary", folder + "/absent"), 1),
        (("--sort", "nothing"), 2),
    ):
        run = Run("stalls", *args, "--no-cache", trace)
        same(f"{args}", (run.status, run.err.count(b"\n"), run.out), (status, 1, b""))


def check_damaged(folder, rounds):
    """Bytes changed anywhere and files cut anywhere: an answer, or one line."""
    path = compile_program(folder, "program", BUILDS[0][1])
    trace = os.path.join(folder, "t.trc")
    write_trace(trace, [pc for a, b in addresses(path).values() for pc in range(a, b)])
    with open(path, "rb") as f:
        good = f.read()
    rng = random.Random(7)
    bad = os.path.join(folder, "damaged")
    headers = int.from_bytes(good[40:48], "little") if good[4] == 2 else int.from_bytes(good[32:36], "little")
    failed = 0
    for i in range(rounds):
        data = bytearray(good)
        kind = i % 4
        if kind == 0:
            del data[rng.randrange(len(data)) :]
        for _ in range(rng.choice((1, 4, 30))):
            # the ELF header and the section headers too, not only the many bytes between
            where = ((0, len(data)), (0, 64), (headers, len(good)), (0, len(data)))[kind]
            if min(where[1], len(data)) > where[0]:
                data[rng.randrange(where[0], min(where[1], len(data)))] = rng.choice((0, 1, 0x7F, 0xFF, rng.randrange(256)))
        with open(bad, "wb") as f:
            f.write(data)
        run = Run("stalls", "--json", "--binary", bad, "--no-cache", trace, timeout=60)
        if run.status not in (0, 1) or run.err.count(b"\n") > 1:
            check.fail(f"damaged {i}: {run}")
        elif run.status == 0:
            same(f"damaged {i}", "pcs" in json.loads(run.out.decode()), True)
        failed += run.status
    print(f"-- {rounds} damaged files, {failed} refused", flush=True)


folder = sys.argv[1]
for what, options in BUILDS:
    check_build(folder, what, options)
check_tables(folder)
check_damaged(folder, int(os.environ.get("PIPEGLASS_DAMAGED", "200")))
check.finish()
