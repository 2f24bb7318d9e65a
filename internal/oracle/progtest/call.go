package progtest

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A callee is the function or operation that an instruction calls.
type callee struct {
	builtin    string
	fn         *fn // known function
	dynamic    bool
	op         opKind // typed operation
	plainMutex bool
	delta      bool  // WaitGroup: the first argument is the delta, else -1
	off, size  int64 // sync/atomic: the word within its type
	atomic     atomicOp
	boolean    bool        // atomic.Bool
	method     *types.Func // of an interface
	kind       types.BasicKind
	std        any // a function of the standard library
	outside    func(*outside)
	takes      bool // Get of a sync.Pool
}

func (c *callee) typed() bool { return c.op != opNone }

type atomicOp uint8

const (
	atomicLoad atomicOp = iota
	atomicStore
	atomicAdd
	atomicSwap
	atomicCAS
	atomicAnd
	atomicOr
)

var syncOps = map[string]callee{
	"(*sync.Mutex).Lock":       {op: opLock, plainMutex: true},
	"(*sync.Mutex).Unlock":     {op: opUnlock, plainMutex: true},
	"(*sync.RWMutex).Lock":     {op: opLock},
	"(*sync.RWMutex).Unlock":   {op: opUnlock},
	"(*sync.RWMutex).RLock":    {op: opRLock},
	"(*sync.RWMutex).RUnlock":  {op: opRUnlock},
	"(*sync.WaitGroup).Add":    {op: opAdd, delta: true},
	"(*sync.WaitGroup).Done":   {op: opAdd},
	"(*sync.WaitGroup).Wait":   {op: opWait},
	"(*sync.WaitGroup).Go":     {op: opGroupGo},
	"(*sync.Mutex).TryLock":    {op: opTryLock, plainMutex: true},
	"(*sync.RWMutex).TryLock":  {op: opTryLock},
	"(*sync.RWMutex).TryRLock": {op: opTryRLock},
	"(*sync.Once).Do":          {op: opOnce},
	"(*sync.Cond).Wait":        {op: opCondWait, plainMutex: true},
	"(*sync.Cond).Signal":      {op: opSignal},
	"(*sync.Cond).Broadcast":   {op: opBroadcast},
}

var atomicNames = map[string]atomicOp{
	"Load": atomicLoad, "Store": atomicStore, "Add": atomicAdd, "Swap": atomicSwap, "CompareAndSwap": atomicCAS,
	"And": atomicAnd, "Or": atomicOr,
}

// prepareCall finds the callee of a call, go or defer.
func (p *Program) prepareCall(f *fn, x *ins, in ssa.CallInstruction) {
	c := in.Common()
	x.args = p.args(f, c.Args...)
	if c.IsInvoke() {
		if _, ok := in.(*ssa.Call); !ok {
			panic(unsupported("go or defer of an interface method"))
		}
		x.call.dynamic, x.call.method = true, c.Method
		x.args = append(x.args, p.arg(f, c.Value))
		return
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		p.builtin(x, c, b.Name())
		return
	}
	s := c.StaticCallee()
	if s == nil {
		x.call.dynamic = true
		x.args = append(x.args, p.arg(f, c.Value))
		return
	}
	if o, ok := p.syncOp(s); ok {
		switch x.call = o; o.op {
		case opTryLock, opTryRLock, opOnce, opCondWait, opGroupGo:
			if !isCall(in) {
				panic(unsupported("go or defer of " + s.String()))
			}
		}
	} else if name := constructor(s); name != "" && isCall(in) {
		x.call.builtin = name
		if name == "OnceValue" && p.layout.width(s.Signature.Results().At(0).Type().Underlying().(*types.Signature).Results()) != 1 {
			panic(unsupported("OnceValue of more than a word"))
		}
	} else if o := outsideOp(s); o != nil && isCall(in) {
		x.call.outside, x.call.takes = o, s.Name() == "Get"
	} else if o, ok := stdOp(s); ok {
		if x.call = o; !isCall(in) {
			panic(unsupported("go or defer of a function of the standard library"))
		}
	} else if s.Name() == "init" && len(s.Blocks) == 0 { // the initialiser of a dependency
		x.call.builtin = "print"
	} else {
		x.call.fn = p.fn(s)
	}
	if mc, ok := c.Value.(*ssa.MakeClosure); ok {
		x.args = append(x.args, p.arg(f, mc))
	}
	if d, ok := in.(*ssa.Defer); ok {
		n := 0
		for i := range x.args {
			n += x.args[i].n
		}
		if n > 3 || d.DeferStack != nil {
			panic(unsupported("defer with many arguments"))
		}
	}
}

func (p *Program) builtin(x *ins, c *ssa.CallCommon, name string) {
	x.call.builtin = name
	switch name {
	case "len", "cap":
		switch c.Args[0].Type().Underlying().(type) {
		case *types.Slice, *types.Basic:
			return
		case *types.Chan:
			if name == "len" {
				x.call.op = opLen
			} else {
				x.call.builtin = "chancap"
			}
			return
		case *types.Map:
			if name == "len" {
				x.call.builtin = "maplen"
				return
			}
		}
	case "delete":
		oneWordMap(p, c.Args[0].Type())
		return
	case "close":
		x.call.op = opClose
		return
	case "min", "max":
		if x.call.kind = basicKind(c.Args[0].Type()); integer(x.call.kind) {
			return
		}
	case "print", "println", "ssa:wrapnilchk":
		return
	}
	panic(unsupported("builtin " + name))
}

// constructor returns the name of a function of package sync that makes something; "" if fn is
// another one.
func constructor(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if o := fn.Object(); o != nil && o.Pkg() != nil && o.Pkg().Path() == "sync" {
		switch o.Name() {
		case "NewCond", "OnceFunc", "OnceValue":
			return o.Name()
		}
	}
	return ""
}

// syncOp returns what a function of sync or sync/atomic does.
func (p *Program) syncOp(fn *ssa.Function) (callee, bool) {
	orig := fn
	if o := fn.Origin(); o != nil {
		orig = o
	}
	obj, ok := orig.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return callee{}, false
	}
	if c, ok := syncOps[obj.FullName()]; ok {
		return c, true
	}
	if obj.Pkg().Path() != "sync/atomic" {
		return callee{}, false
	}
	name := obj.Name()
	sig := fn.Signature
	if recv := sig.Recv(); recv != nil {
		named := recv.Type().Underlying().(*types.Pointer).Elem()
		st := named.Underlying().(*types.Struct)
		field := st.NumFields() - 1
		ft := st.Field(field).Type()
		op, ok := atomicNames[name]
		if !ok {
			return callee{}, false
		}
		return callee{op: opAtomic, atomic: op, off: p.layout.offset(st, field), size: p.layout.sizeof(ft), kind: basicKind(ft),
			boolean: named.(*types.Named).Obj().Name() == "Bool"}, true
	}
	for _, t := range []string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Pointer"} {
		n := len(name) - len(t)
		if n <= 0 || name[n:] != t {
			continue
		}
		if op, ok := atomicNames[name[:n]]; ok {
			ft := sig.Params().At(0).Type().Underlying().(*types.Pointer).Elem()
			return callee{op: opAtomic, atomic: op, size: p.layout.sizeof(ft), kind: basicKind(ft)}, true
		}
	}
	return callee{}, false
}
