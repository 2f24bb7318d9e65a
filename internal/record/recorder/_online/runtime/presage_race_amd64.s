#include "go_asm.h"
#include "textflag.h"

// The hooks that compiled code calls for an access of what begins at AX: the rules of the same epoch, and those of what is known, in front of everything else. A
// cell is found from the address alone below ftNear, else as ftCellOf finds it, at R11; most begin at a word. R10 is the goroutine's state, R12 and R13 are free again.
//
// They keep all registers but R10 to R13 and those of floating point. The calls of the compiler as it is (raceread and its like) are the same hooks.

#define FIND \
	MOVQ	g_presage(R14), R10 \
	TESTQ	R10, R10 \
	JZ	slow \
	CMPQ	AX, runtime·ftNear(SB) \
	JCC	far \
	TESTL	$7, AX \
	JNZ	inside \
	MOVQ	runtime·ftNearCells(SB), R11 \
	LEAQ	(R11)(AX*2), R11 \
found:

// FAR goes on for an address whose cell is not found without a look at the directory.
#define FAR \
far: \
	MOVQ	AX, R11 \
	SHRQ	$const_ftBlockShift, R11 \
	CMPQ	R11, $(1<<const_ftPlaneShift) \
	JCC	slow \
	TESTL	$7, AX \
	JNZ	slow \
	MOVQ	runtime·ftCells(SB), R12 \
	MOVQ	(R12)(R11*8), R12 \
	TESTQ	R12, R12 \
	JZ	slow \
	MOVL	AX, R11 \
	ANDL	$((const_ftWords-1)<<3), R11 \
	LEAQ	(R12)(R11*2), R11 \
	JMP	found

// INSIDE goes on for what begins inside a word: at found if it has a cell, the word's own or one inside, else behind it with the word's at R11.
#define INSIDE \
inside: \
	MOVQ	AX, R11 \
	SHRQ	$const_ftBlockShift, R11 \
	MOVQ	runtime·ftInfos(SB), R12 \
	MOVQ	(R12)(R11*8), R12 \
	TESTQ	R12, R12 \
	JZ	slow \
	MOVL	AX, R13 \
	SHRL	$1, R13 \
	ANDL	$(4*const_ftWords-1), R13 \
	MOVBLZX	ftInfo_groups(R12)(R13*1), R13 \
	MOVQ	AX, R11 \
	ANDQ	$~7, R11 \
	ADDQ	R11, R11 \
	ADDQ	runtime·ftNearCells(SB), R11 \
	TESTL	$1, AX \
	JZ	even \
	SHRL	$4, R13 \
even: \
	ANDL	$15, R13 \
	JZ	whole \
	CMPL	R13, $const_ftOwnCell \
	JEQ	found \
	SHLQ	$(const_ftBlockShift-const_ftLineShift), R13 \
	MOVL	AX, R11 \
	ANDL	$((const_ftWords-1)<<3), R11 \
	SHRL	$const_ftLineShift, R11 \
	ADDQ	R11, R13 \
	MOVQ	ftInfo_rows(R12)(R13*8), R12 \
	TESTQ	R12, R12 \
	JZ	slow \
	MOVL	AX, R11 \
	ANDL	$(7<<3), R11 \
	LEAQ	(R12)(R11*2), R11 \
	JMP	found \
whole:

// WHOLE goes on where the word has been accessed as a whole.
#define WHOLE(word, next) \
	MOVQ	word, R13 \
	TESTL	$const_ftFull, R13 \
	JZ	next \
	SUBQ	(PresageG_ft+ftG_ftThread+ftThread_base)(R10), R13 \
	CMPQ	R13, (PresageG_ft+ftG_ftThread+ftThread_width)(R10) \
	JCS	same

#define SAME(word, to) \
	MOVQ	word, R13 \
	SUBQ	(PresageG_ft+ftG_ftThread+ftThread_base)(R10), R13 \
	CMPQ	R13, (PresageG_ft+ftG_ftThread+ftThread_width)(R10) \
	JCS	to

