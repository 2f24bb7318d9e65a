package replay

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// class says which events of a site there is one of in each execution of its instruction.
type class uint8

const (
	noClass class = iota
	readClass
	writeClass
	lenClass
	atomicClass
	lockClass
	goClass
	chanClass
	onceClass
	wgWaitClass
	wgAddClass
	condClass
	opaqueClass
)

func classOf(k format.Kind) class {
	switch k {
	case format.Read:
		return readClass
	case format.Write:
		return writeClass
	case format.ChanLen:
		return lenClass
	case format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		return atomicClass
	case format.Lock, format.Unlock, format.TryFail:
		return lockClass
	case format.Go:
		return goClass
	case format.ChanSend, format.ChanRecv, format.ChanClose, format.SelectDefault:
		return chanClass
	case format.OnceBegin, format.OncePass:
		return onceClass
	case format.WGWait:
		return wgWaitClass
	case format.WGAdd:
		return wgAddClass
	case format.CondWait, format.CondSignal, format.CondBroadcast:
		return condClass
	case format.OpaqueBegin:
		return opaqueClass
	}
	return noClass
}

// hidden reports whether an event has no gate of its own: code that was not instrumented has
// executed it.
func hidden(e *trace.Event) bool {
	return e.Site == 0 || e.Flags&format.FlagOpaque != 0
}

// acts reports whether a hidden event is one that others can notice.
func acts(k format.Kind) bool {
	switch k {
	case format.Acquire, format.Release, format.ReleaseMerge:
		return true
	}
	return k.IsAccess() || k >= format.Lock && k <= format.SelectDefault && k != format.SelectCase
}
