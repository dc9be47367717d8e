/*
 * gen_optrace COUNT: an optrace of a made program of 400 instructions, branching at random, loads
 * and stores all over 32 KiB. The same text for the same COUNT.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CODE = 400, WORDS = 4096 };

enum kind { LOAD, STORE, BRANCH, COMPARE, ADD };

struct insn {
	enum kind kind;
	int a, b, d;
};

static uint64_t state = 88172645463325252u;

static int below(int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (int)(state % (uint64_t)n);
}

static enum kind some_kind(void)
{
	static const struct {
		int until;
		enum kind kind;
	} mix[] = {{20, LOAD}, {30, STORE}, {42, BRANCH}, {50, COMPARE}, {100, ADD}};
	int at = below(100), i = 0;

	while (at >= mix[i].until)
		i++;
	return mix[i].kind;
}

static int put(const struct insn *code, int i)
{
	const struct insn *c = &code[i];
	unsigned pc = 0x400000u + 4u * (unsigned)i, address = 0x7f0000u + 8u * (unsigned)below(WORDS);

	switch (c->kind) {
	case LOAD:
		printf("%x - r%d,m:%x r%d\n", pc, c->a, address, c->d);
		break;
	case STORE:
		printf("%x - r%d,r%d m:%x\n", pc, c->a, c->b, address);
		break;
	case COMPARE:
		printf("%x - r%d,r%d cc\n", pc, c->a, c->b);
		break;
	case ADD:
		printf("%x - r%d,r%d r%d\n", pc, c->a, c->b, c->d);
		break;
	case BRANCH:
		if (below(10) < 6) {
			printf("%x t cc -\n", pc);
			return below(CODE);
		}
		printf("%x - cc -\n", pc);
		break;
	}
	return (i + 1) % CODE;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000;
	struct insn code[CODE];
	int at = 0;

	for (int i = 0; i < CODE; i++)
		code[i] = (struct insn){some_kind(), 1 + below(31), 1 + below(31), 1 + below(31)};
	puts("optrace 1");
	while (count-- > 0)
		at = put(code, at);
	return ferror(stdout) || fflush(stdout);
}
