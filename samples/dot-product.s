# The loop of a dot product with one sum: samples/tutorial-llvm-mca.md
	vmovsd	(%rdi,%rax,8), %xmm1
	vmulsd	(%rsi,%rax,8), %xmm1, %xmm1
	vaddsd	%xmm1, %xmm0, %xmm0
	incq	%rax
	cmpq	%rdx, %rax
	jb	dot