// KNOWN goes to ok where an epoch is 0, t's own, in ftThread.known, or in a clock of one leaf (ftThread.recalls), else to no; R12 is t's slot. It changes DX and R13.
#define KNOWN(word, leaf, ok, no) \
	MOVQ	word, DX \
	SHRQ	$const_ftSlotShift, DX \
	CMPL	DX, R12 \
	JEQ	ok \
	TESTQ	word, word \
	JZ	ok \
	ANDL	$7, DX \
	MOVQ	(PresageG_ft+ftG_ftThread+ftThread_known)(R10)(DX*8), DX \
	MOVQ	DX, R13 \
	XORQ	word, R13 \
	SHRQ	$const_ftSlotShift, R13 \
	JNZ	leaf \
	ORQ	$((1<<const_ftEpochShift)-1), DX \
	CMPQ	word, DX \
	JLS	ok \
leaf: \
	MOVQ	word, DX \
	SHRQ	$const_ftSlotShift, DX \
	CMPL	DX, $const_ftLeafSlots \
	JCC	no \
	CMPL	(PresageG_ft+ftG_ftThread+ftThread_vc+ftVC_height)(R10), $0 \
	JNE	no \
	MOVQ	(PresageG_ft+ftG_ftThread+ftThread_vc+ftVC_root)(R10), R13 \
	TESTQ	R13, R13 \
	JZ	no \
	MOVL	(R13)(DX*4), R13 \
	MOVQ	word, DX \
	SHRQ	$const_ftEpochShift, DX \
	ANDL	$const_ftMaxClock, DX \
	CMPL	DX, R13 \
	JHI	no

// CONSTANT goes to done for code and constants, which nobody writes. R12 is free.
#define CONSTANT \
	MOVQ	AX, R12 \
	SUBQ	runtime·ftCode(SB), R12 \
	CMPQ	R12, runtime·ftConstants(SB) \
	JCS	done

// HOLD is the beginning of ftG.quick for the word whose cell is at R11, where all is known and nothing inside the word has to change: it locks the cell, and makes the
// access' word in DX, with W in AX and full, which is what is replaced, in CX. A line of which no cell is in use yet is left to quick.
#define HOLD(replaced) \
	MOVQ	AX, R12 \
	SUBQ	(g_stack+stack_lo)(R14), R12 \
	MOVQ	(g_stack+stack_hi)(R14), R13 \
	SUBQ	(g_stack+stack_lo)(R14), R13 \
	CMPQ	R12, R13 \
	JCS	done \
	CONSTANT \
	MOVL	(PresageG_ft+ftG_ftThread+ftThread_slot)(R10), R12 \
	TESTL	R12, R12 \
	JZ	slow \
	CMPQ	(PresageG_ft+ftG_ftThread+ftThread_width)(R10), $0 \
	JEQ	slow \
	MOVQ	AX, X0 \
	MOVQ	BX, X1 \
	MOVQ	CX, X2 \
	MOVQ	DX, X3 \
	MOVQ	AX, BX \
	SHRQ	$const_ftBlockShift, BX \
	MOVQ	runtime·ftInfos(SB), CX \
	MOVQ	(CX)(BX*8), BX \
	TESTQ	BX, BX \
	JZ	back \
	MOVL	AX, CX \
	MOVQ	ftCell_w(R11), AX \
	TESTL	$const_ftLockBit, AX \
	JNZ	back \
	KNOWN(AX, leafw, free, back) \
free: \
	MOVQ	AX, R13 \
	ORQ	$const_ftLockBit, R13 \
	LOCK \
	CMPXCHGQ	R13, ftCell_w(R11) \
	JNE	back \
	MOVL	CX, DX \
	SHRL	$const_ftLineShift, DX \
	ANDL	$(const_ftLineCount-1), DX \
	MOVWLZX	ftInfo_lines(BX)(DX*2), R13 \
	TESTL	$1, R13 \
	JZ	leave \
	SHRL	$3, CX \
	ANDL	$(const_ftWords-1), CX \
	LEAQ	ftInfo_groups(BX)(CX*4), BX \
	MOVQ	ftCell_r(R11), CX \
	TESTL	$(const_ftMarkInside<<8), R13 \
	JZ	alone \
	TESTL	$(const_ftAllOwn-const_ftOwnCell), (BX) \
	JNZ	leave \
	MOVL	CX, DX \
	ORL	replaced, DX \
	TESTL	$const_ftFull, DX \
	JNZ	leave \
