/*
 * isa: ARM and AArch64, lines of real traces and of assemblers, and what "ARM Architecture
 * Reference Manual" and "Arm Architecture Reference Manual for A-profile" say of them.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa_lines.h"

static void arm(void **state)
{
	static const struct isa_line lines[] = {
	    {"mov  r0,#512 (2 >>> 12)", "integer: > r0"},
	    {"mov  r1,r4", "integer: r4 > r1"},
	    {"mov  r14,r15", "integer: > r14"},
	    {"mvn  r2,#0 (0 >>> 0)", "integer: > r2"},
	    {"add  r2,r13,#36 (36 >>> 0)", "integer: r13 > r2"},
	    {"add  r2,r1,r2, lsl #2", "integer: r1 r2 > r2"},
	    {"orrne  r3,r3,r2, lsr r12", "integer: r2 r3 r12 cc > r3; maybe"},
	    {"andeq  r1,r1,r4, asr r13", "integer: r1 r4 r13 cc > r1; maybe"},
	    {"rsb  r0,r0,#0 (0 >>> 0)", "integer: r0 > r0"},
	    {"rsbs  r5,r3,#0 (0 >>> 0)", "integer: r3 > r5 cc"},
	    {"adc  r5,r5,r3", "integer: r3 r5 cc > r5"},
	    {"sbcs  r5,r6,r3", "integer: r3 r6 cc > r5 cc"},
	    {"mov  r3,r3, rrx", "integer: r3 cc > r3"},
	    {"movs  r3,r5, lsr #9", "integer: r5 > r3 cc"},
	    {"bic  r13,r13,#7 (7 >>> 0)", "integer: r13 > r13"},
	    /* what a predicated instruction does not write, it keeps */
	    {"moveq  r0,r2", "integer: r0 r2 cc > r0; maybe"},
	    {"addne  r0,r1,#1 (1 >>> 0)", "integer: r0 r1 cc > r0; maybe"},
	    {"mvnlt  r6,#0 (0 >>> 0)", "integer: r6 cc > r6; maybe"},
	    {"addseq r0, r1, r2", "integer: r0 r1 r2 cc > r0 cc; maybe"},
	    {"cmp  r0,#0 (0 >>> 0)", "integer: r0 > cc"},
	    {"cmn  r3,#1 (1 >>> 0)", "integer: r3 > cc"},
	    {"cmpne  r3,#37 (37 >>> 0)", "integer: r3 cc > cc; maybe"},
	    {"tsts  r3,#8192 (2 >>> 10)", "integer: r3 > cc"},
	    {"tstnes  r3,#65280 (255 >>> 12)", "integer: r3 cc > cc; maybe"},
	    {"mul  r3,r0,r4", "integer multiply: r0 r4 > r3"},
	    {"muleq  r1,r0,r5", "integer multiply: r0 r1 r5 cc > r1; maybe"},
	    {"mla  r3,r0,r4,r5", "integer multiply: r0 r4 r5 > r3"},
	    {"umull  r3,r4,r5,r6", "integer multiply: r5 r6 > r3 r4"},
	    {"smlal  r3,r4,r5,r6", "integer multiply: r3 r4 r5 r6 > r3 r4"},
	    {"ldr  r3,[r0,#56]", "load: r0 > r3; [r0+56]"},
	    {"ldr  r3,[r0,-#4]", "load: r0 > r3; [r0-4]"},
	    {"ldr  r3,[r15,#268]", "load: > r3"},
	    {"ldr  r0,[r12, r1, lsl #7]", "load: r1 r12 > r0; [r12...]"},
	    {"ldr  r0,[r14,#4]!", "load: r14 > r0 r14; [r14+4]"},
	    {"ldr  r0,[r1],#4", "load: r1 > r0 r1; [r1+0]"},
	    {"ldrb  r12,[r1],#1", "load: r1 > r1 r12; [r1+0]"},
	    {"ldreq  r3,[r1],#4", "load: r1 r3 cc > r1 r3; maybe [r1+0]"},
	    {"ldrneh  r3,[r4,#12]", "load: r3 r4 cc > r3; maybe [r4+12]"},
	    /* SimpleScalar's mark without a meaning; and another's with one */
	    {"ldrsh  r3,[r4,#12]!", "load: r4 > r3; [r4+12]"},
	    {"ldrsh r3, [r4, #12]!", "load: r4 > r3 r4; [r4+12]"},
	    {"ldreqsh  r3,[r4,#12]!", "load: r3 r4 cc > r3; maybe [r4+12]"},
	    {"str  r14,[r13,-#4]!", "store: r13 r14 > r13; [r13-4]"},
	    {"strb  r12,[r3,#1]!", "store: r3 r12 > r3; [r3+1]"},
	    {"streqh  r7,[r1],-r8", "store: r1 r7 r8 cc > r1; maybe [r1+0]"},
	    {"strh  r3,[r12],#2", "store: r3 r12 > r12; [r12+0]"},
	    {"ldmia  r3,{r0,r1,r2,r3}", "load: r3 > r0 r1 r2 r3; [r3...]"},
	    {"ldmia  r13!,{r4,r5,r14}", "load: r13 > r4 r5 r13 r14; [r13...]"},
	    {"ldmia  r13!,{r4,r15}", "load: r13 > r4 r13; return self [r13...]"},
	    {"stmdb  r13!,{r4-r7,lr}", "store: r4 r5 r6 r7 r13 r14 > r13; [r13...]"},
	    {"push {r4, lr}", "store: r4 r13 r14 > r13; [r13...]"},
	    {"pop {r4, pc}", "load: r13 > r4 r13; return self [r13...]"},
	    {"swp  r0,r1,[r2]", "load: r1 r2 > r0; writes [r2+0]"},
	    {"agen  tmp0,r4,36", "integer: r4 > tmp0"},
	    {"agen  tmp0,r15,48", "integer: > tmp0"},
	    {"agenls  tmp0,r15,r3, lsl #2", "integer: r3 cc tmp0 > tmp0; maybe"},
	    {"ldp  r10,[tmp0]", "load: tmp0 > r10; [tmp0+0]"},
	    {"ldpsh  r3,[tmp0]", "load: tmp0 > r3; [tmp0+0]"},
	    {"stpeqh  r3,[tmp0]", "store: r3 cc tmp0 >; maybe [tmp0+0]"},
	    {"b  0x14", "jump: >; .+20"},
	    {"beq  0xffffffd0", "branch: cc >; maybe .-48"},
	    {"bls  0x30", "branch: cc >; maybe .+48"},
	    {"ble  0x184", "branch: cc >; maybe .+388"},
	    {"blt  0x84", "branch: cc >; maybe .+132"},
	    {"bl  0xffffc630", "call: > r14; .-14800"},
	    {"bleq  0x10", "call: r14 cc > r14; maybe .+16"},
	    {"bx lr", "return: r14 >"},
	    {"bx r3", "jump: r3 >; indirect jump"},
	    {"blx r3", "call: r3 > r14; indirect call"},
	    {"mov  r15,r14", "return: r14 >"},
	    {"moveq  r15,r14", "return: r14 cc >; maybe"},
	    {"mov  r15,r12", "jump: r12 >; indirect jump"},
	    {"add  r15,r15,r3, lsl #2", "jump: r3 >; indirect jump self"},
	    {"ldrls  r15,[r15, r3, lsl #2]", "load: r3 cc >; indirect jump self maybe"},
	    {"swi  0x00000000", "system: >"},
	    {"adfd  f0,f1,f2", "fp add: f1 f2 > f0"},
	    {"muf  f0,f1,#10.0", "fp multiply: f1 > f0"},
	    {"dvfeqs  f0,f1,f2", "fp divide: f0 f1 f2 cc > f0; maybe"},
	    {"fltd  f0,r3", "fp other: r3 > f0"},
	    {"fixz  r3,f0", "fp other: f0 > r3"},
	    {"cmf  f6,#10.0", "fp other: f6 > cc"},
	    {"ldfd  f0,[r1,#8]", "load: r1 > f0; [r1+8]"},
	    {"stfs  f0,[r1,#8]", "store: r1 f0 >; [r1+8]"},
	    {"<invalid inst: 0x000084d0>, op = 0", "? unknown mnemonic"},
	    {"addxx  r0,r1,r2", "? unknown mnemonic"},
	    {"ldrq  r0,[r1]", "? unknown mnemonic"},
	    {"add  r0,r1", "? operands do not fit the mnemonic"},
	    {"add  r0,r1,r16", "? operands do not fit the mnemonic"},
	    {"ldr  r0,[r1,#4", "? operands do not fit the mnemonic"},
	    {"ldmia  r0,{r0,", "? operands do not fit the mnemonic"},
	};

	(void)state;
	ISA_CHECK(ISA_ARM, lines);
}

