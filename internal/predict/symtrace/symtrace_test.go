package symtrace_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict/symtrace"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestSymbolicForm: in the symbolic traces of random programs a line defines the variable that has
// its number and no other, what it uses was defined before, by its own goroutine, and every access
// of the trace has its line.
func TestSymbolicForm(t *testing.T) {
	version := regexp.MustCompile(`([\w.\[\]]+)\^(\d+)`)
	numbered := regexp.MustCompile(`^ *(\d+): +(.*)$`)
	loader := progtest.NewLoader()
	defined, uses := 0, 0
	for seed := range uint64(500) {
		p, err := loader.Load(progtest.Generate(seed, progtest.Knobs{}))
		if err != nil {
			t.Fatal(err)
		}
		run, err := p.Record(seed)
		if err != nil {
			continue
		}
		dump := func() string {
			var out bytes.Buffer
			err := symtrace.Print(&out, p.Plan, func(f func(trace.Source) error) error { return f(run.Source()) })
			if err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		text := dump()
		if text != dump() || strings.Contains(text, "do not agree") {
			t.Fatalf("program %d: twice the same trace, two texts, or a walk that differs:\n%s\n%s", seed, p.Source, text)
		}
		here := map[string]bool{}
		for l := range strings.Lines(text) {
			if strings.HasPrefix(l, "goroutine") {
				clear(here)
			}
			m := numbered.FindStringSubmatch(strings.TrimRight(l, "\n"))
			if m == nil {
				continue
			}
			n, _ := strconv.Atoi(m[1])
			for _, v := range version.FindAllStringSubmatch(m[2], -1) {
				k, _ := strconv.Atoi(v[2])
				switch {
				case k == n:
					here[m[1]] = true
					defined++
				case k > n || !here[v[2]]:
					t.Fatalf("program %d: line %d uses %s, which is not defined before:\n%s\n%s", seed, n, v[0], p.Source, text)
				default:
					uses++
				}
			}
		}
		for i := range run.Events {
			e := &run.Events[i]
			if e.Kind.IsAccess() && e.Flags&(format.FlagNoValue|format.FlagMore|format.FlagStack|format.FlagOpaque) == 0 && !strings.Contains(text, fmt.Sprintf("#%d\n", i)) && e.Kind.IsWrite() {
				t.Fatalf("program %d: the write #%d has no line:\n%s\n%s", seed, i, p.Source, text)
			}
		}
	}
	if defined < 5000 || uses < 1000 {
		t.Errorf("only %d definitions and %d uses", defined, uses)
	}
}
