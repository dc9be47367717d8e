"""One squash in a million rows shows when the whole trace is on one screen, and Enter goes to it."""
import os
import subprocess
import sys

import check

PIPEGLASS = os.environ["PIPEGLASS"]
ROWS = 1000000


def write_trace(path, squashed):
    """One instruction a cycle through five stages; one of them is removed before writeback."""
    with open(path, "w") as out:
        for cycle in range(ROWS + 6):
            lines = ["@ %d\n" % cycle]
            for stage, age in (("CT", 4), ("WB", 3), ("EX", 2), ("DA", 1)):
                i = cycle - age
                if not 0 <= i < ROWS or (i == squashed and age > 3):
                    continue
                if i == squashed and age == 3:
                    lines.append("- %d\n" % i)
                    continue
                lines.append("* %d %s 0x00000000\n" % (i, stage))
                if stage == "CT":
                    lines.append("- %d\n" % i)
            if cycle < ROWS:
                lines.append("+ %d 0x%08x 0x00000000 addq r%d,r2,r3\n* %d IF 0x00000000\n" %
                             (cycle, 0x400000 + 4 * (cycle % 1000), cycle % 30, cycle))
            out.write("".join(lines))


def screen(path, geometry, *commands):
    words = [PIPEGLASS, "screen", "-g", geometry]
    for command in commands:
        words += ["-c", command]
    return subprocess.run(words + [path], check=True, capture_output=True, text=True).stdout


def cells(picture, gutter):
    """The time area below the ruler and above the curves."""
    lines = picture.split("\n")[3:]
    end = next((k for k, line in enumerate(lines) if not line.strip()), len(lines))
    return "\n".join(line[gutter:] for line in lines[:end])


def main(path):
    squashed = 654321
    write_trace(path, squashed)
    for geometry in ("80x24", "200x60", "40x12"):
        columns = int(geometry.split("x")[0])
        picture = screen(path, geometry, "zoom fit")
        check.same(f"squashes to be seen at {geometry}", cells(picture, columns // 4).count("×"), 1)
        looked = screen(path, geometry, "zoom fit", f"goto cycle {squashed + 2}", "enter")
        if not any(line.startswith("×") and str(squashed) in line for line in looked.split("\n")):
            check.fail(f"Enter at {geometry} went elsewhere:\n{looked}")
    os.remove(path)
    check.finish()


main(sys.argv[1])
