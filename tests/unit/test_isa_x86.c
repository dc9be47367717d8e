/*
 * isa: gem5's x86 micro-ops. The lines are as gem5 prints them, and mean what the microcode of
 * gem5's src/arch/x86/isa/insts says, above all of flags, which are not printed.
 */
#include "config.h"

#include "isa_lines.h"

TEST(moves)
{
	static const struct isa_line lines[] = {
	    /* the old destination is printed as a source, and is one where a part of it stays */
	    {"  MOV_R_R : mov   r9, r9, rdx", "integer: rdx > r9"},
	    {"  MOV_R_R : mov   eax, eax, r10d", "integer: r10 > rax"},
	    {"  MOV_R_R : mov   ax, ax, bx", "integer: rax rbx > rax"},
	    {"  MOV_R_R : mov   r8b, r8b, sil", "integer: rsi r8 > r8"},
	    {"  MOV_R_I : limm   rdi, 0x400274", "integer: > rdi"},
	    {"  MOV_R_I : limm   al, 0x1", "integer: rax > rax"},
	    {"  MOV_R_M : ld   rax, DS:[rcx]", "load: rcx > rax; [rcx]"},
	    {"MOV_R_M : ld rax, ds:[rcx]", "load: rcx > rax; [rcx]"},
	    {"  MOV_R_M : ld   rax, DS:[8*rcx + rdx + 0x10]", "load: rcx rdx > rax; [rdx]"},
	    {"  MOV_R_M : ld   rax, DS:[rcx + rdx]", "load: rcx rdx > rax; [rdx]"},
	    {"  MOV_R_M : ld   rax, DS:[4*rcx + 0x10]", "load: rcx > rax; [rcx]"},
	    {"  MOV_R_M : ld   rax, DS:[rip + 0x2008]", "load: > rax"},
	    {"  MOV_R_M : ld   rax, FS:[0x28]", "load: > rax"},
	    {"  MOV_R_M : ld   dx, DS:[rcx]", "load: rcx rdx > rdx; [rcx]"},
	    {"  MOV_M_R : st   ebx, SS:[rbp + 0xfffffffffffffffc]", "store: rbx rbp >; [rbp]"},
	    {"  PUSH_R : st   rax, SS:[rsp + 0xfffffffffffffff8]", "store: rax rsp >; [rsp]"},
	    {"  PUSH_R : subi   rsp, rsp, 0x8", "integer: rsp > rsp"},
	    {"  POP_R : ld   t1, SS:[rsp]", "load: rsp > t1; [rsp]"},
	    {"  POP_R : addi   rsp, rsp, 0x8", "integer: rsp > rsp"},
	    {"  POP_R : mov   rsi, rsi, t1", "integer: t1 > rsi"},
	    {"  LEA_R_M : lea   rax, DS:[rbx + 0x10]", "integer: rbx > rax; [rbx]"},
	    {"  MOVSXD_R_R : sexti   rax, rsi, 0x1f", "integer: rsi > rax"},
	    {"  MOVZX_B_R_R : zexti   eax, bl, 0x7", "integer: rbx > rax"},
	    {"  CMOVNZ_R_R : mov   rax, rax, rbx", "integer: rax rbx cc > rax; maybe"},
	    {"  CMOVLE_R_M : ld   t1, DS:[rbx]", "load: rbx > t1; [rbx]"},
	    {"  SETZ_R : movi   al, al, 0x1", "integer: rax cc > rax; maybe"},
	    {"  XCHG_R_R : mov   t1, t1, rax", "integer: rax > t1"},
	};

	ISA_CHECK(ISA_X86_GEM5, lines);
}

