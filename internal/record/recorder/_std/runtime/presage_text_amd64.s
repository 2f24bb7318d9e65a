#include "textflag.h"

// func pgCopy(to, from unsafe.Pointer, n uintptr) bool
// A load that faults ends it with the result that stands there: presageFault. So it has no frame.
TEXT runtime·pgCopy(SB), NOSPLIT|NOFRAME, $0-25
	MOVB	$0, ret+24(FP)
	MOVQ	to+0(FP), DI
	MOVQ	from+8(FP), SI
	MOVQ	n+16(FP), CX
words:
	CMPQ	CX, $8
	JCS	bytes
	MOVQ	(SI), AX
	MOVQ	AX, (DI)
	ADDQ	$8, SI
	ADDQ	$8, DI
	SUBQ	$8, CX
	JMP	words
bytes:
	TESTQ	CX, CX
	JEQ	done
	MOVB	(SI), AX
	MOVB	AX, (DI)
	INCQ	SI
	INCQ	DI
	DECQ	CX
	JMP	bytes
done:
	MOVB	$1, ret+24(FP)
	RET
