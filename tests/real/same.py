"""One trace in many wrappings gives one answer: threads, cache, gzip, CR LF, pipes, M5's suffixes."""

import gzip
import os
import random
import re
import subprocess
import sys

import check
from check import PIPEGLASS, Run, ask, same

QUESTIONS = (("rows",), ("stalls",), ("series", "--metric", "occupancy"), ("info",))


def answers(path, *options, stdin=None, parse=False):
    """What each question is answered with: bytes, which are quick to compare, or parsed."""
    got = {}
    for question in QUESTIONS:
        kw = {"stdin": open(stdin, "rb")} if stdin else {}
        if parse or question == ("info",):
            got[question] = ask(*question, *options, path, **kw)
            got[question].pop("index", None)
        else:
            got[question] = Run(*question, "--json", *options, path, **kw).out
    return got


def compare(what, got, want, notes=True):
    for question in QUESTIONS:
        g, w = got[question], want[question]
        if question == ("info",) and not notes:
            g, w = ({k: v for k, v in x.items() if k != "notes"} for x in (g, w))
        if g != w:
            same(f"{what}: {' '.join(question)}", g, w)


def m5(text):
    """The same lives, written as M5 writes them."""

    def line(m):
        kind, seq, rest = m[1], m[2], m[3]
        if kind == b"*":
            stage, mask = rest.split()[:2]
            rest = b" %s 0x%04x 0 0x0000" % (stage, int(mask, 16))
        elif kind == b"+":
            pc, _, asm = rest.lstrip().split(b" ", 2)
            rest = b" 0x%x 0x%016x %s" % (int(pc, 16), int(seq) * 8, asm)
        return b"%s %s%s  [T0, CP#%s]" % (kind, seq, rest, seq)

    return re.sub(rb"^([-+*]) (\d+)(.*)$", line, text, flags=re.M)


def cycles(text):
    """Cycle -> its life records."""
    out, tick = {}, None
    for line in text.split(b"\n"):
        if line.startswith(b"@"):
            tick = int(line.split()[1])
        elif line[:1] in b"+*-" and line and tick is not None:
            out.setdefault(tick, []).append(line)
    return out


def smt(texts):
    """Several traces as the threads of one machine: sequence numbers taken in turns."""
    threads = [cycles(t) for t in texts]
    out = []
    for tick in sorted(set().union(*threads)):
        out.append(b"@ %d" % tick)
        for k, thread in enumerate(threads):
            for line in thread.get(tick, ()):
                kind, seq, rest = re.match(rb"([-+*]) (\d+)(.*)", line).groups()
                out.append(b"%s %d%s  [T%d, CP#%s]" % (kind, int(seq) * len(threads) + k, rest, k, seq))
    return b"\n".join(out) + b"\n"


def lives(rows, step=1, thread=0):
    """Life of each instruction, by its number: what threads must not change of each other."""
    return {
        int(r["id"]) // step: (r["pc"], r["start"], r["end"], r["fate"], [(s["name"], s["start"], s["end"]) for s in r["stages"]])
        for r in rows
        if int(r["id"]) % step == thread
    }


def check_smt(paths, folder):
    """No thread's rows are taken for lost because another thread's younger ones went on."""
    texts = []
    for path in paths:
        with open(path, "rb") as f:
            texts.append(b"".join(f.readlines(3000000)))
    texts = [t[: t.rindex(b"\n@ ") + 1] for t in texts]
    both = write(folder, "smt", smt(texts))
    got = ask("rows", "--no-cache", both)["rows"]
    same("threads seen", sorted({r["thread"] for r in got}), [0, 1])
    same("threads by one", ask("rows", "--no-cache", "--threads", 1, both)["rows"] == got, True)
    for k, text in enumerate(texts):
        want = lives(ask("rows", "--no-cache", write(folder, f"thread{k}", text))["rows"])
        mine = lives(got, len(texts), k)
        for seq, life in want.items():
            if life[3] == "in_flight" or life[3] == "in-flight":
                continue
            same(f"thread {k}, instruction {seq}", mine.get(seq), life)


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def without_latency(answer):
    """M5 writes a latency field where the stock emitter has none, and a thread."""
    if isinstance(answer, dict):
        return {k: without_latency(v) for k, v in answer.items() if k not in ("latency", "notes", "thread", "threads")}
    if isinstance(answer, list):
        return [without_latency(v) for v in answer]
    return answer