static void aarch64(void **state)
{
	static const struct isa_line lines[] = {
	    {"  add   x0, x1, #4", "integer: x1 > x0"},
	    {"  add   w6, w6, w7", "integer: x6 x7 > x6"},
	    {"add x0, x1, w2, sxtw #2", "integer: x1 x2 > x0"},
	    {"add sp, sp, #32", "integer: sp > sp"},
	    {"  subs   w8, w8, w9, LSL #2", "integer: x8 x9 > x8 cc"},
	    {"adc x0, x1, x2", "integer: x1 x2 cc > x0"},
	    {"orr x0, xzr, x3", "integer: x3 > x0"},
	    {"and xzr, x1, x2", "nop: x1 x2 >"},
	    {"ands xzr, x1, x2", "integer: x1 x2 > cc"},
	    {"tst w0, #0xff", "integer: x0 > cc"},
	    {"cmp x0, #23", "integer: x0 > cc"},
	    {"cmn w1, w2", "integer: x1 x2 > cc"},
	    {"ccmp x0, #3, #4, ne", "integer: x0 cc > cc"},
	    {"mov x29, sp", "integer: sp > x29"},
	    {"  movz   x0, #4660, LSL #16", "integer: > x0"},
	    {"movk x3, #4660, lsl #16", "integer: x3 > x3"},
	    {"bfi w0, w1, #3, #4", "integer: x0 x1 > x0"},
	    {"ubfx x0, x1, #3, #4", "integer: x1 > x0"},
	    {"adrp x0, 0x411000 <buffer>", "integer: > x0"},
	    {"csel x0, x1, x2, eq", "integer: x1 x2 cc > x0"},
	    {"csinc x0, x1, xzr, lt", "integer: x1 cc > x0"},
	    {"cset w0, ne", "integer: cc > x0"},
	    {"mul x0, x1, x2", "integer multiply: x1 x2 > x0"},
	    {"madd x0, x1, x2, x3", "integer multiply: x1 x2 x3 > x0"},
	    {"umulh x0, x1, x2", "integer multiply: x1 x2 > x0"},
	    {"sdiv w4, w5, w6", "integer divide: x5 x6 > x4"},
	    {"ldr x0, [x1]", "load: x1 > x0; [x1+0]"},
	    {"ldr x0, [x1, #8]!", "load: x1 > x0 x1; [x1+8]"},
	    {"ldr x0, [x1], #8", "load: x1 > x0 x1; [x1+0]"},
	    {"  ldr   x0, [x1], #8]", "load: x1 > x0 x1; [x1+0]"}, /* gem5's bracket */
	    {"ldr w0, [x1, w2, uxtw #2]", "load: x1 x2 > x0; [x1...]"},
	    {"ldr d0, [x1, #16]", "load: x1 > v0; [x1+16]"},
	    {"ldr x0, #4194320", "load: > x0"},
	    {"ldrsw x0, [x1, #4]", "load: x1 > x0; [x1+4]"},
	    {"ldp x29, x30, [sp], #16", "load: sp > x29 x30 sp; [sp+0]"},
	    {"ldp q0, q1, [x2, #32]", "load: x2 > v0 v1; [x2+32]"},
	    {"ldaxr w0, [x1]", "load: x1 > x0; [x1+0]"},
	    {"stp x29, x30, [sp, #-16]!", "store: x29 x30 sp > sp; [sp-16]"},
	    {"str wzr, [x29, #28]", "store: x29 >; [x29+28]"},
	    {"strb w0, [x2, x3]", "store: x0 x2 x3 >; [x2...]"},
	    {"stur s8, [x29, #-32]", "store: x29 v8 >; [x29-32]"},
	    {"stxr w2, w0, [x1]", "store: x0 x1 > x2; [x1+0]"},
	    {"ldaddal w0, w1, [x2]", "load: x0 x2 > x1; writes [x2+0]"},
	    {"cas x0, x1, [x2]", "load: x0 x1 x2 > x0; writes [x2+0]"},
	    {"  addxi_uop   ureg0, x0, #16", "integer: x0 > ureg0"},
	    {"  strxi_uop   w2, [ureg0, #8]", "store: x2 ureg0 >; [ureg0+8]"},
	    {"  ldrxi_uop   x2, [ureg0]", "load: ureg0 > x2; [ureg0+0]"},
	    {"  b   0x400638", "jump: >; =0x400638"},
	    {"  b.ne   0x400638", "branch: cc >; maybe =0x400638"},
	    {"b.eq #-8", "branch: cc >; maybe .-8"},
	    {"cbz x0, 0x400638 <main+24>", "branch: x0 >; self =0x400638"},
	    {"  cbnz   w3, <loop+8>", "branch: x3 >; self"},
	    {"tbz x0, #3, 0x400638", "branch: x0 >; self =0x400638"},
	    {"bl 0x400600", "call: > x30; =0x400600"},
	    {"blr x8", "call: x8 > x30; indirect call"},
	    {"br x16", "jump: x16 >; indirect jump"},
	    {"ret", "return: x30 >"},
	    {"ret x5", "return: x5 >"},
	    {"fadd d0, d1, d2", "fp add: v1 v2 > v0"},
	    {"fmul s0, s1, s2", "fp multiply: v1 v2 > v0"},
	    {"fmadd d0, d1, d2, d3", "fp multiply: v1 v2 v3 > v0"},
	    {"fmla v0.4s, v1.4s, v2.s[1]", "fp multiply: v0 v1 v2 > v0"},
	    {"fdiv d0, d1, d2", "fp divide: v1 v2 > v0"},
	    {"fsqrt d0, d1", "fp divide: v1 > v0"},
	    {"fcmp d0, #0.0", "fp other: v0 > cc"},
	    {"fcsel d0, d1, d2, gt", "fp other: v1 v2 cc > v0"},
	    {"fmov d0, #1.0", "fp other: > v0"},
	    {"fmov x0, d1", "fp other: v1 > x0"},
	    {"scvtf d0, x1", "fp other: x1 > v0"},
	    {"fcvtzs w0, d1", "fp other: v1 > x0"},
	    {"add v0.4s, v1.4s, v2.4s", "fp other: v1 v2 > v0"},
	    {"nop", "nop: >"},
	    {"dmb ish", "system: >"},
	    {"svc #0x0", "system: >"},
	    {"mrs x0, tpidr_el0", "system: > x0"},
	    {"prfm pldl1keep, [x0, #64]", "load: x0 >; [x0+64]"},
	    {"add x0, x1", "? operands do not fit the mnemonic"},
	    {"add x0, x1, x31", "? operands do not fit the mnemonic"},
	    {"b.xx 0x400638", "? unknown mnemonic"},
	    {"ldr x0, [d1]", "? operands do not fit the mnemonic"},
	    {"csel x0, x1, x2", "? operands do not fit the mnemonic"},
	    {"whilelo p0.s, x1, x2", "? unknown mnemonic"},
	};

	(void)state;
	ISA_CHECK(ISA_AARCH64, lines);
}

int main(void)
{
	const struct CMUnitTest isa_arm_tests[] = {
	    cmocka_unit_test(arm),
	    cmocka_unit_test(aarch64),
	};

	return cmocka_run_group_tests_name("isa_arm", isa_arm_tests, NULL, NULL) != 0;
}
