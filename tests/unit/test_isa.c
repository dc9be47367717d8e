/*
 * isa as a whole: which instruction set texts are of, names, tables, hostile text.
 */
#include "config.h"

#include "isa/dialect.h"
#include "isa_lines.h"

static enum isa elect(const char *const *texts, size_t count)
{
	struct isa_votes votes = {0};
	size_t i;

	for (i = 0; i < count; i++)
		isa_vote(&votes, texts[i], strlen(texts[i]));
	return isa_elect(&votes);
}

#define ELECT(...)                                                                                 \
	elect((const char *const[]){__VA_ARGS__},                                                  \
	      sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

TEST(elections)
{
	assert_int_equal(ELECT("lda r19,72(r30)", "bis r31,r3,r14", "beq r1,0x8"), ISA_ALPHA);
	assert_int_equal(ELECT("addiu r4,r16,1", "lw r3,4(r20)", "jr r31"), ISA_PISA);
	assert_int_equal(ELECT("mov  r1,r4", "agen  tmp0,r4,36", "bl  0x10"), ISA_ARM);
	assert_int_equal(ELECT("ld x5, 0(x10)", "mul x7, x5, x6"), ISA_RISCV);
	assert_int_equal(ELECT("ldr x0, [x1]", "cbz x0, 0x1008"), ISA_AARCH64);
	assert_int_equal(ELECT("PUSH_R : subi rsp, rsp, 0x8", "JZ_I : wrip t1, t2"), ISA_X86_GEM5);
	/* a few that nobody reads, and parts of instructions, do not decide */
	assert_int_equal(ELECT("lda r19,72(r30)", "beq r1,0x8", "???"), ISA_ALPHA);
	assert_int_equal(ELECT("[internal ld/st]", "[internal ld/st]", "", "jr r31"), ISA_PISA);
	/* none convinces: half of the texts are nothing, or two sets read as many */
	assert_int_equal(ELECT("beq r1,0x8", "???"), ISA_UNKNOWN);
	assert_int_equal(ELECT("and r1,r2,r3"), ISA_UNKNOWN);
	assert_int_equal(ELECT("12000d918 iBC(r17)", "12000d91c r4 = iALU(r3, r2)"), ISA_UNKNOWN);
	assert_int_equal(ELECT("[internal ld/st]", "  ", ""), ISA_UNKNOWN);
	assert_int_equal(isa_elect(&(struct isa_votes){0}), ISA_UNKNOWN);
}

static void assert_sorted(const struct isa_dialect *d)
{
	size_t i;

	for (i = 1; i < d->count; i++)
		if (strcmp(d->rows[i - 1].name, d->rows[i].name) >= 0)
			fail_msg("%s stands before %s", d->rows[i - 1].name, d->rows[i].name);
}

/* Each letter of a shape is one that somebody knows: an unknown one would read nothing, quietly. */
static void assert_shapes(const struct isa_dialect *d)
{
	size_t i;

	for (i = 0; i < d->count; i++) {
		assert_in_range(d->rows[i].class, OP_INT_ALU, OP_OTHER);
		if (strspn(d->rows[i].shape, "abcdefgiklmnoqrstuvwxzBCDFGHKLNSTWX,()[]?*~| h") !=
		    strlen(d->rows[i].shape))
			fail_msg("%s: %s", d->rows[i].name, d->rows[i].shape);
		if (d->rows[i].endings)
			assert_true(d->ending || d->decode);
	}
}

TEST(tables)
{
	unsigned i;

	assert_null(isa_dialect(ISA_UNKNOWN));
	assert_null(isa_dialect(ISA_COUNT));
	for (i = ISA_UNKNOWN + 1; i < ISA_COUNT; i++) {
		assert_sorted(isa_dialect((enum isa)i));
		assert_shapes(isa_dialect((enum isa)i));
	}
}

/* Every register has a name, that name reads as the register, and no other register has it. */
TEST(registers)
{
	struct isa_insn insn = {0};
	struct isa_reading r = {.insn = &insn};
	struct isa_reg reg;
	char name[16];
	unsigned i, n;

	for (i = ISA_UNKNOWN + 1; i < ISA_COUNT; i++) {
		for (n = 0; n < ISA_REG_COUNT; n++) {
			isa_register_name((enum isa)i, n, name);
			if (name[0] == '?')
				continue;
			r.dialect = isa_dialect((enum isa)i);
			r.p = r.start = name;
			r.end = name + strlen(name);
			if (!isa_read_name(&r, &reg) || reg.number != n || r.p != r.end)
				fail_msg("%s: %u is %s", isa_key((enum isa)i), n, name);
		}
		isa_register_name((enum isa)i, ISA_REG_NONE, name);
		assert_string_equal(name, "?255");
	}
	isa_register_name(ISA_UNKNOWN, 3, name);
	assert_string_equal(name, "?3");
}

TEST(sets)
{
	struct isa_regs set = {{0}};

	assert_int_equal(isa_regs_next(&set, 0), ISA_REG_COUNT);
	isa_regs_add(&set, 3);
	isa_regs_add(&set, 64);
	isa_regs_add(&set, 127);
	isa_regs_add(&set, 128);
	isa_regs_add(&set, ISA_REG_NONE);
	assert_int_equal(isa_regs_next(&set, 0), 3);
	assert_int_equal(isa_regs_next(&set, 4), 64);
	assert_int_equal(isa_regs_next(&set, 65), 127);
	assert_int_equal(isa_regs_next(&set, 128), ISA_REG_COUNT);
	assert_true(isa_regs_has(&set, 127));
	assert_false(isa_regs_has(&set, 63));
	assert_false(isa_regs_has(&set, ISA_REG_NONE));
}

/* What failed, and where. */
TEST(unread)
{
	static const struct {
		enum isa isa;
		const char *text;
		enum isa_unread what;
		uint32_t at;
	} cases[] = {
	    {ISA_ALPHA, "", UNREAD_EMPTY, 0},
	    {ISA_ALPHA, "  \t ", UNREAD_EMPTY, 0},
	    {ISA_UNKNOWN, "", UNREAD_EMPTY, 0},
	    {ISA_UNKNOWN, "bis r31,r31,r31", UNREAD_MNEMONIC, 0},
	    {ISA_COUNT, "bis r31,r31,r31", UNREAD_MNEMONIC, 0},
	    {ISA_ALPHA, " frob r1", UNREAD_MNEMONIC, 1},
	    {ISA_ALPHA, "addqaddqaddqaddqaddqaddqaddqaddq r1,r2,r3", UNREAD_MNEMONIC, 0},
	    {ISA_ALPHA, "addq r1;r2,r3", UNREAD_OPERANDS, 7},
	    {ISA_ALPHA, "addq r1,r2,", UNREAD_OPERANDS, 11},
	    {ISA_ALPHA, "beq r1,0x11111111111111111", UNREAD_OPERANDS, 7},
	    {ISA_ALPHA, "beq r1,18446744073709551616", UNREAD_OPERANDS, 7},
	};
	struct isa_insn insn;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		memset(&insn, 0x5a, sizeof(insn));
		assert_false(isa_decode(cases[i].isa, cases[i].text, strlen(cases[i].text), &insn));
		assert_int_equal(insn.unread, cases[i].what);
		assert_int_equal(insn.unread_at, cases[i].at);
		assert_int_equal(insn.class, OP_UNKNOWN);
		assert_int_equal(insn.flow, FLOW_NEXT);
		assert_int_equal(insn.base, ISA_REG_NONE);
		assert_int_equal(isa_regs_next(&insn.sources, 0), ISA_REG_COUNT);
		assert_int_equal(isa_regs_next(&insn.sinks, 0), ISA_REG_COUNT);
	}
}

