//go:build race

#include "go_asm.h"
#include "textflag.h"

// As presage_hooks_amd64.s. R9 is free in a hook.

#define WATCHED \
	MOVD	g_presage(g), R9 \
	CBZ	R9, plain \
	MOVW	presageGate_watch(R9), R9 \
	CBZ	R9, plain

TEXT runtime·raceread<ABIInternal>(SB), NOSPLIT, $0-8
	WATCHED
	MOVD	$1, R1
	MOVD	$0, R9
	JMP	runtime·presageHold(SB)
plain:
	JMP	runtime·presageRaceRead<ABIInternal>(SB)

TEXT runtime·racewrite<ABIInternal>(SB), NOSPLIT, $0-8
	WATCHED
	MOVD	$1, R1
	MOVD	$1, R9
	JMP	runtime·presageHold(SB)
plain:
	JMP	runtime·presageRaceWrite<ABIInternal>(SB)

TEXT runtime·racereadrange<ABIInternal>(SB), NOSPLIT, $0-16
	WATCHED
	MOVD	$2, R9
	JMP	runtime·presageHold(SB)
plain:
	JMP	runtime·presageRaceReadRange<ABIInternal>(SB)

TEXT runtime·racewriterange<ABIInternal>(SB), NOSPLIT, $0-16
	WATCHED
	MOVD	$3, R9
	JMP	runtime·presageHold(SB)
plain:
	JMP	runtime·presageRaceWriteRange<ABIInternal>(SB)

// presageHold stands in the stack in place of the hook R9, of an access to R1 bytes at R0: its
// caller is the code that makes the access, to which LR leads. The 32 bytes above the saved LR are
// for presageHeld's arguments.
TEXT runtime·presageHold(SB), NOSPLIT, $72-0
	MOVD	R0, 48(RSP)
	MOVD	R1, 56(RSP)
	MOVD	R9, 64(RSP)
	AND	$1, R9, R2
	MOVD	LR, R3
	CALL	runtime·presageHeld<ABIInternal>(SB)
	MOVBU	R0, R10
	MOVD	48(RSP), R0
	MOVD	56(RSP), R1
	MOVD	64(RSP), R9
	CBNZ	R10, hidden
	CBZ	R9, read
	CMP	$2, R9
	BLT	write
	BEQ	readrange
	RET	runtime·presageRaceWriteRange<ABIInternal>(SB)
read:
	RET	runtime·presageRaceRead<ABIInternal>(SB)
write:
	RET	runtime·presageRaceWrite<ABIInternal>(SB)
readrange:
	RET	runtime·presageRaceReadRange<ABIInternal>(SB)
hidden:
	RET
