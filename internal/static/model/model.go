// Package model is the table of functions whose meaning is known and which are not summarised:
// locks, synchronisation, atomics, functions that start goroutines.
//
// A function of the table means what its row says, whatever its body does. A starter makes a
// goroutine of one of its arguments, or calls it; a starter that may be called several times makes
// several. The functions given to Run and Fuzz of package testing are goroutines too (package
// symbolic, SY8).
//
// Functions of packages that only print, format or log synchronise on their own, and are taken to
// access nothing. A function that prints to a Writer calls its Write, however.
//
// Handlers of requests and events are stored in a field, or converted to a type, of the table
// Entries: goroutines begin with them. Hashes, ciphers and sources of random numbers are changed by
// their methods, which call others through interfaces: the row stands for the text.
package model

import "strings"

// Op is what a function does.
type Op int

const (
	None Op = iota
	Lock
	Unlock
	RLock
	RUnlock
	TryLock
	TryRLock
	RLocker
	Done     // of a WaitGroup
	Wait     // of a WaitGroup
	Go       // of a WaitGroup: start argument 1, which is done at its end
	OnceDo   // call argument 1 once
	Call     // call the argument
	Start    // start the argument as a goroutine
	Starts   // start the argument as a goroutine, many times
	Load     // atomic
	Store    // atomic
	Update   // atomic
	Swap     // atomic: compare and swap
	Exchange // atomic: set, and return what was there
	Silent   // nothing that matters here
	Add      // of a WaitGroup
	Exits    // does not return
	PoolGet  // yields an object that no one else has
	Test     // execute the argument as a test, and wait for it or for its call of Parallel
	Tests    // the same, many times one after the other
	Parallel // of a test: let the one that runs this test go on, and wait until it has returned
	Workers  // start the argument as a goroutine, many times, and wait for all
	Reflect  // call what is not known
	Changes  // write the receiver
	Prints   // write to the argument, an io.Writer
	Await    // wait on a Cond
	Signal   // wakes goroutines that wait on a Cond
	Hand     // give the argument to code that is not known
)

// Row is what the table says of a function.
type Row struct {
	Op  Op
	Arg int // the argument that is called or started; the receiver counts
}

var table = map[string]Row{
	"(*sync.Mutex).Lock": {Op: Lock}, "(*sync.Mutex).Unlock": {Op: Unlock}, "(*sync.Mutex).TryLock": {Op: TryLock},
	"(*sync.RWMutex).Lock": {Op: Lock}, "(*sync.RWMutex).Unlock": {Op: Unlock}, "(*sync.RWMutex).TryLock": {Op: TryLock},
	"(*sync.RWMutex).RLock": {Op: RLock}, "(*sync.RWMutex).RUnlock": {Op: RUnlock}, "(*sync.RWMutex).TryRLock": {Op: TryRLock},
	"(*sync.RWMutex).RLocker": {Op: RLocker},
	"(*sync.WaitGroup).Add":   {Op: Add}, "(*sync.WaitGroup).Done": {Op: Done}, "(*sync.WaitGroup).Wait": {Op: Wait},
	"(*sync.WaitGroup).Go": {Go, 1},
	"(*sync.Once).Do":      {OnceDo, 1},
	"(*sync.Cond).Wait":    {Op: Await}, "(*sync.Cond).Signal": {Op: Signal}, "(*sync.Cond).Broadcast": {Op: Signal},
	"sync.NewCond":     {Op: PoolGet},
	"(*sync.Pool).Get": {Op: PoolGet}, "(*sync.Pool).Put": {Op: Silent},

	"(*golang.org/x/sync/errgroup.Group).Go":    {Go, 1},
	"(*golang.org/x/sync/errgroup.Group).TryGo": {Go, 1},
	"(*golang.org/x/sync/errgroup.Group).Wait":  {Op: Wait},

	"time.AfterFunc":                  {Start, 1},
	"runtime.SetFinalizer":            {Start, 1},
	"runtime.AddCleanup":              {Start, 1},
	"net/http.HandleFunc":             {Starts, 1},
	"(*net/http.ServeMux).HandleFunc": {Starts, 2},
	"context.AfterFunc":               {Start, 1},

	"(*testing.T).Run": {Test, 2}, "(*testing.B).Run": {Test, 2}, "(*testing.F).Fuzz": {Tests, 1}, "(*testing.T).Parallel": {Op: Parallel},
	"(*testing.B).RunParallel": {Workers, 1}, "testing/synctest.Test": {Call, 1}, "testing/synctest.Run": {Call, 0},
	"internal/synctest.Run": {Call, 0},

	"fmt.Fprint": {Prints, 0}, "fmt.Fprintf": {Prints, 0}, "fmt.Fprintln": {Prints, 0},

	"(reflect.Value).Call": {Op: Reflect}, "(reflect.Value).CallSlice": {Op: Reflect}, "reflect.ValueOf": {Op: Hand},

	"os.Exit": {Op: Exits}, "runtime.Goexit": {Op: Exits}, "log.Fatal": {Op: Exits}, "log.Fatalf": {Op: Exits},
	"(*testing.common).Fatal": {Op: Exits}, "(*testing.common).Fatalf": {Op: Exits}, "(*testing.common).FailNow": {Op: Exits},
	"(*testing.common).Skip": {Op: Exits}, "(*testing.common).Skipf": {Op: Exits}, "(*testing.common).SkipNow": {Op: Exits},
}

