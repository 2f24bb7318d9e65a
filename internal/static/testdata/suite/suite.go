// Package suite runs methods as tests, found by reflection: they may call Parallel of the t that the suite holds (SY8). What implements Suite is known to its
// callers only; the package offers one type for it (LI10).
package suite

import (
	"reflect"
	"sync"
	"testing"
)

type Suite interface {
	SetT(t *testing.T)
	SetLocked(t *testing.T)
}

type Base struct {
	t      *testing.T
	mu     sync.Mutex
	locked *testing.T
}

func (b *Base) SetT(t *testing.T) { b.t = t } // want "set"

func (b *Base) SetLocked(t *testing.T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.locked = t
}

type runner interface {
	Run(name string, f func(t *testing.T)) bool
}

type entry struct {
	name string
	run  func(t *testing.T)
}

func runEntries(r runner, entries []entry) {
	for _, e := range entries {
		r.Run(e.name, e.run)
	}
}

// Run runs the methods of the suite.
func Run(t *testing.T, s Suite) {
	typ := reflect.TypeOf(s)
	var entries []entry
	for i := range typ.NumMethod() {
		m := typ.Method(i)
		entries = append(entries, entry{m.Name, func(t *testing.T) {
			s.SetT(t)
			s.SetLocked(t)
			defer func() {
				s.SetT(nil)
				s.SetLocked(nil)
			}()
			m.Func.Call([]reflect.Value{reflect.ValueOf(s)})
		}})
	}
	runEntries(t, entries)
}

// Reflection that gets no t cannot make the test parallel.
func TestReflect(t *testing.T) {
	n := 0
	for range 2 {
		t.Run("n", func(t *testing.T) {
			reflect.ValueOf(use).Call(nil)
			n++
		})
	}
}

func use() {}

// With t it can.
func TestReflectT(t *testing.T) {
	n := 0
	for range 2 {
		t.Run("n", func(t *testing.T) {
			reflect.ValueOf(check).Call([]reflect.Value{reflect.ValueOf(t)})
			n++ // want "reflect"
		})
	}
}

func check(t *testing.T) { t.Parallel() }

// Callbacks are given t, and are taken not to call Parallel.
func TestCallback(t *testing.T) {
	n := 0
	for _, c := range []struct{ check func(t *testing.T) }{{func(t *testing.T) { t.Log() }}} {
		t.Run("n", func(t *testing.T) {
			c.check(t)
			n++
		})
	}
}

// Sweeper is converted to by nobody: it is what the package offers. Rake does not implement it.
type Sweeper interface{ Sweep(deep bool) }

type Brush struct{ n int }

func (b *Brush) Sweep(deep bool) { b.n++ } // want "sweep"

type Rake struct{ n int }

func (r *Rake) Sweep() { r.n++ }

func RunSweepers(t *testing.T, s Sweeper) {
	for range 2 {
		t.Run("n", func(t *testing.T) {
			t.Parallel()
			s.Sweep(true)
		})
	}
}

// Cleaner is converted to: what is converted counts alone.
type Cleaner interface{ Clean() }

type Broom struct{ n int }

func (b *Broom) Clean() { b.n++ }

type none struct{}

func (none) Clean() {}

func RunCleaners(t *testing.T, c Cleaner) {
	for range 2 {
		t.Run("n", func(t *testing.T) {
			t.Parallel()
			c.Clean()
		})
	}
}

func TestCleaners(t *testing.T) { RunCleaners(t, none{}) }

// Each subtest has an object of its own.
func RunOwn(t *testing.T, make func() Sweeper) {
	for range 2 {
		s := make()
		t.Run("n", func(t *testing.T) {
			t.Parallel()
			s.Sweep(false)
		})
	}
}