alone: \
	KNOWN(CX, leafr, held, leave) \
held: \
	MOVL	(PresageG_ft+ftG_ftThread+ftThread_clock)(R10), DX \
	MOVL	DX, (PresageG_ft+ftG_ftThread+ftThread_acted)(R10) \
	MOVQ	0(SP), DX \
	SUBQ	runtime·firstmoduledata+moduledata_text(SB), DX \
	SHRQ	$2, DX \
	ANDL	$const_ftSiteMask, DX \
	ORQ	(PresageG_ft+ftG_ftThread+ftThread_epoch)(R10), DX

#define BACK \
	MOVQ	X0, AX \
	MOVQ	X1, BX \
	MOVQ	X2, CX \
	MOVQ	X3, DX

// The loop is ftHistory.has.
TEXT runtime·ftHookRead<ABIInternal>(SB), NOSPLIT|NOFRAME, $0
	FIND
	SAME(ftCell_r(R11), same)
	SAME(ftCell_w(R11), same)
	MOVQ	ftCell_r(R11), R12
	MOVQ	R12, R13
	SHRQ	$const_ftSlotShift, R13
	CMPL	R13, $const_ftSharedTag
	JNE	unshared
	MOVQ	$(const_ftSharedTag<<const_ftSlotShift), R13
	XORQ	R13, R12
	MOVL	(PresageG_ft+ftG_ftThread+ftThread_place)(R10), R13
	SAME(ftShared_list(R12)(R13*8), same) // a read, of this location or of the word
	JMP	slow
unshared:
	CMPL	R13, $const_ftHistoryTag
	JNE	other
	SHLQ	$(64-const_ftSlotShift), R12
	SHRQ	$(64-const_ftSlotShift), R12
	MOVL	$const_ftFront, R13
	MOVL	ftHistory_n(R12), R11
	CMPL	R11, R13
	CMOVLHI	R13, R11
	TESTL	R11, R11
	JZ	slow
next:
	SAME((ftHistory_list-8)(R12)(R11*8), mine)
	DECL	R11
	JNZ	next
	JMP	slow
mine:
	ADDQ	(PresageG_ft+ftG_ftThread+ftThread_base)(R10), R13
	SHRL	$const_ftKindShift, R13
	ANDL	$3, R13
	JZ	same // ftReads
	CMPL	R13, $const_ftWhole
	JNE	slow
same:
	INCQ	(PresageG_ft+ftG_ftThread+ftThread_stats+ftStats_readSameEpoch)(R10)
	RET
	FAR
	INSIDE
	WHOLE(ftCell_r(R11), unread)
unread:
	WHOLE(ftCell_w(R11), slow)
	JMP	slow
split: // ftSplit.here, and both of ftHistoryPart.place
	RDPID	R13
	ANDL	runtime·ftParts(SB), R13
	IMULL	$const_ftPartSize, R13
	SHLQ	$(64-const_ftSlotShift), R12
	SHRQ	$(64-const_ftSlotShift), R12
	LEAQ	ftSplit_parts(R12)(R13*1), R12
	MOVL	(PresageG_ft+ftG_ftThread+ftThread_slot)(R10), R11
	ANDL	$(const_ftPlaces-1), R11
	SHLL	$4, R11
	ADDQ	R11, R12
	SAME(ftHistoryPart_list(R12), same)
	SAME((ftHistoryPart_list+8)(R12), same)
	JMP	slow