// silent packages print, format or log.
var silent = map[string]bool{
	"fmt": true, "log": true, "log/slog": true, "testing": true, "os": true, "errors": true, "runtime": true, "runtime/debug": true,
	"strconv": true, "strings": true, "context": true, "k8s.io/klog/v2": true, "go.uber.org/zap": true, "github.com/go-logr/logr": true,
	"unicode/utf8": true, "sync": true, "internal/race": true, "net": true,
}

// Lookup returns the row of a function, by its key and the path of its package.
func Lookup(key, pkg string) Row {
	if r, ok := table[key]; ok {
		return r
	}
	if strings.HasPrefix(key, "(*math/rand.Rand).") || strings.HasPrefix(key, "(*math/rand/v2.Rand).") {
		return Row{Op: Changes}
	}
	if pkg == "sync/atomic" {
		return Row{Op: AtomicOf(key)}
	}
	if silent[pkg] && !strings.HasPrefix(key, "(*strings.Builder)") {
		return Row{Op: Silent}
	}
	return Row{}
}

// changing are interfaces of the standard library whose methods change what they are called on,
// whatever it is.
var changing = map[string]bool{"hash.Hash": true, "hash.Hash32": true, "hash.Hash64": true, "math/rand.Source": true, "math/rand.Source64": true, "math/rand/v2.Source": true,
	"crypto/cipher.Stream": true}

// Changing reports whether a method of an interface changes what it is called on.
func Changing(iface, method string) bool {
	return changing[iface] && method != "Size" && method != "BlockSize"
}

// AtomicOf says what a function or method of sync/atomic does.
func AtomicOf(key string) Op {
	name := key[strings.LastIndexByte(key, '.')+1:]
	switch {
	case strings.HasPrefix(name, "Load"):
		return Load
	case strings.HasPrefix(name, "Store"):
		return Store
	case strings.HasPrefix(name, "CompareAndSwap"):
		return Swap
	case strings.HasPrefix(name, "Swap"):
		return Exchange
	}
	return Update
}

// Locker returns the operation of a method of an interface that has Lock and Unlock.
func Locker(method string) Op {
	switch method {
	case "Lock":
		return Lock
	case "Unlock":
		return Unlock
	case "RLock":
		return RLock
	case "RUnlock":
		return RUnlock
	case "TryLock":
		return TryLock
	}
	return None
}
