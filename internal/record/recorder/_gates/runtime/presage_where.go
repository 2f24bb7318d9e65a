package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// What a goroutine waits for, in the numbers that package replay reads.
const (
	gtUnborn = iota
	gtWaitsLock
	gtWaitsRLock
	gtWaitsGroup
	gtWaitsCond
	gtWaitsReceive
	gtWaitsSend
	gtWaitsSelect
	gtWaitsOther
	gtRuns
	gtEnded
)

// gtWhere notes, when the schedule stalls, where its goroutines are: what each waits for, and the
// last gate that it came to. The first stall says what could not come, the last one what was left
// in the way.
func gtWhere(first bool) {
	for i := 0; i < gates.n; i++ {
		s := (*presageGate)(unsafe.Pointer(gates.state + uintptr(i)*unsafe.Sizeof(presageGate{})))
		entry := gates.gs + uintptr(i)*gtGWords*8
		v := uint64(gtUnborn)
		switch gp := s.gp.ptr(); atomic.Load64(gtWord(entry, gtGState)) {
		case 1:
			v = gtRuns
			if gp != nil && readgstatus(gp)&^_Gscan == _Gwaiting {
				v = gtWaitsFor(gp.waitreason)
			}
		case 2:
			v = gtEnded
		}
		v |= s.at << 8
		if first {
			*gtWord(entry, gtGStall) = v
		}
		*gtWord(entry, gtGLast) = v
	}
}

func gtWaitsFor(r waitReason) uint64 {
	switch r {
	case waitReasonSyncMutexLock, waitReasonSyncRWMutexLock, waitReasonSemacquire:
		return gtWaitsLock
	case waitReasonSyncRWMutexRLock:
		return gtWaitsRLock
	case waitReasonSyncWaitGroupWait:
		return gtWaitsGroup
	case waitReasonSyncCondWait:
		return gtWaitsCond
	case waitReasonChanReceive, waitReasonChanReceiveNilChan:
		return gtWaitsReceive
	case waitReasonChanSend, waitReasonChanSendNilChan:
		return gtWaitsSend
	case waitReasonSelect, waitReasonSelectNoCases:
		return gtWaitsSelect
	}
	return gtWaitsOther
}