other:
	CMPL	R13, $const_ftSplitTag
	JEQ	split
	TESTL	$7, AX
	JNZ	slow
	HOLD(CX)
	MOVQ	DX, ftCell_r(R11)
	MOVQ	AX, ftCell_w(R11)
	INCQ	(PresageG_ft+ftG_ftThread+ftThread_stats+ftStats_readExclusive)(R10)
	BACK
done:
	RET
leave:
	MOVQ	AX, ftCell_w(R11)
back:
	BACK
slow:
	MOVL	$const_ftReads, R11
	JMP	ftHookOne<>(SB)

TEXT runtime·ftHookWrite<ABIInternal>(SB), NOSPLIT|NOFRAME, $0
	FIND
	SAME(ftCell_w(R11), same)
	TESTL	$7, AX
	JNZ	slow
	HOLD(AX)
	MOVQ	$0, ftCell_r(R11) // (ON3)
	MOVQ	DX, ftCell_w(R11)
	INCQ	(PresageG_ft+ftG_ftThread+ftThread_stats+ftStats_writeExclusive)(R10)
	BACK
done:
	RET
same:
	INCQ	(PresageG_ft+ftG_ftThread+ftThread_stats+ftStats_writeSameEpoch)(R10)
	RET
	FAR
	INSIDE
	WHOLE(ftCell_w(R11), slow)
	JMP	slow
leave:
	MOVQ	AX, ftCell_w(R11)
back:
	BACK
slow:
	MOVL	$const_ftWrites, R11
	JMP	ftHookOne<>(SB)

// WORDS is the beginning of a hook for a range: R10 is its bytes. A short one of whole words goes on at word with R11 at the first one's cell, R12 the goroutine's state, R10 the words, and
// X0 what R10 was. Others are for slow. The loop is aligned: where it
// lies makes 15 % of a program of small structs.
#define WORDS \
	MOVQ	g_presage(R14), R12 \
	TESTQ	R12, R12 \
	JZ	slow \
	CMPQ	R10, $const_ftShortRange \
	JHI	slow \
	LEAQ	(AX)(R10*1), R13 \
	CMPQ	R13, runtime·ftNear(SB) \
	JCC	slow \
	MOVL	AX, R11 \
	ORL	R10, R11 \
	TESTL	$7, R11 \
	JNZ	slow \
	MOVQ	runtime·ftNearCells(SB), R11 \
	LEAQ	(R11)(AX*2), R11 \
	MOVQ	R10, X0 \
	SHRQ	$3, R10 \
	JZ	slow \
	PCALIGN	$32 \
word:

// FULL goes to next where the whole word has been accessed in t's context, else to no.
#define FULL(word, no) \
	MOVQ	word, R13 \
	TESTL	$const_ftFull, R13 \
	JZ	no \
	SUBQ	(PresageG_ft+ftG_ftThread+ftThread_base)(R12), R13 \
	CMPQ	R13, (PresageG_ft+ftG_ftThread+ftThread_width)(R12) \
	JCS	next

// R10 is the number of bytes. The loop is ftThread.sameWords.
TEXT runtime·ftHookReadRange<ABIInternal>(SB), NOSPLIT|NOFRAME, $0
	WORDS
	FULL(ftCell_r(R11), unread)
unread:
	FULL(ftCell_w(R11), unwritten)
unwritten: // ftShared.wholeRead, of R as it is at once: it may become another
	MOVQ	BX, X1
	MOVQ	ftCell_r(R11), BX
	MOVQ	BX, R13
	SHRQ	$const_ftSlotShift, R13
	CMPL	R13, $const_ftSharedTag
	JNE	restore
	MOVQ	$(const_ftSharedTag<<const_ftSlotShift), R13
	XORQ	BX, R13
	MOVL	(PresageG_ft+ftG_ftThread+ftThread_place)(R12), BX
	MOVQ	ftShared_list(R13)(BX*8), R13
	MOVL	R13, BX
	ANDL	$(const_ftWhole<<const_ftKindShift), BX
	CMPL	BX, $(const_ftWhole<<const_ftKindShift)
	JNE	restore
	MOVQ	X1, BX
	SUBQ	(PresageG_ft+ftG_ftThread+ftThread_base)(R12), R13
	CMPQ	R13, (PresageG_ft+ftG_ftThread+ftThread_width)(R12)
	JCC	back
