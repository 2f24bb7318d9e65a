package runtime

import (
	"internal/abi"
	"unsafe"
)

// Missing code that no call of a traced function brackets: deferred calls, goroutines that begin in
// a package that is left out, whoever starts them, finalizers and cleanups of such a package.

// MethodDeferred is MethodBegin for a deferred call of a function of the depth given. What that had
// called is gone.
//
//go:noinline
func (s *PresageG) MethodDeferred(h, method uint64, depth uint32) {
	s.depth = depth
	s.MethodBegin(h, method)
}

// MethodGo is MethodBegin for a go statement, and MethodGoes is its MethodBegun: the records are
// the new goroutine's. It is in the method as long as it lives.
//
//go:noinline
func (s *PresageG) MethodGo(h, method uint64) {
	if method != 0 && !s.off && presage.on {
		s.begins(h, method, pgIsLarge(uint32(h)))
	}
}

//go:noinline
func (s *PresageG) MethodGoes(roots bool) {
	if s.call.open {
		s.reached(roots)
		s.going = true
	}
}

// goes is called by presageGo when s has started newg, which begins at pc.
func (s *PresageG) goes(newg *g, pc uintptr) {
	to := newg.presage
	if !s.going {
		method := s.Leaves(pc)
		if method == 0 || to.off {
			return
		}
		s.begins(pgHead(pgMethodBegin, pgFlagSeen, 0, 0), method, pgIsLarge(0))
		s.reachObject(uintptr(newg.sched.ctxt))
		s.reached(true)
	}
	s.going = false
	to.leaving()
	s.call.depth, s.call.time = 0, to.tick()
	s.writeCall(to)
}

// reachObject adds the object at p.
func (s *PresageG) reachObject(p uintptr) {
	s.Reach(pgPointerType(), unsafe.Pointer(&p))
}

func pgPointerType() *_type { return abi.TypeFor[unsafe.Pointer]() }

// presageFinalizes is called before a finalizer or cleanup. Of one of a package that is left out
// the records are those of a call.
func presageFinalizes(fn *funcval, arg unsafe.Pointer) {
	s := getg().presage
	if s == nil || s.off || !presage.on {
		return
	}
	if s.finalizes = s.Leaves(fn.fn); s.finalizes != 0 {
		s.MethodBegin(pgHead(pgMethodBegin, pgFlagSeen, 0, 0), s.finalizes)
		s.reachObject(uintptr(unsafe.Pointer(fn)))
		s.reachObject(uintptr(arg))
		s.MethodBegun(true)
	}
}

// finalized ends it.
func (s *PresageG) finalized() {
	s.MethodEnd(pgHead(pgMethodEnd, 0, 0, 0), s.finalizes, s.depth)
	s.finalizes = 0
}
