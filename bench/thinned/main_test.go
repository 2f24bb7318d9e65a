package main

import (
	"os"
	"strings"
	"testing"
)

// built is the program with the recorder inside.
func built(t *testing.T) *program {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped by -short: builds the standard library with the recorder inside")
	}
	p, err := build(t.Context(), t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestThinned runs some hundred random programs, and the steps of the faults that the judge has
// found.
func TestThinned(t *testing.T) {
	p := built(t)
	t.Run("random", func(t *testing.T) {
		got, err := p.judge(t.Context(), 1, 300, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(got)
		if got.differ() {
			var text strings.Builder
			got.print(&text)
			t.Error(text.String())
		}
		if got.racy < 50 || got.racy > 250 {
			t.Error("too few programs have races, or too few have none, to tell anything")
		}
	})
	for _, c := range []struct {
		name, steps string
		racing      int // bytes: the hooks of the compiler say where a number begins, and not how large it is
	}{
		// The write of an earlier turn was taken for one of the turn that the second read
		// began.
		{"read ends turn", "1w0 2w0 1r0 2r0 2w0", 1},
		{"read ends turn, ordered", "1w0 1s0 2c0 2w0 1r0 2r0 2w0", 1},
		// The word was marked after the other goroutine knew of the atomic operation.
		{"atomic", "1r0 2A0 1r0 1o0 1r0", 1},
		{"atomic, outside code first", "1r1 2c1 1w0 2O0 1o0 1w0", 1},
		{"no race", "1w0 1s0 2c0 2w0 2s1 1c1 1r0", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := p.compare(t.Context(), []string{"steps", c.steps}, 1)
			if err != nil {
				t.Fatal(err)
			}
			if got.differ() || got.locations != c.racing {
				var text strings.Builder
				got.print(&text)
				t.Errorf("%s: %d racing locations, want %d\n%s", c.steps, got.locations, c.racing, text.String())
			}
		})
	}
}

// TestLitmus runs programs that aim at one moment of the recorder each.
func TestLitmus(t *testing.T) {
	p := built(t)
	for _, args := range [][]string{
		{"filled", "1000"}, {"collected", "0"}, {"atomic", "0"}, {"looked", "300000"},
		{"looked", "1000"}, {"looked", "1500"}, {"looked", "1500"}, {"looked", "2000"},
	} {
		t.Run(args[0]+"/"+args[1], func(t *testing.T) {
			got, err := p.compare(t.Context(), args, 1)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(got)
			if got.differ() {
				var text strings.Builder
				got.print(&text)
				t.Error(text.String()[:min(len(text.String()), 2000)])
			}
			if args[1] != "1000" && args[1] != "1500" && args[1] != "2000" && got.locations == 0 {
				t.Error("no race: the program shows nothing")
			}
		})
	}
}

// TestFaultsFit holds the faults against the recorder as it is.
func TestFaultsFit(t *testing.T) {
	for _, f := range faults {
		if f.file == "" {
			continue
		}
		text, err := os.ReadFile("../../internal/rt/_std/runtime/presage_" + f.file + ".go")
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), f.old); n != 1 {
			t.Errorf("%s: %d places like this, not one: %s", f.name, n, f.old)
		}
	}
}
