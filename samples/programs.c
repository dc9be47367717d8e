#include "programs.h"

#include <string.h>

enum {
	LIST_NODES = 48,
	LIST_WALKS = 3,
	LIST_SLOT = 8,    /* words between places where a node may lie */
	LIST_SLOTS = 768, /* 48 KiB: more than the L1 D-cache, the D-TLB and the L2 cache reach */
	LIST_RESULT = 8000,
	MATRIX_ORDER = 8,
	MATRIX_STRIDE = 128, /* words a row: a power of two, as in too many programs */
	MATRIX_WORDS = MATRIX_ORDER * MATRIX_STRIDE,
	VECTOR_WORDS = 32, /* 256 bytes: two vectors stay in the L1 D-cache */
	VECTOR_ROUNDS = 6,
	VECTOR_Y = 64,
	VECTOR_A = 128,
	SORT_WORDS = 32
};

_Static_assert(MATRIX_ORDER == 8 && MATRIX_STRIDE == 128, "the matrix programs count on it");

static uint32_t random_next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* ---- a linked list whose nodes lie in random places, summed three times */

/* clang-format off */
static const char list_source[] =
    "	addq	r31,3,r3	; walks\n"
    "again:	lda	r1,0(r16)\n"
    "	.align\n"
    "walk:	ldq	r2,8(r1)	; payload\n"
    "	ldq	r1,0(r1)	; next node\n"
    "	addq	r0,r2,r0\n"
    "	bne	r1,walk\n"
    "	subq	r3,1,r3\n"
    "	bne	r3,again\n"
    "	stq	r0,0(r17)\n"
    "	call_pal halt\n";
/* clang-format on */

static void list_setup(struct arch *arch)
{
	size_t slot[LIST_SLOTS], i, node, next;
	uint32_t seed = 1;

	for (i = 0; i < LIST_SLOTS; i++)
		slot[i] = i * LIST_SLOT;
	for (i = 0; i < LIST_NODES; i++) {
		size_t other = i + random_next(&seed) % (LIST_SLOTS - i);

		node = slot[other];
		slot[other] = slot[i];
		slot[i] = node;
	}
	for (i = 0; i < LIST_NODES; i++) {
		node = slot[i];
		next = slot[i + 1];
		arch->mem.word[node] = i + 1 < LIST_NODES ? DATA_BASE + 8 * next : 0;
		arch->mem.word[node + 1] = random_next(&seed);
	}
	arch->reg[16] = DATA_BASE + 8 * slot[0];
	arch->reg[17] = DATA_BASE + 8 * LIST_RESULT;
}

/* Not by way of the pointers: a slot without a node holds 0 for a payload. */
static void list_direct(struct memory *mem)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < LIST_SLOTS; i++)
		sum += mem->word[i * LIST_SLOT + 1];
	mem->word[LIST_RESULT] = LIST_WALKS * sum;
}

/* ---- C = A * B, row times column: B's columns fall into two sets of the L1 D-cache */

/* clang-format off */
static const char matmul_source[] =
    "	addq	r31,8,r1	; rows left\n"
    "row:	addq	r31,8,r2	; columns left\n"
    "	lda	r4,0(r17)\n"
    "	lda	r5,0(r18)\n"
    "column:	lda	r6,0(r16)\n"
    "	lda	r7,0(r4)\n"
    "	addq	r31,8,r3\n"
    "	cpys	f31,f31,f10\n"
    "	.align\n"
    "dot:	ldt	f1,0(r6)\n"
    "	ldt	f2,0(r7)\n"
    "	mult	f1,f2,f3\n"
    "	addt	f10,f3,f10\n"
    "	lda	r6,8(r6)\n"
    "	lda	r7,1024(r7)\n"
    "	subq	r3,1,r3\n"
    "	bne	r3,dot\n"
    "	stt	f10,0(r5)\n"
    "	lda	r4,8(r4)\n"
    "	lda	r5,8(r5)\n"
    "	subq	r2,1,r2\n"
    "	bne	r2,column\n"
    "	lda	r16,1024(r16)\n"
    "	lda	r18,1024(r18)\n"
    "	subq	r1,1,r1\n"
    "	bne	r1,row\n"
    "	call_pal halt\n";
/* clang-format on */

/* ---- the same in blocks of 2 x 2 kept in registers: a quarter of the walks down a column of B */

