#include "go_asm.h"
#include "textflag.h"

// The hooks that compiled code calls for an access of what begins at AX: the rules of the same epoch, in front of everything else. A
// cell is found as ftCellOf finds it. All registers but R14 (g) are the caller's to keep.

#define FIND \
	MOVQ	g_presage(R14), CX \
	MOVQ	AX, DX \
	SHRQ	$const_ftBlockShift, DX \
	MOVQ	AX, BX \
	ANDQ	$7, BX \
	SHLQ	$const_ftPlaneShift, BX \
	CMPQ	DX, $(1<<const_ftPlaneShift) \
	JAE	slow \
	ORQ	BX, DX \
	MOVQ	runtime·ftCells(SB), SI \
	MOVQ	(SI)(DX*8), SI \
	TESTQ	CX, CX \
	JZ	slow \
	TESTQ	SI, SI \
	JZ	slow \
	MOVQ	AX, DX \
	SHRQ	$3, DX \
	ANDQ	$(const_ftWords-1), DX \
	SHLQ	$4, DX \
	ADDQ	SI, DX \
	MOVQ	(PresageG_ft+ftG_base)(CX), BX

// func raceread(addr uintptr)
TEXT runtime·raceread<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	FIND
	MOVQ	ftCell_r(DX), SI
	SUBQ	BX, SI
	CMPQ	SI, (PresageG_ft+ftG_width)(CX)
	JCS	same
	MOVQ	ftCell_w(DX), SI
	SUBQ	BX, SI
	CMPQ	SI, (PresageG_ft+ftG_width)(CX)
	JCS	same
slow:
	JMP	runtime·ftReadSlow<ABIInternal>(SB)
same:
	INCQ	(PresageG_ft+ftG_stats+ftStats_readSameEpoch)(CX)
	RET

// func racewrite(addr uintptr)
TEXT runtime·racewrite<ABIInternal>(SB), NOSPLIT|NOFRAME, $0-8
	FIND
	MOVQ	ftCell_w(DX), SI
	SUBQ	BX, SI
	CMPQ	SI, (PresageG_ft+ftG_width)(CX)
	JCS	same
slow:
	JMP	runtime·ftWriteSlow<ABIInternal>(SB)
same:
	INCQ	(PresageG_ft+ftG_stats+ftStats_writeSameEpoch)(CX)
	RET