/* No length matters: every beginning of a line, and one far beyond any instruction. */
TEST(lengths)
{
	static const char *const texts[ISA_COUNT] = {
	    "",
	    "stl_c (unimpl) r1,0(r16)",
	    "dlw r4,(r5+r6)",
	    "ldreqsh  r3,[r4,r5, lsl #2]",
	    "ldr x0, [x1, w2, uxtw #2]",
	    "amoadd.w.aqrl a0, a2, 0xfffffaf4(a1)",
	    "  MOV_R_M : ld   rax, DS:[8*rcx + rdx + 0x10]",
	};
	struct isa_insn insn;
	char *exact;
	size_t len;
	unsigned i;

	for (i = 0; i < ISA_COUNT; i++) {
		for (len = 0; len <= strlen(texts[i]); len++) {
			exact = test_malloc(len + !len);
			memcpy(exact, texts[i], len);
			assert_int_equal(isa_decode((enum isa)i, exact, len, &insn),
					 len && len == strlen(texts[i]));
			test_free(exact);
		}
	}
	len = 100000;
	exact = test_malloc(len);
	memset(exact, '(', len);
	memcpy(exact, "c_j ", 4);
	for (i = 0; i < ISA_COUNT; i++)
		assert_false(isa_decode((enum isa)i, exact, len, &insn));
	memset(exact + 4, ' ', len - 4);
	memcpy(exact + len - 2, "42", 2);
	assert_false(isa_decode(ISA_RISCV, exact, len, &insn));
	test_free(exact);
}
