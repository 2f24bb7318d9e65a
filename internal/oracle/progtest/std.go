package progtest

import (
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// stdFuncs are the pure functions of the standard library that programs may call.
var stdFuncs = map[string]any{
	"strings.Contains": strings.Contains, "strings.Count": strings.Count, "strings.Cut": strings.Cut, "strings.HasPrefix": strings.HasPrefix,
	"strings.HasSuffix": strings.HasSuffix, "strings.Index": strings.Index, "strings.Repeat": strings.Repeat, "strings.ReplaceAll": strings.ReplaceAll,
	"strings.ToUpper": strings.ToUpper, "strings.TrimLeft": strings.TrimLeft, "strings.TrimPrefix": strings.TrimPrefix,
	"strconv.Atoi": strconv.Atoi, "strconv.FormatInt": strconv.FormatInt, "strconv.Itoa": strconv.Itoa, "strconv.ParseBool": strconv.ParseBool,
}

// stdOp returns the function of the standard library that fn is.
func stdOp(fn *ssa.Function) (callee, bool) {
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return callee{}, false
	}
	std, ok := stdFuncs[obj.FullName()]
	return callee{std: std}, ok
}

// std is a call of a function of the standard library, which is code that is not instrumented.
func (ev *evaluator) std(s *state, g *goroutine, f *frame, x *ins) {
	fn := reflect.ValueOf(x.call.std)
	in := make([]reflect.Value, fn.Type().NumIn())
	for i := range in {
		v := reflect.New(fn.Type().In(i)).Elem()
		switch a := g.arg(f, &x.args[i]); v.Kind() {
		case reflect.String:
			v.SetString(ev.prog.textAt(s, a[0], a[1]))
		case reflect.Int, reflect.Int64:
			v.SetInt(int64(a[0]))
		default:
			panic(fault("an argument of " + fmt.Sprint(fn.Type())))
		}
		in[i] = v
	}
	ev.rec.opaque(g, x, true)
	at := g.regs[f.base+x.dst:]
	for _, r := range callStd(fn, in) {
		n := 1
		switch r.Kind() {
		case reflect.String:
			at[0], at[1], n = ev.newText(s, g, r.String()), uint64(r.Len()), 2
		case reflect.Bool:
			at[0] = truth(r.Bool())
		case reflect.Interface: // an error
			at[0], at[1], n = stdError*truth(!r.IsNil()), stdError*truth(!r.IsNil()), 2
		default:
			at[0] = uint64(r.Int())
		}
		at = at[n:]
	}
	ev.rec.opaque(g, x, false)
}

// stdError is both words of an error of the standard library: programs only compare it with nil.
const stdError = funcBase - 8

// callStd calls a function. If it panics, the program does.
func callStd(fn reflect.Value, in []reflect.Value) []reflect.Value {
	defer func() {
		if recover() != nil {
			panic(isPanic{})
		}
	}()
	if fn.Type() == reflect.TypeOf(strings.Repeat) && in[1].Int() > 64 {
		panic(isPanic{}) // would run out of memory
	}
	return fn.Call(in)
}

// newText makes a string.
func (ev *evaluator) newText(s *state, g *goroutine, t string) uint64 {
	if t == "" {
		return 0
	}
	p := g.alloc(int64(len(t)))
	for i := range t {
		s.store(p+uint64(i), 1, uint64(t[i]))
	}
	ev.rec.alloc(g, p, int64(len(t)))
	return p
}

func isCall(in ssa.CallInstruction) bool {
	_, ok := in.(*ssa.Call)
	return ok
}
