"""Bad input, bad caches, bad disks: one clear line or a counted warning, never a crash or a hang."""

import gzip
import json
import os
import random
import resource
import shutil
import subprocess
import sys

import check
import lives
from check import PIPEGLASS, Run, ask, same
from model import Trace

COMMANDS = (
    ("info",),
    ("index",),
    ("rows",),
    ("series", "--metric", "ipc"),
    ("series", "--metric", "occupancy", "--bins", "7"),
    ("stalls",),
    ("screen", "-g", "80x24"),
    ("screen", "-g", "20x5", "-c", "goto last"),
)
NOBODY = 65534
SECONDS = 60
folder = os.path.abspath(sys.argv[1])


def path_of(name):
    return os.path.join(folder, name)


def write(name, data):
    with open(path_of(name), "wb") as f:
        f.write(data)
    return path_of(name)


def small_trace(count=40, text=b"addq r1,r2,r3"):
    """An in-order pipeline of five stages: count instructions, one a cycle."""
    lines = []
    for cycle in range(count + 5):
        lines.append(b"@ %d\n" % cycle)
        for age, stage in reversed(list(enumerate((b"IF", b"DA", b"EX", b"WB", b"CT")))):
            seq = cycle - age
            if not 0 <= seq < count:
                continue
            if age == 0:
                lines.append(b"+ %d 0x%08x 0x00000000 %s\n" % (seq, 0x400000 + 8 * (seq % 10), text))
            lines.append(b"* %d %s 0x00000000\n" % (seq, stage))
            if age == 4:
                lines.append(b"- %d\n" % seq)
    return b"".join(lines)


def harmless(what, data):
    """Nothing in it that a terminal acts on."""
    text = data.decode("utf-8", "strict") if isinstance(data, bytes) else data
    bad = [c for c in text if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 or c in "\u202e\u2066\u200b\ufeff"]
    if bad:
        check.fail(f"{what}: control characters reach the terminal: {bad[:5]!r}")


def one_line(run, status):
    lines = run.err.decode("utf-8", "replace").splitlines()
    if run.status != status or len(lines) != 1 or run.out:
        check.fail(f"{run}: wants status {status}, one line and no output; {len(run.out)} bytes")
    harmless(str(run), run.err)


def survives(path, expect=(0,), **kw):
    """Every command ends by itself, in time, with an expected status."""
    for command in COMMANDS:
        try:
            run = Run(*command, "--json", path, timeout=SECONDS, **kw)
        except subprocess.TimeoutExpired:
            check.fail(f"{command} {path}: no end after {SECONDS} s")
            continue
        if run.status not in expect:
            check.fail(f"{run}: status not in {expect}")
        if run.status == 0:
            json.loads(run.out.decode("utf-8"))
        harmless(str(run), run.err)


def warned(path, line, what):
    info = ask("info", path, timeout=SECONDS)
    found = [w for w in info.get("warnings", ()) if w["line"] == line]
    if not found:
        check.fail(f"{path}: no warning for line {line} ({what}): {info.get('warnings')}")
    return info


# Inputs that cannot be used


def open_program():
    """A copy that everybody may run: the build may lie in a folder of root's own."""
    copy = path_of("program")
    if not os.path.exists(copy):
        shutil.copy(PIPEGLASS, copy)
        os.chmod(copy, 0o755)
    return copy


def as_nobody():
    if os.getuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def test_unusable():
    os.mkdir(path_of("folder"))
    unreadable = write("unreadable", small_trace())
    os.chmod(unreadable, 0)
    cases = [
        write("empty", b""),
        path_of("folder"),
        path_of("not-there"),
        write("random", random.Random(3).randbytes(100000)),
        write("zeros", bytes(100000)),
        PIPEGLASS,
        write("page.html", b"<html>\n<body>* 1 2 3</body>\n</html>\n" * 100),
        write("text", b"@ home\n+ more\n- less\n* stars\n" * 50),
        write("newlines", b"\n" * 5000),
        write("packed-random.gz", gzip.compress(random.Random(4).randbytes(50000))),
        write("empty.gz", gzip.compress(b"")),
        write("magic.gz", b"\x1f\x8b"),
        write("name\x1b[31m\u202e\nhidden", b""),
    ]
    for path in cases:
        for command in COMMANDS[::3]:  # all open the file alike; tests/screens/inputs.sh has the others
            one_line(Run(*command, path, timeout=SECONDS), 1)
    os.chmod(folder, 0o755)
    one_line(Run("info", unreadable, preexec=as_nobody, program=open_program()), 1)