TEST(arithmetic)
{
	static const struct isa_line lines[] = {
	    {"  XOR_R_R : xor   rbp, rbp, rbp", "integer: rbp > rbp cc"},
	    {"  AND_R_I : limm   t1, 0xfffffffffffffff0", "integer: > t1"},
	    {"  AND_R_I : and   rsp, rsp, t1", "integer: rsp t1 > rsp cc"},
	    {"  ADD_M_R : ldst   t1, DS:[rax]", "load: rax > t1; [rax]"},
	    {"  ADD_M_R : add   t1d, t1d, ebx", "integer: rbx t1 > t1 cc"},
	    {"  ADD_LOCKED_M_R : mfence   ", "system: >"},
	    {"  ADD_LOCKED_M_R : stul   t1, DS:[rax]", "store: rax t1 >; [rax]"},
	    {"  ADC_R_R : adc   rax, rax, rbx", "integer: rax rbx cc > rax cc"},
	    {"  SBB_R_R : sbb   rax, rax, rbx", "integer: rax rbx cc > rax cc"},
	    {"  CMP_R_R : sub   t0, rax, rbx", "integer: rax rbx > cc"},
	    {"  CMP_M_I : sub   t0d, t1d, t2d", "integer: t1 t2 > cc"},
	    {"  TEST_R_R : and   t0, rax, rax", "integer: rax > cc"},
	    {"  INC_R : addi   ecx, ecx, 0x1", "integer: rcx > rcx cc"},
	    {"  DEC_R : subi   ecx, ecx, 0x1", "integer: rcx > rcx cc"},
	    {"  NEG_R : sub   rax, t0, rax", "integer: rax > rax cc"},
	    {"  NOT_R : limm   t1, 0xffffffffffffffff", "integer: > t1"},
	    {"  NOT_R : xor   rax, rax, t1", "integer: rax t1 > rax"},
	    {"  SAL_R_I : slli   rax, rax, 0x3", "integer: rax > rax cc"},
	    {"  SAR_R_R : sra   rax, rax, cl", "integer: rax rcx > rax cc"},
	    {"  RCL_R_I : rcli   rax, rax, 0x1", "integer: rax cc > rax cc"},
	    {"  BT_R_I : sexti   t0, rax, 0x3", "integer: rax > cc"},
	    {"  BSR_R_R : and   t1, rbx, rbx", "integer: rbx > t1 cc"},
	    {"  BSR_R_R : srli   t3, t1, 0x20", "integer: t1 > t3 ezf"},
	    {"  BSR_R_R : mov   rax, rax, t4", "integer: rax t4 ezf > rax; maybe"},
	    {"  IMUL_R_R : mul1s   rax, rbx", "integer multiply: rax rbx > cc prodhi prodlo"},
	    {"  IMUL_R_R : mul1s   , rax, rbx", "integer multiply: rax rbx > cc prodhi prodlo"},
	    {"  IMUL_R_R : mulel   rax", "integer multiply: prodlo > rax"},
	    {"  IMUL_R_R : muleh   t0", "nop: prodhi >"},
	    {"  DIV_R : div1   rdx, rbx", "integer divide: rdx rbx > prodhi prodlo"},
	    {"  DIV_R : div2   t1, rax, t1",
	     "integer divide: rax t1 prodhi prodlo > t1 ezf prodhi prodlo"},
	    {"  DIV_R : br   0x3", "other: ezf >"},
	    {"  DIV_R : divq   rax", "integer divide: prodlo > rax"},
	    {"  DIV_R : divr   rdx", "integer divide: prodhi > rdx"},
	    {"  CMPXCHG_M_R : sub   t0, rax, t1", "integer: rax t1 > cc"},
	    {"  CMPXCHG_M_R : mov   t1, t1, rbx", "integer: rbx t1 cc > t1; maybe"},
	    {"  XADD_M_R : add   t2, t1, rbx", "integer: rbx t1 > t2 cc"},
	    {"  PUSHF : rflags   t1", "integer: cc > t1"},
	    {"  POPF : wrflags   t1, t0", "integer: t1 > cc"},
	    /* whether these set flags cannot be told */
	    {"  FROBNICATE_R_R : add   rax, rax, rbx", "? unknown mnemonic"},
	    {"  FROBNICATE_R_R : ld   rax, DS:[rbx]", "load: rbx > rax; [rbx]"},
	};

	ISA_CHECK(ISA_X86_GEM5, lines);
}

