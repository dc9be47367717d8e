"""The sample core's own counters against what pipeglass says of the traces it wrote."""
import os
import subprocess
import sys

import check

SAMPLECORE = os.environ["SAMPLECORE"]
PROGRAMS = "list daxpy matmul matmul-blocked sort sort-branchless".split()
FATES = "committed squashed dropped lost in_flight instructions micro_ops".split()


def counters(path):
    with open(path) as f:
        return {name: float(value) for name, value in (line.split() for line in f)}


def check_run(folder, program, options):
    trace, kept = os.path.join(folder, "trace"), os.path.join(folder, "kept")
    subprocess.run([SAMPLECORE, *options, "-c", kept, "-o", trace, program], check=True,
                   capture_output=True)
    want = counters(kept)
    info = check.ask("info", trace)
    stalls = check.ask("stalls", trace)
    name = " ".join([program, *options])
    for fate in FATES:
        check.same(f"{name}: {fate}", info[fate], want[fate])
    check.same(f"{name}: cycles", info["last"] - info["first"] + 1, want["cycles"])
    for stage in stalls["stages"]:
        key = "stage." + stage["name"]
        check.same(f"{name}: {key}.entries", stage["entries"], want[key + ".entries"])
        # a stay still open at the end counts up to and with the last cycle
        open_rows = stage["cycles"] - want[key + ".cycles"] - want[key + ".open_cycles"]
        if not 0 <= open_rows <= want["in_flight"]:
            check.fail(f"{name}: {key}.cycles: got {stage['cycles']}, want "
                       f"{want[key + '.cycles']} and {want[key + '.open_cycles']} open")
    for event in stalls["events"]:
        check.same(f"{name}: {event['name']}", event["count"], want["event." + event["name"]])
        if "--stock" not in options and "latency." + event["name"] in want:
            check.same(f"{name}: latency of {event['name']}", event["latency"] or 0,
                       want["latency." + event["name"]])
    ipc = check.ask("series", "--metric", "ipc", "--bins", 1, trace)["values"]
    check.close(f"{name}: ipc", ipc, [want["committed_instructions"] / want["cycles"]])


def check_gem5(folder, program, width):
    """The same run in gem5's form: no rows for accesses, and none for what vanished from a queue."""
    trace, kept, other = (os.path.join(folder, f) for f in ("trace.o3", "kept", "trace"))
    for options, path in (["-g"], trace), ([], other):
        subprocess.run([SAMPLECORE, *options, "-w", width, "-c", kept, "-o", path, program], check=True,
                       capture_output=True)
    want = counters(kept)
    info = check.ask("info", trace)
    name = f"{program} -w {width} --gem5"
    check.same(f"{name}: committed", info["committed"], want["committed_instructions"])
    check.same(f"{name}: squashed", info["squashed"],
               want["squashed"] - want["squashed_micro_ops"] + want["dropped"])
    both = check.ask("compare", other, trace)
    check.same(f"{name}: matched with the pipetrace", both["matched"], want["committed_instructions"])
    for side in "ab":
        check.same(f"{name}: instructions_{side}", both[f"instructions_{side}"], want["committed_instructions"])


def main(folder):
    for program in PROGRAMS:
        for width in "24":
            check_gem5(folder, program, width)
        for options in (["-w", "2"], ["-w", "4"], ["-w", "4", "--stock"], ["-w", "2", "-n", "777"]):
            check_run(folder, program, options)
    check.finish()


main(sys.argv[1])
