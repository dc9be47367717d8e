"""What `pipeglass why` foretells of the sample core's runs, and what the core does without a cause.

Errors are in percent of the run: saved as foretold less saved in truth. Without a branch's cost
nothing of what its wrong path brought in is there: an upper bound, which may be far above where a
loop is full of mispredictions. In the blocked multiplication of matrices waits that nothing explains stay
when the misses behind them are gone.
"""
import os
import subprocess
import sys

import check

SAMPLECORE = os.environ["SAMPLECORE"]
PROGRAMS = "list daxpy sort sort-branchless matmul matmul-blocked".split()

# causes that are gone together: percent that a prediction may be below the truth, and above it
LIMITS = {"dcache": (1.5, 3), "icache": (0.5, 1), "branch": (2, 12), "dcache+branch": (2, 12)}
BLOCKED = {"dcache": (6, 1), "icache": (0.5, 2.5), "branch": (1.5, 1), "dcache+branch": (5, 1)}
# of the core by its width: a structure that is said to have been full has its size
SIZES = {"window": {2: 24, 4: 48}, "lsq": {2: 8, 4: 16}}
# share of the run, in percent, that the trace does not explain where a queue for floating point is full: at most
RESIDUES = {("matmul-blocked", 2): 12, ("matmul-blocked", 4): 15}
# entries of the window, and then: the same
SMALL, LARGE, WINDOW = 8, 24, (4, 8.5)


def run(trace, width, program, options):
    kept = trace + ".counters"
    subprocess.run([SAMPLECORE, "-w", str(width), *options, "-c", kept, "-o", trace, program], check=True,
                   capture_output=True)
    with open(kept, encoding="ascii") as text:
        return {name: float(value) for name, value in (line.split() for line in text)}


def cycles(trace):
    return check.ask("why", trace)["cycles"]


def within(name, foretold, base, truth, limits):
    error = (truth - foretold) / base * 100
    below, above = limits
    if not -below <= error <= above:
        check.fail(f"{name}: foretold {foretold} of {base} cycles, in truth {truth}: {error:+.1f} %")


def check_causes(trace, width, program):
    limits = BLOCKED if program == "matmul-blocked" else LIMITS
    run(trace, width, program, [])
    sets = [name.split("+") for name in limits]
    answer = check.ask("why", *(word for names in sets for word in ("--without", ",".join(names))), trace)
    for p in answer["parameters"]:
        if p["reached"] and p["name"] in SIZES:
            check.same(f"{program} {width}: {p['name']}", p["value"], SIZES[p["name"]][width])
    for names, whatif in zip(sets, answer["without"], strict=True):
        options = [word for name in names for word in ("--without", name)]
        kept = run(trace, width, program, options)
        name = " ".join([program, str(width), *options])
        within(name, whatif["cycles"], answer["cycles"], cycles(trace), limits["+".join(names)])
        if "branch" in names:
            check.same(f"{name}: mispredictions", kept["mispredictions"] + kept["misfetches"], 0)
        if "dcache" in names:
            check.same(f"{name}: misses", kept["event.cache-miss.EX"], 0)


def check_window(trace, width, program):
    run(trace, width, program, ["--window", str(SMALL)])
    answer = check.ask("why", "--set", f"window={LARGE}", trace)
    run(trace, width, program, ["--window", str(LARGE)])
    within(f"{program} {width} window={LARGE}", answer["without"][0]["cycles"], answer["cycles"],
           cycles(trace), WINDOW)


def main(folder):
    trace = os.path.join(folder, "trace")
    for (program, width), most in RESIDUES.items():
        run(trace, width, program, [])
        share = 100 * check.ask("why", trace)["residue_share"]
        if share > most:
            check.fail(f"{program} {width}: {share:.1f} % not explained")
    for width in (2, 4):
        for program in PROGRAMS:
            check_causes(trace, width, program)
            check_window(trace, width, program)
    check.finish()


main(sys.argv[1])
