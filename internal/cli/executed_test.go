package cli

import (
	"io"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/trace"
)

// TestExecuted: in runs of random programs nothing that stands before an executed instruction on
// every way to it counts as missed.
func TestExecuted(t *testing.T) {
	loader := progtest.NewLoader()
	count := map[reach]int{}
	for seed := range uint64(300) {
		p, err := loader.Load(progtest.Generate(seed, progtest.Knobs{}))
		if err != nil {
			t.Fatal(err)
		}
		run, err := p.Record(seed)
		if err != nil {
			continue
		}
		var s sites
		src := &noting{run.Source(), &s, 1}
		for e := (trace.Event{}); err != io.EOF; err = src.Next(&e) {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, u := range p.Plan.Units {
			for _, f := range u.Funcs {
				for i, b := range f.SSA.Blocks {
					for j := range b.Instrs {
						in := instruction{f, &f.Blocks[i], b, j}
						if in.plan().Site == 0 {
							continue
						}
						is := s.executed(&in, true)
						count[is]++
						if bad := missedBefore(&s, in); is == executed && bad != nil {
							t.Fatalf("program %d: %v was executed, and %v before it was not:\n%s", seed, b.Instrs[j], bad, p.Source)
						}
					}
				}
			}
		}
	}
	for _, r := range []reach{executed, missed, unknown} {
		if count[r] == 0 {
			t.Errorf("no instruction of %v: %v", r, count)
		}
	}
}

// missedBefore finds an instruction that counts as missed among those that come before another one
// on every way.
func missedBefore(s *sites, in instruction) ssa.Instruction {
	last := in.index
	for b := in.at; b != nil; b = b.Idom() {
		for j, x := range b.Instrs[:min(last, len(b.Instrs))] {
			if s.executed(&instruction{in.f, &in.f.Blocks[b.Index], b, j}, true) == missed {
				return x
			}
		}
		last = len(b.Instrs)
	}
	return nil
}
