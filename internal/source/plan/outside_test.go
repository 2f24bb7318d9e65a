package plan

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/txtar"
)

const deferring = `-- go.mod --
module example.com/m

go 1.26
-- m.go --
package m

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
)

func leaf() {}

func none()                        { leaf() }
func typed(mu *sync.Mutex)         { mu.Lock(); defer mu.Unlock() }
func closes(c chan int)            { defer close(c) }
func emitted()                     { defer leaf() }
func Outside()                     { defer fmt.Println() }
func Value(f func())               { defer f() }
func Method(s fmt.Stringer)        { defer s.String() }
func Body(seq func(func(int) bool)) {
	for range seq {
		defer fmt.Println()
	}
}
func starts(f func(), wg *sync.WaitGroup) {
	go leaf()
	go func() {}()
	wg.Go(leaf)
	go f()
	go fmt.Println()
	wg.Go(f)
	wg.Wait()
}

func literal() { func() { defer fmt.Println() }() }

func apart(x float64, s string) {
	math.Sqrt(x)
	strings.ToUpper(s)
	time.Sleep(1)
	time.Now()
}

func touches(f func(rune) rune, s string, t time.Time) {
	strings.Map(f, s)
	fmt.Sprint(s)
	fmt.Sprint()
	t.String()
	time.After(1)
	f('x')
}
`

// TestDefers: of a function it is known whether it may defer calls of outside code; those that do
// have exported names, and a literal of one.
func TestDefers(t *testing.T) {
	p := New(load(t, txtar.Parse([]byte(deferring))), nil)
	for i := range p.Funcs {
		f := p.funcs[i]
		name := f.SSA.Name()
		want := name[0] >= 'A' && name[0] <= 'Z' || name == "literal$1"
		if got := p.Sites[f.Site].Defers; got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
}

// TestApart: a call is apart if it touches no memory that the program can have.
func TestApart(t *testing.T) {
	p := New(load(t, txtar.Parse([]byte(deferring))), nil)
	n := 0
	for _, f := range p.funcs {
		name := f.SSA.Name()
		if name != "apart" && name != "touches" {
			continue
		}
		for b, block := range f.SSA.Blocks {
			for i, in := range block.Instrs {
				if _, ok := in.(*ssa.Call); !ok {
					continue
				}
				n++
				if s := p.Sites[f.Blocks[b].Instrs[i].Site]; s.Apart != (name == "apart") {
					t.Errorf("%s: %s: %t", name, strings.TrimSpace(in.String()), s.Apart)
				}
			}
		}
	}
	if n != 10 {
		t.Errorf("%d calls", n)
	}
}

const pooling = `
-- go.mod --
module example.com/pooling

go 1.25
-- pooling.go --
package pooling

import (
	"fmt"
	"sync"
	"time"
)

func blind(p *sync.Pool, tm *time.Timer, x *int, f func()) {
	p.Put(x)
	time.AfterFunc(1, f)
	tm.Stop()
	tm.Reset(1)
	time.After(1)
}

func looks(p *sync.Pool, o *sync.Once, x *int, f func()) {
	p.Get()
	o.Do(f)
	fmt.Println(x)
	f()
	p.Put(*x)
	p.Put(any(x).(fmt.Stringer))
}
`

// TestBlind: a blind call looks at nothing that the program has stored, and calls none of its
// functions.
func TestBlind(t *testing.T) {
	p := New(load(t, txtar.Parse([]byte(pooling))), nil)
	n := 0
	for _, f := range p.funcs {
		for _, block := range f.SSA.Blocks {
			for _, in := range block.Instrs {
				call, ok := in.(*ssa.Call)
				if !ok {
					continue
				}
				if n++; Blind(&call.Call) != (f.SSA.Name() == "blind") {
					t.Errorf("%s: %v", f.SSA.Name(), call)
				}
			}
		}
	}
	if n != 11 {
		t.Errorf("%d calls", n)
	}
}

// TestStartsApart: the first three goroutines of starts enter an instrumented function at once.
func TestStartsApart(t *testing.T) {
	p := New(load(t, txtar.Parse([]byte(deferring))), nil)
	var got []bool
	for _, f := range p.funcs {
		for b, block := range f.SSA.Blocks {
			for i, in := range block.Instrs {
				switch in.(type) {
				case *ssa.Go, *ssa.Call:
					if f.SSA.Name() == "starts" {
						got = append(got, p.Sites[f.Blocks[b].Instrs[i].Site].Apart)
					}
				}
			}
		}
	}
	if want := []bool{true, true, true, false, false, false, false}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