def test_names():
    good = write("good", small_trace())
    shutil.copy(good, path_of("info"))
    same("./info is a file", Run("info", "--", "info", preexec=lambda: os.chdir(folder)).status, 0)
    shutil.copy(good, path_of("-x"))
    same("-- ends options", Run("info", "--", "-x", preexec=lambda: os.chdir(folder)).status, 0)


# Damaged traces


def replace_line(text, number, line):
    lines = text.split(b"\n")
    lines.insert(number - 1, line)
    return b"\n".join(lines)


def test_lines():
    text = small_trace()
    want = ask("rows", write("good", text))["rows"]
    for name, line, what in (
        ("nul", b"* 3\0 EX 0x00000000", "NUL bytes"),
        ("long", b"+ " + b"x" * (10 << 20), "10 MB"),
        ("big-cycle", b"@ 9223372036854775808", "2^63"),
        ("huge-cycle", b"@ 1" + b"0" * 40, "10^40"),
        ("big-seq", b"* 99999999999999999999999999 EX 0x00000000", "number"),
        ("short", b"* 13 DA", "missing fields"),
        ("backwards", b"@ 1", "backwards"),
        ("reborn", b"+ 13 0x00400018 0x00000000 addq r1,r2,r3", "born again"),
    ):
        path = write(name, replace_line(text, 100, line))
        survives(path)
        warned(path, 100, what)
        if name not in ("reborn", "backwards"):
            same(f"{name}: the other lines", ask("rows", path)["rows"], want)
    glued = write("glued", text.replace(b"\n* 7 WB", b"\nhello, world* 7 WB"))
    same("a record glued to foreign text", ask("rows", glued)["rows"], want)
    foreign = write("foreign", b"booting...\n" + text.replace(b"@ 20\n", b"@ 20\n- not a record\n# 5\n"))
    same("foreign lines", ask("info", foreign)["notes"].get("foreign-lines"), 3)
    same("rows beside foreign lines", ask("rows", foreign)["rows"], want)


def test_far():
    """Ticks at the end of what can be counted; nothing may step through them one by one."""
    text = small_trace(8).rstrip()
    for last in (2**62, 2**63 - 2, 2**63 - 1):
        path = write(f"far-{last}", text + b"\n@ %d\n+ 8 0x00400000 0x00000000 far\n* 8 IF 0x00000000\n" % last)
        survives(path)
    info = ask("info", path_of(f"far-{2**63 - 2}"))
    same("last tick", info.get("last"), 2**63 - 2)
    survives(write("far-ids", b"@ 0\n+ 18446744073709551615 0xffffffffffffffff 0x0 x\n* 18446744073709551615 IF 0x0\n"))
    survives(write("long-pc", b"@ 0\n+ 1 0x" + b"f" * 60 + b" 0x0 x\n* 1 IF 0x0\n@ 1\n- 1\n"), expect=(0, 1))


