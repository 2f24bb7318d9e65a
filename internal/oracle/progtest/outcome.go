package progtest

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// An Outcome is a set of operations at which a goroutine may leave its recorded path.
type Outcome uint16

const (
	// AtValue is a branch on values that were read, or a call of a function value.
	AtValue   Outcome = 1 << iota
	AtChannel         // a select, or a receive from a channel that may be closed
	AtCompare         // CompareAndSwap
	AtTry             // TryLock, TryRLock
	AtOnce            // Once, OnceFunc, OnceValue: who is first
	AtLength          // len or cap of a channel
	AtMap             // a lookup in a map, or its len
	AtSyncMap
	AtContext // Err, or a select with Done
	AtPool    // Get
	AtTimer   // Stop, a select with a timer, or a function that a timer has not called in that run

	Outcomes = iota // their number
)

// OutcomeNames has the operations, by the number of their bit.
var OutcomeNames = [Outcomes]string{
	"a branch on values", "a channel", "a CompareAndSwap", "a TryLock", "a Once", "the length of a channel", "a map",
	"a sync.Map", "a context", "a sync.Pool", "a timer",
}

func (o Outcome) String() string {
	var list []string
	for i, name := range OutcomeNames {
		if o&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}

// outcome returns the operations that a condition depends on at once: without memory in between.
func outcome(v ssa.Value) Outcome {
	if o := operations(v, 8); o != 0 {
		return o
	}
	return AtValue
}

func operations(v ssa.Value, depth int) (o Outcome) {
	if depth == 0 {
		return 0
	}
	next := func(vs ...ssa.Value) {
		for _, v := range vs {
			o |= operations(v, depth-1)
		}
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.ARROW && v.CommaOk {
			o = AtChannel
		} else if v.Op != token.MUL {
			next(v.X)
		}
	case *ssa.BinOp:
		next(v.X, v.Y)
	case *ssa.Phi:
		next(v.Edges...)
	case *ssa.Convert:
		next(v.X)
	case *ssa.Extract:
		next(v.Tuple)
	case *ssa.TypeAssert:
		next(v.X)
	case *ssa.Select:
		o = AtChannel
		for _, s := range v.States {
			switch t := s.Chan.Type().Underlying().(*types.Chan).Elem().String(); t {
			case "time.Time":
				o = AtTimer
			case "struct{}":
				o = AtContext
			}
		}
	case *ssa.Lookup:
		if _, ok := v.X.Type().Underlying().(*types.Map); ok {
			o = AtMap
		}
	case *ssa.Call:
		o = ofCall(&v.Call)
	}
	return o
}

// ofCall returns the operation that a call is.
func ofCall(c *ssa.CallCommon) Outcome {
	if b, ok := c.Value.(*ssa.Builtin); ok && b.Name() == "len" || ok && b.Name() == "cap" {
		switch c.Args[0].Type().Underlying().(type) {
		case *types.Chan:
			return AtLength
		case *types.Map:
			return AtMap
		}
	}
	if c.IsInvoke() && c.Method.FullName() == "(context.Context).Err" {
		return AtContext
	}
	fn := c.StaticCallee()
	if fn == nil {
		return 0
	}
	switch name := fn.String(); {
	case strings.Contains(name, "sync.Map)"):
		return AtSyncMap
	case strings.HasSuffix(name, "Lock") && strings.Contains(name, ").Try"):
		return AtTry
	case strings.Contains(name, "CompareAndSwap"):
		return AtCompare
	case name == "(*sync.Pool).Get":
		return AtPool
	case name == "(*time.Timer).Stop":
		return AtTimer
	}
	return 0
}
