package plan

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Fed reports whether a replay gives the results of a call that are numbers as they were recorded:
// what the clock and the random numbers of the process answer is any program's to accept, so an
// execution with these answers is one of the program.
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

// FedHook reports whether a value that such a call records is given.
func FedHook(h *Hook) bool { return h.Size > 0 && h.Size <= 8 && h.Case < 0 && scalar(h.Type) }

// asks says what the functions of a package are asked for, but those that are fed. An entry for a
// function comes before that of its package.
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

// Asks says what a call asks for that a replay does not give, "" if nothing, and the name of what
// is called.
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

// Pointed reports whether a value of type t is hashed by where something is: the order of a map
// with such keys is another one in each process.
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