next:
	ADDQ	$ftCell__size, R11
	DECL	R10
	JNZ	word
	MOVQ	X0, R13
	SHRQ	$3, R13
	ADDQ	R13, (PresageG_ft+ftG_ftThread+ftThread_stats+ftStats_readSameEpoch)(R12)
	RET
restore:
	MOVQ	X1, BX
back:
	MOVQ	X0, R10
slow:
	MOVL	$const_ftReads, R11
	JMP	ftHookRun<>(SB)

TEXT runtime·ftHookWriteRange<ABIInternal>(SB), NOSPLIT|NOFRAME, $0
	WORDS
	FULL(ftCell_w(R11), back)
	JMP	back
next:
	ADDQ	$ftCell__size, R11
	DECL	R10
	JNZ	word
	MOVQ	X0, R13
	SHRQ	$3, R13
	ADDQ	R13, (PresageG_ft+ftG_ftThread+ftThread_stats+ftStats_writeSameEpoch)(R12)
	RET
back:
	MOVQ	X0, R10
slow:
	MOVL	$const_ftWrites, R11
	JMP	ftHookRun<>(SB)

// The calls of the compiler as it is.

// func raceread(addr uintptr)
TEXT runtime·raceread<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	JMP	runtime·ftHookRead<ABIInternal>(SB)

// func racewrite(addr uintptr)
TEXT runtime·racewrite<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	JMP	runtime·ftHookWrite<ABIInternal>(SB)

// func racereadrange(addr, size uintptr)
TEXT runtime·racereadrange<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ	BX, R10
	JMP	runtime·ftHookReadRange<ABIInternal>(SB)

// func racewriterange(addr, size uintptr)
TEXT runtime·racewriterange<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ	BX, R10
	JMP	runtime·ftHookWriteRange<ABIInternal>(SB)

// The registers that Go's functions may change lie in the goroutine's state meanwhile, since there is little room on a stack that must not grow. The garbage
// collector does not see them: nothing below lets this goroutine be stopped or its stack be moved, as with gcWriteBarrier.
#define SAVE \
	MOVQ	AX, (PresageG_regs+0)(R12) \
	MOVQ	BX, (PresageG_regs+8)(R12) \
	MOVQ	CX, (PresageG_regs+16)(R12) \
	MOVQ	DX, (PresageG_regs+24)(R12) \
	MOVQ	SI, (PresageG_regs+32)(R12) \
	MOVQ	DI, (PresageG_regs+40)(R12) \
	MOVQ	R8, (PresageG_regs+48)(R12) \
	MOVQ	R9, (PresageG_regs+56)(R12) \
	MOVQ	R15, (PresageG_regs+64)(R12)

#define RESTORE \
	MOVQ	(PresageG_regs+0)(R12), AX \
	MOVQ	(PresageG_regs+8)(R12), BX \
	MOVQ	(PresageG_regs+16)(R12), CX \
	MOVQ	(PresageG_regs+24)(R12), DX \
	MOVQ	(PresageG_regs+32)(R12), SI \
	MOVQ	(PresageG_regs+40)(R12), DI \
	MOVQ	(PresageG_regs+48)(R12), R8 \
	MOVQ	(PresageG_regs+56)(R12), R9 \
	MOVQ	(PresageG_regs+64)(R12), R15

// STATE is the goroutine's state, in R12, if AX is not in its own stack, into which nobody else has pointers, and no constant.
#define STATE \
	MOVQ	AX, R12 \
	SUBQ	(g_stack+stack_lo)(R14), R12 \
	MOVQ	(g_stack+stack_hi)(R14), R13 \
	SUBQ	(g_stack+stack_lo)(R14), R13 \
	CMPQ	R12, R13 \
	JCS	done \
	CONSTANT \
	MOVQ	g_presage(R14), R12 \
	TESTQ	R12, R12 \
	JNZ	there \
	CALL	ftHookFirst<>(SB) \
	MOVQ	g_presage(R14), R12 \
	TESTQ	R12, R12 \
	JZ	done \