def check_threads(path, *numbers):
    """However many threads read it, and what they kept of it."""
    want = answers(path, "--no-cache", "--threads", 1)
    for number in numbers:
        compare(f"{number} threads", answers(path, "--no-cache", "--threads", number), want)
    compare("first with a cache", answers(path), want)
    same("from the cache", ask("info", path)["index"]["cached"], True)
    compare("from the cache", answers(path), want)
    return want


def check_packed(path, folder, want):
    """gzip of two members, the first cut in the middle of a line."""
    with open(path, "rb") as f:
        text = f.read()
    middle = text.index(b"\n", len(text) // 2) - 3
    packed = write(folder, "t.gz", gzip.compress(text[:middle], 1) + gzip.compress(text[middle:], 6))
    compare("gzip", answers(packed, "--no-cache"), want)
    compare("gzip, making the cache", answers(packed), want)
    compare("gzip, from the cache", answers(packed), want)
    same("gzip source bytes", ask("info", packed)["index"]["source_bytes"], len(text))
    return text, packed


def check_trace(path, folder):
    want = check_threads(path, 2, 5)
    text, packed = check_packed(path, folder, want)
    compare("pipe", answers("-", stdin=path), want)
    compare("gzip pipe", answers("-", stdin=packed), want)
    lines = text.count(b"\n")
    crlf = answers(write(folder, "crlf", text.replace(b"\n", b"\r\n")))
    same("CR LF lines", crlf[("info",)]["notes"].get("crlf-lines"), lines)
    compare("CR LF", crlf, want, notes=False)
    if ".stock." in path:
        got = answers(write(folder, "m5", m5(text)), parse=True)
        plain = answers(path, parse=True)
        for question in QUESTIONS:
            same(f"M5: {question}", without_latency(got[question]), without_latency(plain[question]))
        rows = ask("rows", os.path.join(folder, "m5"))["rows"]
        same("M5: threads", {r["thread"] for r in rows if r["fate"] != "unknown"}, {0})
    slow_pipe(text, want)


def slow_pipe(text, want):
    """A pipe that hands over a few bytes at a time, cut anywhere."""
    rng = random.Random(1)
    child = subprocess.Popen([PIPEGLASS, "rows", "--json", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    from threading import Thread

    def feed():
        at = 0
        while at < len(text):
            step = rng.choice((1, 7, 100, 4096, 70000))
            child.stdin.write(text[at : at + step])
            child.stdin.flush()
            at += step
        child.stdin.close()

    feeder = Thread(target=feed)
    feeder.start()
    out = child.stdout.read()
    feeder.join()
    same("slow pipe: status", child.wait(), 0)
    if out != want[("rows",)]:
        same("slow pipe", out, want[("rows",)])


folder, long, traces = sys.argv[1], sys.argv[2], sys.argv[3:]
for path in traces:
    print("==", path.rsplit("/", 1)[-1], flush=True)
    if "lswlr" in path and "bugcompat" not in path or "mixed" in path:  # of each who writes traces, one
        check_trace(path, folder)
    elif "matmul" not in path:  # as the long one is
        check_threads(path, 3)
print("== long", flush=True)
with open(long, "rb") as f:  # as much as makes the pieces as long as they get
    long = write(folder, "long", b"".join(f.readlines(18 << 20)))
check_packed(long, folder, check_threads(long, 3))
print("== two threads of one machine", flush=True)
check_smt([p for p in traces if "lswlr-def.stock" in p or "pisa-lswlr" in p], folder)
check.finish()
