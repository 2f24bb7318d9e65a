package replay

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/raw"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

// TestSteps makes the schedules of witnesses of hand-written traces. The first line of a trace is
// the witness: where it begins, and its order; "recorded", if the recorded run is the execution. A
// line "path g2 3" begins what g2 does in place of event 3 and what follows, "path g2 end" what it
// does after all its events. A line of want is a step: goroutine, kind, site; how often its gate is
// passed before; its flags. Stops come last.
func TestSteps(t *testing.T) {
	const name = "testdata/steps.txtar"
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for k := 0; k+1 < len(a.Files); k += 2 {
		got := stepsOf(t, string(a.Files[k].Data))
		if *update {
			a.Files[k+1].Data = []byte(got)
		} else if d := cmp.Diff(string(a.Files[k+1].Data), got); d != "" {
			t.Errorf("%s: %s\n%s", a.Files[k].Name, d, a.Files[k].Data)
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func stepsOf(t *testing.T, text string) string {
	t.Helper()
	head, text, _ := strings.Cut(text, "\n")
	var w Witness
	for i, f := range strings.Fields(head) {
		n, err := strconv.ParseInt(f, 10, 64)
		switch {
		case f == "recorded":
			w.Recorded = true
		case err != nil:
			t.Fatal(err)
		case i == 0:
			w.From = n
		default:
			w.Order = append(w.Order, n)
		}
	}
	var paths []string // their first lines
	var lines []string // of events
	var starts []int   // by path: the first of its lines
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "path ") {
			paths, starts = append(paths, line), append(starts, len(lines))
		} else {
			lines = append(lines, line)
		}
	}
	events, meta, err := raw.Parse(strings.Join(lines, ""))
	if err != nil {
		t.Fatal(err)
	}
	starts = append(starts, len(events))
	for i, p := range paths {
		f := strings.Fields(p)
		before, err := strconv.ParseInt(f[2], 10, 64)
		path := Path{G: events[starts[i]].G, Before: before, Ended: err != nil, Steps: events[starts[i]:starts[i+1]]}
		if path.Ended {
			path.Before = int64(starts[0])
		}
		w.Paths = append(w.Paths, path)
	}
	events = events[:starts[0]]
	s, err := newSchedule(w, meta, func() (trace.Source, io.Closer, error) {
		return &list{events: events}, io.NopCloser(nil), nil
	})
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for _, st := range append(s.steps[:len(s.steps):len(s.steps)], s.stops...) {
		fmt.Fprintf(&b, "%d %s @%s", s.gates[st.gate].g, st.kind, meta.Sites[st.site].Name)
		if st.skip > 0 {
			fmt.Fprintf(&b, " after %d", st.skip)
		}
		for i, f := range []string{"early", "parks", "mark", "held", "stops"} {
			if st.flags&(1<<i) != 0 {
				b.WriteString(" " + f)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

type list struct{ events []trace.Event }

func (l *list) Next(e *trace.Event) error {
	if len(l.events) == 0 {
		return io.EOF
	}
	*e, l.events = l.events[0], l.events[1:]
	return nil
}

func (l *list) Meta() *trace.Meta { return nil }