there: \
	SAVE

// ROOM goes to tight where the stack has less than the rules of quick.go need. They are called so that the linker does not count what they need in every nosplit
// function that has a hook.
#define ROOM(f) \
	LEAQ	-704(SP), R13 \
	CMPQ	R13, (g_stack+stack_lo)(R14) \
	JLS	tight \
	LEAQ	f<ABIInternal>(SB), R13 \
	CALL	R13

// ftOne(AX, R11, the caller's pc, its stack pointer). The frame is what it may spill of its arguments.
TEXT ftHookOne<>(SB), NOSPLIT, $32-0
	STATE
	LEAQ	sp+0(FP), DI
	MOVQ	-8(DI), CX
	MOVL	R11, BX
	ROOM(runtime·ftOne)
back:
	MOVQ	g_presage(R14), R12
	RESTORE
done:
	RET
tight:
	CALL	runtime·ftOneTight<ABIInternal>(SB)
	JMP	back

// ftRun(AX, R10, R11, the caller's pc, its stack pointer)
TEXT ftHookRun<>(SB), NOSPLIT, $40-0
	STATE
	LEAQ	sp+0(FP), SI
	MOVQ	-8(SI), DI
	MOVL	R11, CX
	MOVQ	R10, BX
	ROOM(runtime·ftRun)
back:
	MOVQ	g_presage(R14), R12
	RESTORE
done:
	RET
tight:
	CALL	runtime·ftRunTight<ABIInternal>(SB)
	JMP	back

// ftHookFirst makes the state of a goroutine that has none.
TEXT ftHookFirst<>(SB), NOSPLIT, $88-0
	MOVQ	AX, 0(SP)
	MOVQ	BX, 8(SP)
	MOVQ	CX, 16(SP)
	MOVQ	DX, 24(SP)
	MOVQ	SI, 32(SP)
	MOVQ	DI, 40(SP)
	MOVQ	R8, 48(SP)
	MOVQ	R9, 56(SP)
	MOVQ	R15, 64(SP)
	MOVQ	R10, 72(SP)
	MOVQ	R11, 80(SP)
	CALL	runtime·ftFirst<ABIInternal>(SB)
	MOVQ	0(SP), AX
	MOVQ	8(SP), BX
	MOVQ	16(SP), CX
	MOVQ	24(SP), DX
	MOVQ	32(SP), SI
	MOVQ	40(SP), DI
	MOVQ	48(SP), R8
	MOVQ	56(SP), R9
	MOVQ	64(SP), R15
	MOVQ	72(SP), R10
	MOVQ	80(SP), R11
	RET

// func ftWanted(p, q, r, s uintptr): PREFETCHW of each, which a processor that has it not takes for nothing.
TEXT runtime·ftWanted<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-32
	BYTE	$0x0f; BYTE $0x0d; BYTE $0x08 // (AX)
	BYTE	$0x0f; BYTE $0x0d; BYTE $0x0b // (BX)
	BYTE	$0x0f; BYTE $0x0d; BYTE $0x09 // (CX)
	BYTE	$0x0f; BYTE $0x0d; BYTE $0x0f // (DI)
	RET

// func ftProcessor() uint32
TEXT runtime·ftProcessor<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-4
	RDPID	AX
	RET

// func ftTellsProcessor() bool
TEXT runtime·ftTellsProcessor<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-1
	XORL	AX, AX
	CPUID
	CMPL	AX, $7
	JB	not
	MOVL	$7, AX
	XORL	CX, CX
	CPUID
	SHRL	$22, CX
	ANDL	$1, CX
	MOVL	CX, AX
	RET
not:
	XORL	AX, AX
	RET
