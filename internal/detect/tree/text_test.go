package tree_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/detect"
	"github.com/presage-race/presage/internal/detect/tree"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

var update = flag.Bool("update", false, "write what the analyses say into the archives")

// TestText: for each archive of testdata/figures, the thesis's own, and of testdata/lost, on which
// its rules lose pairs, what each engine reports, and which events are dropped before it. Events
// have numbers from 1, as e₁, e₂ in the thesis, and its sites ①, ② are s1, s2. An archive is a
// comment, the trace, and what is said of it; a line for what the filter changes of the pairs has
// to be of the rules as written. With the filter, the pairs are the same.
func TestText(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := describe(t, section(a, "trace"))
			if *update {
				a.Files = []txtar.File{{Name: "trace", Data: section(a, "trace")}, {Name: "want", Data: []byte(got)}}
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(section(a, "want")), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func section(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// lookup is a trace with its names.
type lookup struct {
	events []trace.Event
	meta   *trace.Meta
}

func read(t *testing.T, text []byte) lookup {
	r := raw.NewReader(bytes.NewReader(text))
	l := lookup{}
	var e trace.Event
	for {
		if err := r.Next(&e); err != nil {
			if err.Error() != "EOF" {
				t.Fatal(err)
			}
			l.meta = r.Meta()
			return l
		}
		l.events = append(l.events, e)
	}
}

// describe runs the three engines, each without a filter, with it, and with the rules as written.
func describe(t *testing.T, text []byte) string {
	var out strings.Builder
	l := read(t, text)
	for _, engine := range []detect.Engine{detect.FastTrack, detect.Lockset, detect.Hybrid} {
		plain, _ := l.run(t, detect.Options{Engine: engine, NoFilter: true})
		fmt.Fprintf(&out, "%v: %s\n", engine, plain)
		say := func(name string, opt detect.Options) {
			opt.Engine = engine
			got, dropped := l.run(t, opt)
			fmt.Fprintf(&out, "\t%s drops %s", name, dropped)
			if got != plain {
				fmt.Fprintf(&out, ": %s", got)
				if name == "tree" {
					t.Errorf("%v: %s without the filter, %s with it", engine, plain, got)
				}
			}
			fmt.Fprintln(&out)
		}
		say("tree", detect.Options{})
		if engine == detect.FastTrack {
			say("span", detect.Options{Filter: tree.Options{Span: true}})
		}
		say("as written", detect.Options{AsWritten: true})
	}
	l.theta(t, &out)
	return out.String()
}

// run gives the pairs of sites, and the numbers of the events that were dropped.
func (l *lookup) run(t *testing.T, opt detect.Options) (pairs, dropped string) {
	opt.Joins = slices.ContainsFunc(l.events, func(e trace.Event) bool { return e.Kind == format.Join })
	d, err := detect.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	var numbers []string
	for i := range l.events {
		if d.Step(int64(i), &l.events[i]) {
			numbers = append(numbers, fmt.Sprint(i+1))
		}
	}
	var ps []string
	for _, p := range d.Pairs() {
		a, b := l.meta.Position(p.A.Site), l.meta.Position(p.B.Site)
		ps = append(ps, min(a, b)+"-"+max(a, b))
	}
	slices.Sort(ps)
	return orNone(strings.Join(ps, " ")), orNone(fmt.Sprintf("%d: %s", len(numbers), strings.Join(numbers, " ")))
}

func orNone(s string) string {
	if s == "" || s == "0: " {
		return "nothing"
	}
	return s
}

// theta prints Θ of each site by the rules as written, as Figure 3.6 does.
func (l *lookup) theta(t *testing.T, out *strings.Builder) {
	f, err := tree.New(tree.AsWritten, tree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	shape := tree.NewShape(f)
	var locks []trace.Addr // by number, less one
	known := make(map[trace.Addr]bool)
	var sites []trace.Site
	for i := range l.events {
		e := &l.events[i]
		switch e.Kind {
		case format.Lock, format.Unlock:
			if !known[e.Obj] {
				known[e.Obj] = true
				locks = append(locks, e.Obj)
			}
		case format.Alloc:
			delete(known, e.Obj) // another lock
		}
		if (e.Kind == format.Read || e.Kind == format.Write) && !slices.Contains(sites, e.Site) {
			sites = append(sites, e.Site)
		}
		shape.Step(e)
		f.Drop(e)
	}
	name := func(addr trace.Addr) string {
		for _, o := range l.meta.Objects {
			if o.Addr == addr {
				return o.Name
			}
		}
		return fmt.Sprintf("%#x", uint64(addr))
	}
	set := func(n uint32) (names []string) {
		for _, e := range shape.Elements(n) {
			names = append(names, name(locks[e/2-1])+[]string{"", "(shared)"}[e%2])
		}
		return names
	}
	for _, s := range sites {
		for _, line := range shape.Theta(s, set, l.meta.GoName) {
			fmt.Fprintf(out, "Θ of %s: %s\n", l.meta.Position(s), line)
		}
	}
}
