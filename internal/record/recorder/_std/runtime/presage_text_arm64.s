#include "textflag.h"

// func pgCopy(to, from unsafe.Pointer, n uintptr) bool
// A load that faults ends it with the result that stands there: presageFault. So it has no frame.
TEXT runtime·pgCopy(SB), NOSPLIT|NOFRAME, $0-25
	MOVB	ZR, ret+24(FP)
	MOVD	to+0(FP), R0
	MOVD	from+8(FP), R1
	MOVD	n+16(FP), R2
words:
	CMP	$8, R2
	BLO	bytes
	MOVD.P	8(R1), R3
	MOVD.P	R3, 8(R0)
	SUB	$8, R2
	B	words
bytes:
	CBZ	R2, done
	MOVBU.P	1(R1), R3
	MOVB.P	R3, 1(R0)
	SUB	$1, R2
	B	bytes
done:
	MOVD	$1, R3
	MOVB	R3, ret+24(FP)
	RET

// func pgFence()
TEXT runtime·pgFence(SB), NOSPLIT|NOFRAME, $0-0
	DMB	$0xb	// ISH
	RET