/* clang-format off */
static const char blocked_source[] =
    "	addq	r31,4,r1	; pairs of rows left\n"
    "row:	addq	r31,4,r2	; pairs of columns left\n"
    "	lda	r4,0(r17)\n"
    "	lda	r5,0(r18)\n"
    "block:	lda	r6,0(r16)\n"
    "	lda	r7,0(r4)\n"
    "	addq	r31,8,r3\n"
    "	cpys	f31,f31,f10\n"
    "	cpys	f31,f31,f11\n"
    "	cpys	f31,f31,f12\n"
    "	cpys	f31,f31,f13\n"
    "	.align\n"
    "dot:	ldt	f1,0(r6)\n"
    "	ldt	f2,1024(r6)\n"
    "	ldt	f3,0(r7)\n"
    "	ldt	f4,8(r7)\n"
    "	mult	f1,f3,f5\n"
    "	mult	f1,f4,f6\n"
    "	mult	f2,f3,f7\n"
    "	mult	f2,f4,f8\n"
    "	addt	f10,f5,f10\n"
    "	addt	f11,f6,f11\n"
    "	addt	f12,f7,f12\n"
    "	addt	f13,f8,f13\n"
    "	lda	r6,8(r6)\n"
    "	lda	r7,1024(r7)\n"
    "	subq	r3,1,r3\n"
    "	bne	r3,dot\n"
    "	stt	f10,0(r5)\n"
    "	stt	f11,8(r5)\n"
    "	stt	f12,1024(r5)\n"
    "	stt	f13,1032(r5)\n"
    "	lda	r4,16(r4)\n"
    "	lda	r5,16(r5)\n"
    "	subq	r2,1,r2\n"
    "	bne	r2,block\n"
    "	lda	r16,2048(r16)\n"
    "	lda	r18,2048(r18)\n"
    "	subq	r1,1,r1\n"
    "	bne	r1,row\n"
    "	call_pal halt\n";
/* clang-format on */

static void real_put(struct memory *mem, size_t at, double value)
{
	memcpy(&mem->word[at], &value, sizeof value);
}

static double real_get(const struct memory *mem, size_t at)
{
	double value;

	memcpy(&value, &mem->word[at], sizeof value);
	return value;
}

/* Small whole numbers: every product and sum is exact, in whatever order they are added. */
static void matrix_setup(struct arch *arch)
{
	uint32_t seed = 2;
	size_t i, j;

	for (i = 0; i < 2 * MATRIX_ORDER; i++)
		for (j = 0; j < MATRIX_ORDER; j++)
			real_put(&arch->mem, i * MATRIX_STRIDE + j, random_next(&seed) % 100);
	arch->reg[16] = DATA_BASE;
	arch->reg[17] = DATA_BASE + 8 * MATRIX_WORDS;
	arch->reg[18] = DATA_BASE + 16 * MATRIX_WORDS;
}

static void matrix_direct(struct memory *mem)
{
	size_t i, j, k;

	for (i = 0; i < MATRIX_ORDER; i++) {
		for (j = 0; j < MATRIX_ORDER; j++) {
			double sum = 0;

			for (k = 0; k < MATRIX_ORDER; k++)
				sum += real_get(mem, i * MATRIX_STRIDE + k) *
				       real_get(mem, MATRIX_WORDS + k * MATRIX_STRIDE + j);
			real_put(mem, 2 * MATRIX_WORDS + i * MATRIX_STRIDE + j, sum);
		}
	}
}

/* ---- y = a * x + y, two elements a turn: six accesses in fourteen instructions, and one port */

/* clang-format off */
static const char daxpy_source[] =
    "	ldt	f0,0(r18)\n"
    "	addq	r31,6,r1	; rounds left\n"
    "round:	lda	r4,0(r16)\n"
    "	lda	r5,0(r17)\n"
    "	addq	r31,16,r2	; pairs left\n"
    "	.align\n"
    "pair:	ldt	f1,0(r4)\n"
    "	ldt	f2,0(r5)\n"
    "	ldt	f3,8(r4)\n"
    "	ldt	f4,8(r5)\n"
    "	mult	f0,f1,f1\n"
    "	mult	f0,f3,f3\n"
    "	addt	f1,f2,f2\n"
    "	addt	f3,f4,f4\n"
    "	stt	f2,0(r5)\n"
    "	stt	f4,8(r5)\n"
    "	lda	r4,16(r4)\n"
    "	lda	r5,16(r5)\n"
    "	subq	r2,1,r2\n"
    "	bne	r2,pair\n"
    "	subq	r1,1,r1\n"
    "	bne	r1,round\n"
    "	call_pal halt\n";
/* clang-format on */

static void daxpy_setup(struct arch *arch)
{
	uint32_t seed = 4;
	size_t i;

	for (i = 0; i < VECTOR_WORDS; i++) {
		real_put(&arch->mem, i, random_next(&seed) % 100);
		real_put(&arch->mem, VECTOR_Y + i, random_next(&seed) % 100);
	}
	real_put(&arch->mem, VECTOR_A, 3);
	arch->reg[16] = DATA_BASE;
	arch->reg[17] = DATA_BASE + 8 * VECTOR_Y;
	arch->reg[18] = DATA_BASE + 8 * VECTOR_A;
}

static void daxpy_direct(struct memory *mem)
{
	double a = real_get(mem, VECTOR_A);
	size_t i;

	for (i = 0; i < VECTOR_WORDS; i++) {
		double y = real_get(mem, VECTOR_Y + i) + VECTOR_ROUNDS * a * real_get(mem, i);

		real_put(mem, VECTOR_Y + i, y);
	}
}