def test_crowd():
    """140 000 instructions in flight at once, and none of them ever ends."""
    count = 140000
    lines = [b"@ 0\n"]
    for i in range(count):
        lines.append(b"+ %d 0x%x 0x00000000 nop\n* %d IF 0x00000000\n" % (i, 0x1000 + 4 * (i % 999), i))
        if i % 1000 == 999:
            lines.append(b"@ %d\n" % (i // 1000 + 1))
    path = write("crowd", b"".join(lines))
    info = ask("info", path, timeout=SECONDS)
    same("in flight", (info.get("in_flight"), info.get("instructions")), (count, count))
    values = ask("series", "--metric", "in-flight", "--bins", "1", "--from", count // 1000, "--to", count // 1000 + 1, path)["values"]
    same("in flight in the last cycle", values, [count])
    survives(path)
    rows = ask("rows", "--limit", 3, path)["rows"]
    same("rows in flight", [(r["fate"], r["end"]) for r in rows], [("in-flight", None)] * 3)
    os.remove(path)


def test_latency():
    """A latency that does not fit is told as the most that does, with a warning; one that means nothing has none."""
    line = b"@ 0\n+ 0 0x10 0x0 add\n* 0 IF 0x001 %d 0x001\n@ 1\n* 0 DA 0x000 %d 0x000\n- 0\n"
    most = 2**31 - 1
    for latency, told, warnings in ((most, most, 0), (most + 1, most, 1), (10**11, most, 1), (10**30, most, 1)):
        path = write("latency", line % (latency, 10**30))
        same(f"latency {latency}", ask("rows", "--no-cache", path)["rows"][0]["stages"][0]["marks"][0]["latency"], told)
        got = [w["line"] for w in ask("info", "--no-cache", path)["warnings"]]
        same(f"latency {latency}: warnings", got, [3] * warnings)


def test_reuse():
    """One sequence number for everything: each birth ends the life before it, one warning each."""
    line = b"+ 7 0x00400000 0x00000000 nop\n* 7 IF 0x00000000\n"
    path = write("reuse", b"".join(b"@ %d\n%s" % (i, line) for i in range(3000)))
    info = ask("info", path)
    same("warnings listed", len(info["warnings"]), 1000)
    if info["warning_count"] < 1000:
        check.fail(f"one number born 3000 times: {info['warning_count']} warnings")
    survives(path)


def test_escapes():
    evil = b"mov \x1b]0;owned\x07 \x9b31m \xe2\x80\xae\xe2\x80\x8b\xff\xc0\x80 \x7f =1+1"
    path = write("escapes", small_trace(text=evil))
    for command in COMMANDS:
        for form in ("--json",), ():
            run = Run(*command, *form, path)
            same(f"{run}", run.status, 0)
            harmless(str(run), run.out)
    raw = ask("rows", path)["rows"][0]["text"]
    if "\x1b" not in raw or "\ufffd" not in raw:
        check.fail(f"JSON keeps what it can of a text: {raw!r}")
    for form in "html", "svg":
        out = Run("screen", "--format", form, write("tags", small_trace(text=b"<script>alert(1)</script>&"))).out
        if b"<script" in out:
            check.fail(f"{form} is not escaped")


def test_gzip():
    text = small_trace(6000)
    packed = gzip.compress(text)
    want = ask("info", write("whole.gz", packed))
    for name, data in (
        ("cut.gz", packed[: len(packed) // 2]),
        ("flipped.gz", packed[:5000] + bytes([packed[5000] ^ 255]) + packed[5001:]),
        ("tail.gz", packed + b"garbage behind the end"),
        ("crc.gz", packed[:-8] + b"\0\0\0\0" + packed[-4:]),
    ):
        path = write(name, data)
        survives(path)
        info = ask("info", path)
        if info.get("warning_count", 0) < 1:
            check.fail(f"{name}: damage without a warning")
        if name in ("tail.gz", "crc.gz"):
            same(name, info.get("instructions"), want["instructions"])


def test_mutations(seeds):
    """Real text with bytes changed, lines lost, doubled and swapped: no crash, and every row counted."""
    rng = random.Random(99)
    for round in range(15):
        text = bytearray(rng.choice(seeds))
        for _ in range(rng.choice((1, 5, 100))):
            at = rng.randrange(len(text))
            action = rng.randrange(4)
            if action == 0:
                text[at] = rng.randrange(256)
            elif action == 1:
                del text[at : at + rng.randrange(1, 200)]
            elif action == 2:
                text[at:at] = text[at : at + rng.randrange(1, 200)]
            else:
                text[at:at] = rng.choice((b"\n", b" ", b"9", b"@ ", b"\0", b"-"))
        path = write("mutated", bytes(text))
        info = Run("info", "--json", "--no-cache", path, timeout=SECONDS)
        if info.status != 0:
            check.fail(f"round {round}: {info}")
            shutil.copy(path, path_of(f"mutated-{round}"))
            continue
        info = json.loads(info.out)
        fates = sum(info[k] for k in ("committed", "squashed", "dropped", "lost", "in_flight"))
        same(f"round {round}: fates", fates, info["instructions"])
        rows = ask("rows", "--no-cache", "--threads", 2, path)["rows"]
        same(f"round {round}: rows", len(rows), info["instructions"] + info["unknown"])
        same(f"round {round}: one thread", ask("rows", "--no-cache", "--threads", 1, path)["rows"], rows)


def test_cut():
    """Cut off at a random byte: everything before the cut is still told right."""
    rng = random.Random(2024)
    for extra in SHORT:
        with open(extra, "rb") as f:
            text = f.read()
        path = write("cut", text[: rng.randrange(len(text) // 3, len(text))])
        lives.check_lives(path, lives.read(path))


def test_stitching():
    """A damaged trace of several megabytes, read by one thread, by three and through gzip."""
    rng = random.Random(5)
    for extra in LONG:
        with open(extra, "rb") as f:
            text = bytearray(f.read(5 << 20))
        for _ in range(300):
            at = rng.randrange(len(text))
            if rng.randrange(2):
                text[at] = rng.choice(b"0123456789@+*- \n")
            else:
                del text[at : at + rng.randrange(1, 3000)]
        plain, packed = write("torn", bytes(text)), write("torn.gz", gzip.compress(bytes(text), 1))
        want = Run("rows", "--json", "--no-cache", "--threads", 1, plain)
        same("torn: status", want.status, 0)
        same("torn: three threads", Run("rows", "--json", "--no-cache", "--threads", 3, plain).out == want.out, True)
        same("torn: gzip", Run("rows", "--json", "--no-cache", packed).out == want.out, True)
        infos = [ask("info", "--no-cache", *options, plain) for options in (("--threads", 1), ("--threads", 3))]
        for info in infos:
            info.pop("index", None)
        same("torn: info", infos[1], infos[0])


# Caches and disks


def rows_of(path, **kw):
    run = Run("rows", "--json", path, **kw)
    same(f"{run}", run.status, 0)
    return run


def cache_files(cache):
    return [os.path.join(at, f) for at, _, files in os.walk(cache) for f in files]


def test_cache_places():
    path = write("cached", small_trace(500))
    want = Run("rows", "--json", "--no-cache", path).out
    readonly = path_of("readonly")
    os.mkdir(readonly, 0o500)
    for place in ("/proc/no/such/place", path, "relative/place", readonly):
        env = {"XDG_CACHE_HOME": place}
        nobody = {"preexec": as_nobody, "program": open_program()} if place == readonly else {}
        run = rows_of(path, env=env, **nobody)
        same(f"cache in {place}", run.out, want)
        if place in ("/proc/no/such/place", path) and run.err.count(b"\n") != 1:
            check.fail(f"cache in {place}: wants one note: {run.err}")
    secret = write("secret", b"precious")
    linked = path_of("linked")
    os.makedirs(linked + "/pipeglass")
    cache = path_of("cache-a")
    rows_of(path, env={"XDG_CACHE_HOME": cache})
    for f in cache_files(cache):
        same("cache file mode", oct(os.stat(f).st_mode & 0o777), "0o600")
        os.symlink(secret, os.path.join(linked, "pipeglass", os.path.basename(f)))
    same("cache folder mode", oct(os.stat(cache + "/pipeglass").st_mode & 0o777), "0o700")
    same("through a symbolic link", rows_of(path, env={"XDG_CACHE_HOME": linked}).out, want)
    with open(secret, "rb") as f:
        same("what a symbolic link points to", f.read(), b"precious")
    moved = path_of("cache-moved")
    os.makedirs(moved)
    os.symlink(cache + "/pipeglass", moved + "/pipeglass")
    same("folder is a symbolic link", rows_of(path, env={"XDG_CACHE_HOME": moved}).out, want)


def test_cache_owner():
    if os.getuid() != 0:
        print("not root: caches of other users are not tested")
        return
    path, cache = write("owned", small_trace(500)), path_of("cache-b")
    want = rows_of(path, env={"XDG_CACHE_HOME": cache}).out
    for f in cache_files(cache):
        os.chown(f, NOBODY, NOBODY)
    index = ask("info", path, env={"XDG_CACHE_HOME": cache})["index"]
    same("a cache file of another user is used", index["cached"], False)
    same("beside a cache file of another user", rows_of(path, env={"XDG_CACHE_HOME": cache}).out, want)


def test_stale():
    cache = {"XDG_CACHE_HOME": path_of("cache-c")}
    old, new = small_trace(300, b"old"), small_trace(300, b"new")
    path = write("stale", old)
    ask("info", path, env=cache)
    same("unchanged", ask("info", path, env=cache)["index"]["cached"], True)
    with open(path, "r+b") as f:
        f.write(new)
    same("rewritten in place", ask("rows", path, env=cache)["rows"][0]["text"], "new")
    stat = os.stat(path)
    with open(path, "r+b") as f:
        f.write(old)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    same("rewritten under the old time", ask("rows", path, env=cache)["rows"][0]["text"], "old")
    with open(path, "ab") as f:
        f.write(b"@ 400\n+ 300 0x00400000 0x00000000 more\n* 300 IF 0x00000000\n")
    same("grown", ask("info", path, env=cache)["instructions"], 301)
    os.truncate(path, len(old) // 2)
    same("shrunk", ask("info", path, env=cache)["instructions"] < 300, True)


def test_cache_fuzz(seeds):
    """Whatever stands in the cache file, the answer is that of the trace."""
    rng = random.Random(17)
    cache = {"XDG_CACHE_HOME": path_of("cache-d")}
    path = write("fuzzed", seeds[0])
    want = rows_of(path, env=cache).out
    curve = Run("series", "--json", "--metric", "in-flight", path, env=cache).out
    (name,) = cache_files(cache["XDG_CACHE_HOME"])
    with open(name, "rb") as f:
        good = f.read()
    for round in range(15):
        data = bytearray(good)
        action = rng.randrange(4)
        for _ in range(rng.choice((1, 1, 3, 50))):
            at = rng.randrange(len(data)) if action else rng.randrange(min(len(data), 400))
            data[at] = rng.choice((0, 255, data[at] ^ (1 << rng.randrange(8))))
        if action == 3:
            data = data[: rng.randrange(len(data))]
        with open(name, "wb") as f:
            f.write(data)
        os.chmod(name, 0o600)
        run = Run("rows", "--json", path, env=cache, timeout=SECONDS)
        if run.status != 0 or run.out != want:
            check.fail(f"cache fuzz {round}: rows: {run}: {'another answer' if run.status == 0 else ''}")
            with open(path_of(f"cache-fuzz-{round}"), "wb") as f:
                f.write(data)
        with open(name, "wb") as f:
            f.write(data)
        run = Run("series", "--json", "--metric", "in-flight", path, env=cache, timeout=SECONDS)
        if run.status != 0 or run.out != curve:
            check.fail(f"cache fuzz {round}: series: {run}: {'another answer' if run.status == 0 else ''}")


def test_full_disk():
    path = write("full", small_trace(1500))
    want = Run("rows", "--json", "--no-cache", path).out
    cache = path_of("cache-e")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    run = rows_of(path, env={"XDG_CACHE_HOME": cache}, preexec=limit)
    same("disk full while the cache is written", run.out, want)
    if run.err.count(b"\n") < 1:
        check.fail("disk full: no note")
    same("left behind", cache_files(cache), [])
    with open("/dev/full", "wb") as full:
        for command in COMMANDS:
            done = subprocess.run([PIPEGLASS, *command, path], stdout=full, stderr=subprocess.PIPE)
            if done.returncode != 1 or done.stderr.count(b"\n") != 1:
                check.fail(f"{command} >/dev/full: status {done.returncode}, {done.stderr!r}")
    for command in ("rows", "--json"), ("rows",), ("stalls",):
        child = subprocess.Popen([PIPEGLASS, *command, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        child.stdout.read(10)
        child.stdout.close()
        err = child.stderr.read()
        if command[0] == "rows" and (child.wait(timeout=SECONDS) != 1 or err):
            check.fail(f"{command} | head: status {child.returncode}, {err!r}")
        child.wait()


def test_fifo():
    name, text = path_of("fifo"), small_trace(3000)
    want = Run("rows", "--json", write("regular", text)).out
    os.mkfifo(name)
    child = subprocess.Popen([PIPEGLASS, "rows", "--json", name], stdout=subprocess.PIPE)
    with open(name, "wb") as f:
        f.write(text)
    same("named pipe", child.stdout.read(), want)
    same("named pipe: status", child.wait(timeout=SECONDS), 0)
    empty = subprocess.run([PIPEGLASS, "info", "-"], stdin=subprocess.DEVNULL, capture_output=True)
    same("empty pipe", (empty.returncode, empty.stderr.count(b"\n")), (1, 1))


SHORT = [trace for trace in sys.argv[2:] if os.path.getsize(trace) < 2 << 20]
LONG = set(sys.argv[2:]) - set(SHORT)
seeds = [small_trace(400)]
for extra in sys.argv[2:]:
    with open(extra, "rb") as f:
        seeds.append(f.read()[:60000].rsplit(b"\n", 1)[0] + b"\n")
only = os.environ.get("PIPEGLASS_ONLY")
for name, test in sorted(globals().items()):
    if name.startswith("test_") and (not only or only in name):
        print("==", name[5:], flush=True)
        test(*([seeds] if test.__code__.co_argcount else []))
check.finish()