TEST(branches)
{
	static const struct isa_line lines[] = {
	    {"  CALL_NEAR_I : limm   t1, 0x9846", "integer: > t1"},
	    {"  CALL_NEAR_I : rdip   t7, %ctrl153, ", "integer: > t7"},
	    {"  CALL_NEAR_I : rdip   t7", "integer: > t7"},
	    {"  CALL_NEAR_I : st   t7, SS:[rsp + 0xfffffffffffffff8]", "store: rsp t7 >; [rsp]"},
	    {"  CALL_NEAR_I : wrip   , t7, t1", "call: t1 t7 >"},
	    {"  CALL_NEAR_M : wripi   t1, 0x0", "call: t1 >; indirect call"},
	    {"  JZ_I : rdip   t1", "integer: > t1"},
	    {"  JZ_I : wrip   t1, t2", "branch: t1 t2 cc >; maybe"},
	    {"  JNBE_I : wrip   t1, t2     ", "branch: t1 t2 cc >; maybe"},
	    {"  JMP_I : wrip   t1, t2", "jump: t1 t2 >"},
	    {"  JMP_R : wripi   rax, 0", "jump: rax >; indirect jump"},
	    {"  RET_NEAR : ld   t1, SS:[rsp]", "load: rsp > t1; [rsp]"},
	    {"  RET_NEAR : wripi   t1, 0", "return: t1 >"},
	    {"  LOOP_I : subi   rcx, rcx, 0x1", "integer: rcx > rcx ezf"},
	    {"  LOOP_I : wripi   t1, 0xf0", "branch: t1 ezf >; maybe"},
	    {"  LOOPNE_I : wripi   t1, 0xf0", "branch: t1 cc ezf >; maybe"},
	    {"  JRCX_I : add   t0, t0, rcx", "integer: rcx > ezf"},
	    {"  JFOO_I : wrip   t1, t2", "? unknown mnemonic"},
	};

	ISA_CHECK(ISA_X86_GEM5, lines);
}

TEST(floating)
{
	static const struct isa_line lines[] = {
	    {"  MOVSS_XMM_M : ldfp   %xmm0_low, DS:[rax]", "load: rax > %xmm0_low; [rax]"},
	    {"  MOVAPD_M_XMM : stfp   %xmm15_high, DS:[rax + 0x8]",
	     "store: rax %xmm15_high >; [rax]"},
	    {"  MOVSD_XMM_XMM : movfp   %xmm0_low, %xmm3_low", "fp other: %xmm3_low > %xmm0_low"},
	    {"  ADDSD_XMM_XMM : maddf   %xmm0_low, %xmm0_low, %xmm1_low",
	     "fp add: %xmm0_low %xmm1_low > %xmm0_low"},
	    {"  SUBPD_XMM_XMM : msubf   %xmm2_high, %xmm2_high, %xmm1_high",
	     "fp add: %xmm1_high %xmm2_high > %xmm2_high"},
	    {"  MULSD_XMM_M : mmulf   %xmm0_low, %xmm0_low, %ufp1",
	     "fp multiply: %xmm0_low %ufp1 > %xmm0_low"},
	    {"  DIVSD_XMM_XMM : mdivf   %xmm0_low, %xmm0_low, %xmm1_low",
	     "fp divide: %xmm0_low %xmm1_low > %xmm0_low"},
	    {"  SQRTSD_XMM_XMM : msqrt   %xmm0_low, %xmm1_low", "fp divide: %xmm1_low > %xmm0_low"},
	    {"  UCOMISD_XMM_XMM : compfp   %xmm0_low, %xmm1_low",
	     "fp other: %xmm0_low %xmm1_low > cc"},
	    {"  PXOR_XMM_XMM : mxor   %xmm0_low, %xmm0_low, %xmm1_low",
	     "fp other: %xmm0_low %xmm1_low > %xmm0_low"},
	    {"  CVTSI2SD_XMM_R : mov2fp   %ufp1, rax", "fp other: rax > %ufp1"},
	    {"  MOVQ_R_XMM : mov2int   rax, %xmm0_low", "fp other: %xmm0_low > rax"},
	    {"  ADDSD_XMM_XMM : maddf   rax, rbx, rcx", "? operands do not fit the mnemonic"},
	    {"  MOV_R_M : ld   rax, ZZ:[rcx]", "? operands do not fit the mnemonic"},
	    {"  MOV_R_M : ld   rax, DS:[rcx", "? operands do not fit the mnemonic"},
	    {"mov rax, rbx", "? unknown mnemonic"},
	};

	ISA_CHECK(ISA_X86_GEM5, lines);
}
