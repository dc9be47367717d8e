# The same with two, so two elements a turn: samples/tutorial-llvm-mca.md
	vmovsd	(%rdi,%rax,8), %xmm1
	vmulsd	(%rsi,%rax,8), %xmm1, %xmm1
	vaddsd	%xmm1, %xmm0, %xmm0
	vmovsd	8(%rdi,%rax,8), %xmm2
	vmulsd	8(%rsi,%rax,8), %xmm2, %xmm2
	vaddsd	%xmm2, %xmm3, %xmm3
	addq	$2, %rax
	cmpq	%rdx, %rax
	jb	dot
