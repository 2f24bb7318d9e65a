//go:build race

#include "go_asm.h"
#include "textflag.h"

// The hooks of the race detector. They go on in its own, which are called presageRaceRead and so on, unless the goroutine
// has a step of outside code (presageGate.watch). R12 and R13 are free in a hook.

#define WATCHED \
	MOVQ	g_presage(R14), R12 \
	TESTQ	R12, R12 \
	JZ	plain \
	CMPL	presageGate_watch(R12), $0 \
	JEQ	plain

TEXT runtime·raceread<ABIInternal>(SB), NOSPLIT, $0-8
	WATCHED
	MOVQ	$1, BX
	MOVQ	$0, R13
	JMP	runtime·presageHold(SB)
plain:
	JMP	runtime·presageRaceRead<ABIInternal>(SB)

TEXT runtime·racewrite<ABIInternal>(SB), NOSPLIT, $0-8
	WATCHED
	MOVQ	$1, BX
	MOVQ	$1, R13
	JMP	runtime·presageHold(SB)
plain:
	JMP	runtime·presageRaceWrite<ABIInternal>(SB)

TEXT runtime·racereadrange<ABIInternal>(SB), NOSPLIT, $0-16
	WATCHED
	MOVQ	$2, R13
	JMP	runtime·presageHold(SB)
plain:
	JMP	runtime·presageRaceReadRange<ABIInternal>(SB)

TEXT runtime·racewriterange<ABIInternal>(SB), NOSPLIT, $0-16
	WATCHED
	MOVQ	$3, R13
	JMP	runtime·presageHold(SB)
plain:
	JMP	runtime·presageRaceWriteRange<ABIInternal>(SB)

// presageHold stands in the stack in place of the hook R13, of an access to BX bytes at AX: its caller is the code that
// makes the access. The first 40 bytes are for presageHeld's arguments.
TEXT runtime·presageHold(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ	0(SP), DI
	PUSHQ	BP
	MOVQ	SP, BP
	ADJSP	$64
	NOP	SP
	MOVQ	AX, 40(SP)
	MOVQ	BX, 48(SP)
	MOVQ	R13, 56(SP)
	MOVQ	R13, CX
	ANDQ	$1, CX
	CALL	runtime·presageHeld<ABIInternal>(SB)
	MOVBLZX	AX, R12
	MOVQ	40(SP), AX
	MOVQ	48(SP), BX
	MOVQ	56(SP), R13
	ADJSP	$-64
	POPQ	BP
	TESTL	R12, R12
	JNZ	hidden
	CMPQ	R13, $1
	JLT	read
	JEQ	write
	CMPQ	R13, $2
	JEQ	readrange
	JMP	runtime·presageRaceWriteRange<ABIInternal>(SB)
read:
	JMP	runtime·presageRaceRead<ABIInternal>(SB)
write:
	JMP	runtime·presageRaceWrite<ABIInternal>(SB)
readrange:
	JMP	runtime·presageRaceReadRange<ABIInternal>(SB)
hidden:
	RET
