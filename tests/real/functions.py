"""Which function a line of the source is in: what `sharing` says of each line against braces counted here."""

import os
import re
import sys
import tempfile

from check import ask, fail, finish, same

# A line each, with the function that it is in: heads of all kinds.
HEADS = """\
#include <stdio.h>
static struct { int a; } first = { 1 };
int counted(int);
-
static struct list
{
	int next;
} global;
old_style(count, name)			old_style
int count; /* (how many) */		old_style
char *name, *(*found)();		old_style
{					old_style
	if (count)			old_style
		goto out;		old_style
out:					old_style
	return call(count);		old_style
#define STEP(x) x			old_style
next: step(count);			old_style
}					old_style
int between = 3;
static enum status
on_two_lines(int a,			on_two_lines
	     int b)			on_two_lines
{					on_two_lines
	return a + b;			on_two_lines
}					on_two_lines
__attribute__((noinline)) static int noisy (void) /* (x) */	noisy
{					noisy
	return 1;			noisy
}					noisy
static const ElfW(Shdr) *section(const ElfW(Ehdr) *elf)	section
{					section
	return (const ElfW(Shdr) *)elf;	section
}					section
void quiet() noexcept(true)		quiet
{					quiet
}					quiet
int get(void) { return 1; }		get
int after = 2;
void Cell::collide(Quadrant &mine)	Cell::collide
{					Cell::collide
	last = nullptr;			Cell::collide
}					Cell::collide
::Cell::~Cell()
{
}
template <class T> T *pool(int count = 3)	pool
{					pool
	return new T[count];		pool
}					pool
Cell::~Cell() {				Cell::~Cell
	if (last) {			Cell::~Cell
		delete last;		Cell::~Cell
	}				Cell::~Cell
};					Cell::~Cell
int table[] = {
	get(1),
};
main()					main
{ $last();				main
"""


def name_of(head):
    """The last thing with parentheses before the brace (or what a constructor begins with), macros being others."""
    while "(" in head and head != (head := re.sub(r"\([^()]*\)", "@", head)):
        continue
    head = re.sub(r"@\s*:(?!:).*", "@", re.sub(r"(__attribute__|alignas)\s*@", "", head), flags=re.S)
    return None if "=" in head else ([None] + re.findall(r"([\w:~]+)\s*@", head))[-1]


def bodies(text):
    """The name for each line (from 1) in the body of a function, by braces; those in no body are left out."""
    blank = lambda m: re.sub(r"[^\n]", " ", m[0])
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)
    within, depth, line, head, name = {}, 0, 1, "", None
    for c in text:
        if c == "{":
            if not depth:
                name = name_of(head)
            depth += 1
        elif c == "}":
            depth -= 1
            head = "" if not depth else head
        elif c == ";" and not depth:
            head = ""
        elif not depth:
            head += c
        if c == "\n":
            line += 1
        elif depth and name and not c.isspace():
            within.setdefault(line, name)
    return within


def said_of(path, lines):
    """What is said of each line of a file, of a trace in which every one of them writes a word."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "lines.trace")
        with open(trace, "w") as out:
            print("i 32\ni 128\ni 1\ni 1", file=out)
            for line in range(1, lines + 1):
                print(f"h 1000 0 1 {1 << 18 | line:o} {line:o}\nW 1000 0 {1 << 18 | line:o} 20", file=out)
        with open(trace + ".files", "w") as out:
            print("1", path, file=out)
        return {row["line"]: row["function"] for row in ask("sharing", trace)["lines"]}


def check_heads():
    rows = [row.split("\t") for row in HEADS.splitlines()]
    # the name is what stands behind the last tab, of lines that are no indent alone
    want = {i: row[-1] if row[-1] and len([w for w in row if w]) > 1 else None for i, row in enumerate(rows, 1)}
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        for i, row in enumerate(rows, 1):
            print("\t".join(row[:-1]) if want[i] else "\t".join(row), file=source)
        source.flush()
        said = said_of(source.name, len(rows))
    for i, row in enumerate(rows, 1):
        same(f"heads: line {i}: {row}", said.get(i), want[i])


def check_file(path):
    text = open(path, encoding="utf-8", errors="replace").read()
    want = bodies(text)
    said = said_of(os.path.abspath(path), text.count("\n"))
    for line, name in want.items():
        if said.get(line) != name:
            fail(f"{path}:{line}: got {said.get(line)}, want {name}")
            break
    return len(want)


if __name__ == "__main__":
    check_heads()
    print(f"{sum(map(check_file, sys.argv[1:]))} lines of {len(sys.argv) - 1} files")
    finish()
