package online

import (
	"cmp"
	"os"
	"strings"

	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Sites finds the plan's sites by line.
type Sites struct {
	plan  *plan.Plan
	lines map[place][]site
	text  map[string][]string
}

type place struct {
	file string
	line int
}

type site struct {
	trace.SiteInfo
	reads, writes, calls bool
}

// NewSites indexes a plan. If it is nil, no site is known.
func NewSites(p *plan.Plan) *Sites {
	s := &Sites{plan: p, lines: make(map[place][]site), text: make(map[string][]string)}
	if p == nil {
		return s
	}
	for _, u := range p.Units {
		for _, f := range u.Funcs {
			for _, b := range f.Blocks {
				for i := range b.Instrs {
					s.add(&b.Instrs[i])
				}
			}
		}
	}
	return s
}

func (s *Sites) add(in *plan.Instr) {
	if in.Site == 0 {
		return
	}
	x := site{SiteInfo: s.plan.Sites[in.Site], calls: in.Call}
	for _, hooks := range [][]plan.Hook{in.Before, in.After} {
		for _, h := range hooks {
			x.reads = x.reads || h.Kind == format.Read
			x.writes = x.writes || h.Kind == format.Write
		}
	}
	if x.File < 0 || !x.reads && !x.writes && !x.calls {
		return
	}
	at := place{s.plan.Files[x.File].Name, int(x.Line)}
	s.lines[at] = append(s.lines[at], x)
}

// of lists the possible sites of an access.
func (s *Sites) of(kind string, stack []Frame) []site {
	if len(stack) == 0 {
		return nil
	}
	var list []site
	for _, x := range s.lines[place{stack[0].File, stack[0].Line}] {
		if kind == "read" && x.reads || kind == "write" && x.writes || strings.HasPrefix(kind, "atomic") && x.calls {
			list = append(list, x)
		}
	}
	return list
}

// AddTo adds a race of the detector to a report: as a race if it is the first of its location, else
// as a candidate.
func (s *Sites) AddTo(set *report.Set, f *Found) {
	x, y := match(s.of(f.Kind, f.At), s.of(f.OldKind, f.Old))
	a := s.access(f.Kind, report.Goroutine{ID: f.G, Parent: f.From, Created: frames(f.Created)}, f.At, x)
	b := s.access(f.OldKind, report.Goroutine{ID: f.OldG, Parent: f.OldFrom, Created: frames(f.OldBy)}, f.Old, y)
	object := cmp.Or(x.Object, y.Object, x.Expr, y.Expr)
	if f.First {
		set.Add(report.Race{Tier: report.Observed, A: a, B: b, Object: object, Count: 1})
		return
	}
	set.AddCandidate(report.Candidate{A: a, B: b, Object: object, Count: 1})
}

// match returns the first two sites with the same object, or else the first of each list.
func match(a, b []site) (x, y site) {
	for _, x := range a {
		for _, y := range b {
			if x.Object != "" && x.Object == y.Object {
				return x, y
			}
		}
	}
	if len(a) > 0 {
		x = a[0]
	}
	if len(b) > 0 {
		y = b[0]
	}
	return x, y
}

func (s *Sites) access(kind string, g report.Goroutine, stack []Frame, x site) report.Access {
	a := report.Access{Kind: kind, Expr: x.Expr, Goroutine: g, Stack: frames(stack)}
	if len(stack) == 0 {
		return a
	}
	a.Func = stack[0].Func
	a.Position = report.Position{File: stack[0].File, Line: stack[0].Line, Col: int(x.Col)}
	if len(a.Stack) > 0 {
		a.Stack[0].Col = int(x.Col)
	}
	if x.Line != 0 {
		a.Func = s.plan.Funcs[x.Func].Name
		a.Key = report.AccessKey(&s.plan.Funcs[x.Func], &x.SiteInfo, kind)
	}
	a.Source = s.source(stack[0].File, stack[0].Line)
	return a
}

// frames converts a stack, without the frames of the runtime that start a goroutine.
func frames(stack []Frame) []report.Frame {
	var out []report.Frame
	for _, f := range stack {
		if f.Func != "runtime.goexit" && f.Func != "runtime.main" && f.Func != "runtime.newproc" {
			out = append(out, report.Frame{Func: f.Func, Position: report.Position{File: f.File, Line: f.Line}})
		}
	}
	return out
}

func (s *Sites) source(file string, line int) string {
	text, ok := s.text[file]
	if !ok {
		if data, err := os.ReadFile(file); err == nil {
			text = strings.Split(string(data), "\n")
		}
		s.text[file] = text
	}
	if line < 1 || line > len(text) {
		return ""
	}
	return strings.TrimSpace(text[line-1])
}
