package offpath

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
)

// A goroutine that has returned from a call does not go on at it, unless a loop leads back there.
func TestGoesOn(t *testing.T) {
	p, err := progtest.NewLoader().Load(`package main

var x int

func inc() { x++ }
func dec() { x-- }
func once() { inc(); dec(); dec() }
func loop() {
	for {
		inc()
	}
}
func main() { once(); loop() }
`)
	if err != nil {
		t.Fatal(err)
	}
	calls, sites := map[string]flow.Frame{}, map[string]trace.Site{}
	for _, u := range p.Plan.Units {
		for _, f := range u.Funcs {
			for b, block := range f.SSA.Blocks {
				for i, in := range block.Instrs {
					if call, ok := in.(*ssa.Call); ok {
						name := f.SSA.Name() + " " + call.Call.StaticCallee().Name()
						for calls[name].Func != nil {
							name += " again"
						}
						calls[name], sites[name] = flow.Frame{Func: f.SSA, Block: b, Instr: i}, f.Blocks[b].Instrs[i].Site
					}
				}
			}
		}
	}
	for _, c := range []struct {
		at, returned string
		ok           bool
	}{
		{"once inc", "once inc", false},
		{"once dec", "once inc", true},
		{"once dec", "once dec", false},
		{"once dec again", "once dec", true},
		{"loop inc", "loop inc", true},
		{"main once", "main once", false},
		{"main loop", "main once", true},
		{"once inc", "", true},
	} {
		in := &subject{alt: &built.Way{Returned: sites[c.returned]}, snap: &flow.Snapshot{Program: p.Plan, Frames: []flow.Frame{calls[c.at]}}}
		if calls[c.at].Func == nil || c.returned != "" && sites[c.returned] == 0 {
			t.Fatalf("%s, %s: not in the program", c.at, c.returned)
		}
		if ok := func() (ok bool) {
			defer func() { ok = recover() == nil }()
			in.goesOn()
			return
		}(); ok != c.ok {
			t.Errorf("returned from %q, at %s: accepted %t", c.returned, c.at, ok)
		}
	}
}