/* ---- quicksort: the test against the pivot is a coin toss for any predictor */

/* clang-format off */
#define SORT_BEFORE \
	"	bsr	r26,sort\n" \
	"	call_pal halt\n" \
	"	.align\n" \
	"sort:	cmpult	r16,r17,r1\n" \
	"	beq	r1,return\n" \
	"	ldq	r2,0(r17)	; pivot\n" \
	"	lda	r3,0(r16)	; end of the part below the pivot\n" \
	"	lda	r4,0(r16)\n" \
	"	.align\n" \
	"scan:	ldq	r5,0(r4)\n"

#define SORT_AFTER \
	"	addq	r4,8,r4\n" \
	"	cmpult	r4,r17,r1\n" \
	"	bne	r1,scan\n" \
	"	ldq	r6,0(r3)	; the pivot goes between the parts\n" \
	"	stq	r2,0(r3)\n" \
	"	stq	r6,0(r17)\n" \
	"	lda	r30,-24(r30)\n" \
	"	stq	r26,0(r30)\n" \
	"	stq	r17,8(r30)\n" \
	"	stq	r3,16(r30)\n" \
	"	subq	r3,8,r17\n" \
	"	bsr	r26,sort	; the part below\n" \
	"	ldq	r17,8(r30)\n" \
	"	ldq	r16,16(r30)\n" \
	"	addq	r16,8,r16\n" \
	"	ldq	r26,0(r30)\n" \
	"	lda	r30,24(r30)\n" \
	"	br	r31,sort	; the part above\n" \
	"return:	ret	r31,(r26)\n"

static const char sort_source[] =
    SORT_BEFORE
    "	cmplt	r5,r2,r1\n"
    "	beq	r1,above\n"
    "	ldq	r6,0(r3)\n"
    "	stq	r5,0(r3)\n"
    "	stq	r6,0(r4)\n"
    "	addq	r3,8,r3\n"
    "above:"
    SORT_AFTER;
/* clang-format on */

/* ---- the same without the branch: always exchange, and let the comparison move the end */

/* clang-format off */
static const char branchless_source[] =
    SORT_BEFORE
    "	ldq	r6,0(r3)\n"
    "	cmplt	r5,r2,r1\n"
    "	stq	r5,0(r3)\n"
    "	stq	r6,0(r4)\n"
    "	s8addq	r1,r3,r3\n"
    SORT_AFTER;
/* clang-format on */

static void sort_setup(struct arch *arch)
{
	uint32_t seed = 3;
	size_t i;

	for (i = 0; i < SORT_WORDS; i++)
		arch->mem.word[i] = random_next(&seed) % 1000;
	arch->reg[16] = DATA_BASE;
	arch->reg[17] = DATA_BASE + 8 * (SORT_WORDS - 1);
	arch->reg[30] = DATA_BASE + 8 * MEM_WORDS;
}

static void sort_direct(struct memory *mem)
{
	size_t i, j;

	for (i = 1; i < SORT_WORDS; i++) {
		uint64_t value = mem->word[i];

		for (j = i; j > 0 && mem->word[j - 1] > value; j--)
			mem->word[j] = mem->word[j - 1];
		mem->word[j] = value;
	}
}

const struct program programs[] = {
    {"list", "sums a scattered linked list three times", list_source, list_setup, list_direct,
     LIST_RESULT, 1},
    {"matmul", "multiplies matrices, row times column", matmul_source, matrix_setup, matrix_direct,
     2 * MATRIX_WORDS, MATRIX_WORDS},
    {"matmul-blocked", "the same in blocks of 2 x 2 elements", blocked_source, matrix_setup,
     matrix_direct, 2 * MATRIX_WORDS, MATRIX_WORDS},
    {"daxpy", "adds a multiple of a vector to another", daxpy_source, daxpy_setup, daxpy_direct,
     VECTOR_Y, VECTOR_WORDS},
    {"sort", "quicksort of random numbers", sort_source, sort_setup, sort_direct, 0, SORT_WORDS},
    {"sort-branchless", "the same without a branch on the data", branchless_source, sort_setup,
     sort_direct, 0, SORT_WORDS},
    {NULL, NULL, NULL, NULL, NULL, 0, 0},
};

const struct program *program_find(const char *name)
{
	const struct program *p;

	for (p = programs; p->name && strcmp(p->name, name) != 0; p++)
		;
	return p->name ? p : NULL;
}

uint64_t program_checksum(const struct program *program, const struct memory *mem)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t i;
	int byte;

	for (i = 0; i < program->words; i++) {
		for (byte = 0; byte < 8; byte++) {
			hash ^= mem->word[program->result + i] >> (8 * byte) & 0xff;
			hash *= UINT64_C(0x100000001b3);
		}
	}
	return hash;
}
