#include "go_asm.h"
#include "textflag.h"

// The hooks that compiled code calls for an access of what begins at AX: the rules of the same epoch, in front of everything else. A
// cell is found as ftCellOf finds it, at DX; most begin at a word. All registers but R14 (g) are the caller's to keep.

#define FIND \
	MOVQ	g_presage(R14), CX \
	MOVQ	AX, DX \
	SHRQ	$const_ftBlockShift, DX \
	TESTQ	CX, CX \
	JZ	slow \
	CMPQ	DX, $(1<<const_ftPlaneShift) \
	JAE	slow \
	MOVQ	runtime·ftCells(SB), SI \
	TESTL	$7, AX \
	JNZ	inside \
	MOVQ	(SI)(DX*8), SI \
	MOVL	AX, DX \
	ANDL	$((const_ftWords-1)<<3), DX \
	TESTQ	SI, SI \
	JZ	slow \
found: \
	LEAQ	(SI)(DX*2), DX \
	MOVQ	(PresageG_ft+ftG_base)(CX), BX

// INSIDE goes on for what begins inside a word.
#define INSIDE \
inside: \
	MOVL	AX, BX \
	ANDL	$7, BX \
	SHLQ	$const_ftPlaneShift, BX \
	ORQ	BX, DX \
	MOVQ	(SI)(DX*8), SI \
	MOVL	AX, DX \
	ANDL	$((const_ftWords-1)<<3), DX \
	TESTQ	SI, SI \
	JNZ	found

#define SAME(word) \
	MOVQ	word, DI \
	SUBQ	BX, DI \
	CMPQ	DI, (PresageG_ft+ftG_width)(CX) \
	JCS	same

// func raceread(addr uintptr)
TEXT runtime·raceread<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	FIND
	SAME(ftCell_r(DX))
	SAME(ftCell_w(DX))
	MOVQ	ftCell_r(DX), SI // ftCrowd.has, for the first seven
	MOVQ	SI, DI
	SHRQ	$const_ftSlotShift, DI
	CMPL	DI, $const_ftCrowdTag
	JNE	slow
	SHLQ	$(64-const_ftSlotShift), SI
	SHRQ	$(64-const_ftSlotShift), SI
	MOVL	ftCrowd_n(SI), R8
	MOVL	$7, R9
	CMPL	R8, R9
	CMOVLHI	R9, R8
	TESTL	R8, R8
	JZ	slow
next:
	MOVQ	(ftCrowd_list-8)(SI)(R8*8), R9
	MOVQ	R9, DI
	SUBQ	BX, DI
	CMPQ	DI, (PresageG_ft+ftG_width)(CX)
	JCS	mine
	DECL	R8
	JNZ	next
	JMP	slow
	INSIDE
slow:
	JMP	runtime·ftReadSlow<ABIInternal>(SB)
mine:
	SHRL	$const_ftKindShift, R9
	ANDL	$3, R9
	JZ	same // ftReads
	CMPL	R9, $const_ftWhole
	JNE	slow
same:
	INCQ	(PresageG_ft+ftG_stats+ftStats_readSameEpoch)(CX)
	RET

// func racewrite(addr uintptr)
TEXT runtime·racewrite<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	FIND
	SAME(ftCell_w(DX))
	JMP	slow
	INSIDE
slow:
	JMP	runtime·ftWriteSlow<ABIInternal>(SB)
same:
	INCQ	(PresageG_ft+ftG_stats+ftStats_writeSameEpoch)(CX)
	RET
