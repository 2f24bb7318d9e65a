package plan

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Fed reports whether a replay gives the results of a call that are numbers as they were recorded:
// a program must accept any answer of the clock and any random number, so an execution with the
// recorded answers is an execution of the program.
func Fed(c *ssa.CallCommon) bool {
	pkg, recv, name := calleeOf(c)
	switch pkg {
	case "time":
		return recv == "Time" || recv == "" && (name == "Since" || name == "Until")
	case "math/rand", "math/rand/v2":
		return recv == ""
	case "os":
		return name == "Getpid" || name == "Getppid"
	}
	return false
}

// FedHook reports whether a replay supplies a value that such a call records.
func FedHook(h *Hook) bool { return h.Size > 0 && h.Size <= 8 && h.Case < 0 && scalar(h.Type) }

// asks says which input the functions of a package return, except for those that are fed. An entry
// for a function comes before that of its package.
var asks = map[string]string{
	"time.Now": "", "time.": "", "time.Sleep": "the clock", "time.After": "the clock", "time.AfterFunc": "the clock", "time.NewTimer": "the clock",
	"time.NewTicker": "the clock", "time.Tick": "the clock", "time.Timer.Stop": "the clock", "time.Timer.Reset": "the clock",
	"context.WithTimeout": "the clock", "context.WithDeadline": "the clock", "context.WithTimeoutCause": "the clock", "context.WithDeadlineCause": "the clock",
	"crypto/rand.": "random numbers", "math/rand.": "random numbers", "math/rand/v2.": "random numbers",
	"os.": "the environment", "os/exec.": "another process", "os/user.": "the environment", "os/signal.": "signals", "syscall.": "the environment",
	"net.": "the network", "net/http.": "the network", "net/http/httptest.": "the network", "crypto/tls.": "the network",
	"runtime.NumGoroutine": "the scheduler", "runtime.Stack": "the scheduler", "runtime.ReadMemStats": "the scheduler", "runtime.GC": "the garbage collector",
	"runtime.SetFinalizer": "the garbage collector", "runtime.AddCleanup": "the garbage collector",
	"sync.Pool.Get": "what a sync.Pool has kept", "reflect.Select": "the choice of a select",
}

// Asks returns the kind of input that a call asks for and that a replay does not supply, "" if
// there is none, and the name of the callee.
func Asks(c *ssa.CallCommon) (what, name string) {
	pkg, recv, fn := calleeOf(c)
	if pkg == "" || Fed(c) {
		return "", ""
	}
	if recv != "" {
		fn = recv + "." + fn
	}
	name = pkg + "." + fn
	if what, ok := asks[name]; ok {
		return what, name
	}
	return asks[pkg+"."], name
}

// calleeOf names the function that is called, if it is known: its package, the type of its
// receiver, its name.
func calleeOf(c *ssa.CallCommon) (pkg, recv, name string) {
	fn := c.StaticCallee()
	if fn == nil {
		return "", "", ""
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return "", "", ""
	}
	if r := obj.Signature().Recv(); r != nil {
		t := r.Type()
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := types.Unalias(t).(*types.Named); ok {
			recv = n.Obj().Name()
		}
	}
	return obj.Pkg().Path(), recv, obj.Name()
}

// Pointed reports whether the hash of a value of type t depends on an address. The order of a map
// with such keys differs between processes.
func Pointed(t types.Type) bool {
	switch t := types.Unalias(t).Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Interface:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Array:
		return Pointed(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			if Pointed(t.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}
