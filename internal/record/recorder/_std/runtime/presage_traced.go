package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
)

// Which code is traced: what it accesses is recorded when it does, so walks do not follow what it
// has captured.

// What walks ask about the code of a function value.
const (
	pgIsTraced = 1 << iota // it is instrumented
	// a literal of package iter, next or stop of Pull: what its coroutine has on its stack no walk
	// finds
	pgIsPull

	pgCodeBits = iota
)

// pgCodeAnswers are answers of pgCode: a pc, and what there is.
var pgCodeAnswers [256]uintptr

// pgCode returns what the function at pc is.
func pgCode(pc uintptr) uintptr {
	k := &pgCodeAnswers[pc>>4%256]
	if x := atomic.Loaduintptr(k); x>>pgCodeBits == pc {
		return x
	}
	x := pc << pgCodeBits
	switch {
	case pgFindTraced(pc):
		x |= pgIsTraced
	case pgFindPull(pc):
		x |= pgIsPull
	}
	atomic.Storeuintptr(k, x)
	return x
}

func pgTraced(pc uintptr) bool { return pgCode(pc)&pgIsTraced != 0 }
func pgPulls(pc uintptr) bool  { return pgCode(pc)&pgIsPull != 0 }

// pgFindTraced goes by the function's name, and by the directory of its source, if it has one: a
// function literal of the standard library, say, of a function that was inlined in traced code has
// a name that says it is traced (func() { return slices.Values(s) }). What the compiler has made (a
// method value, a promoted method) is of the package of its type, and calls anybody's code, but for
// the method values that have a line of their own.
func pgFindTraced(pc uintptr) bool {
	if f := findfunc(pc); f.valid() && f.funcID == abi.FuncIDWrapper && !pgTracedPath(funcname(f)) {
		return false
	}
	dir := pgDir(pc)
	return pgTracedPath(pgPackage(pc)) && (len(dir) < 2 || pgTracedPath(dir[:len(dir)-1]))
}

// pgTracedPath reports whether all functions of a package, or of the source in a directory, are
// instrumented.
func pgTracedPath(path string) bool {
	traced := presageOutside.traced
	for i := 0; path != "" && i+len(path)+2 <= len(traced); i++ {
		if traced[i] == '\n' && traced[i+1+len(path)] == '\n' && traced[i+1:i+1+len(path)] == path {
			return true
		}
	}
	return false
}

// pgFindPull goes by the directory.
func pgFindPull(pc uintptr) bool {
	const dir = "iter/"
	d := pgDir(pc)
	n := len(d) - len(dir)
	return n >= 0 && d[n:] == dir && (n == 0 || d[n-1] == '/')
}
