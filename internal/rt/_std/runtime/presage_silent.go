package runtime

import "internal/runtime/atomic"

// pgSilentNames are the functions of which a call through an interface touches nothing (F13 of package footprint): their calls are marked with what is called, which only the run tells.
var pgSilentNames = [...]string{
	"testing.(*common).Helper", "testing.(*T).Helper", "testing.(*B).Helper",
	"testing.(*common).Name", "testing.(*T).Name", "testing.(*B).Name",
}

// pgSilents are answers of pgSilent: a target, and the answer in the last bit.
var pgSilents [1 << 6]uintptr

// pgSilent reports whether the code at target is one of them.
func pgSilent(target uintptr) bool {
	target &^= 1
	k := &pgSilents[(target>>4^target>>10)%uintptr(len(pgSilents))]
	if x := atomic.Loaduintptr(k); x>>1 == target {
		return x&1 != 0
	}
	answer := uintptr(0)
	if f := findfunc(target); f.valid() && f.entry() == target {
		name := funcname(f)
		for _, s := range pgSilentNames {
			if s == name {
				answer = 1
			}
		}
	}
	atomic.StoreReluintptr(k, target<<1|answer)
	return answer != 0
}
