package report

import "github.com/presage-race/presage/internal/trace/format"

// Does says in words what an event of a kind does, where the rest of the event is not at hand.
func Does(k format.Kind) string {
	switch k {
	case format.Lock:
		return "locks"
	case format.Unlock:
		return "unlocks"
	case format.TryFail:
		return "finds a lock taken"
	case format.WGAdd:
		return "calls Add or Done of a WaitGroup"
	case format.WGWait:
		return "returns from Wait of a WaitGroup"
	case format.OnceBegin:
		return "begins the function of a Once"
	case format.OnceEnd:
		return "ends the function of a Once"
	case format.OncePass:
		return "passes a Once"
	case format.CondWait:
		return "begins to wait on a Cond"
	case format.CondWake:
		return "wakes up on a Cond"
	case format.CondSignal:
		return "signals a Cond"
	case format.CondBroadcast:
		return "broadcasts on a Cond"
	case format.ChanSend:
		return "sends"
	case format.ChanRecv:
		return "receives"
	case format.ChanClose:
		return "closes a channel"
	case format.SelectDefault:
		return "takes the default of a select"
	case format.Go:
		return "starts a goroutine"
	case format.Start:
		return "begins"
	case format.End:
		return "ends"
	case format.Join:
		return "sees the end of a goroutine"
	case format.OpaqueBegin:
		return "calls code without records"
	case format.OpaqueEnd:
		return "returns from code without records"
	case format.MethodBegin:
		return "calls excluded code"
	case format.MethodEnd:
		return "returns from excluded code"
	case format.Acquire:
		return "acquires"
	case format.Release, format.ReleaseMerge:
		return "releases"
	case format.Observe:
		return "looks at the state of a lock, channel or the like"
	case format.ChanLen:
		return "looks at the length of a channel"
	}
	if k.IsAccess() {
		return accessVerb(k)
	}
	return k.String()
}
