package replay

import (
	"fmt"
	"go/token"
	"os"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/instrument"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// outline is a function as its gates in the order of its code. A kept schedule names its gates by
// the outlines of their functions (RP4).
type outline struct {
	name  string // as in a stack trace
	pkg   string
	file  string // below the root of the module, with slashes
	gates []outlined
}

// outlined is one gate of a function.
type outlined struct {
	kind   string // of instruction
	expr   string // as in the source
	object string // the variable, field or element
	line   int    // lines below the function's first
	text   string // the line, for people; which of several like gates is meant may rest on it

	number int        // in the kept schedule; 0: no step is here
	pair   bool       // an access of the race is here
	site   trace.Site // in a plan
}

// How much two gates are the same: nearly, if only the variable or only the expression is; wholly,
// if the lines are, too.
const (
	nearly = 2
	wholly = 6
)

// same says how much two gates are the same instruction: on the same variable by the same
// expression, or one of these; 0: they are not.
func (g *outlined) same(h *outlined) int32 {
	switch {
	case g.kind != h.kind:
		return 0
	case g.expr == h.expr && g.object == h.object:
		if g.text == h.text {
			return wholly
		}
		return 5
	case g.object != "" && g.object == h.object, g.object == "" && g.expr != "" && g.expr == h.expr:
		return nearly
	}
	return 0
}

// alike reports whether two gates of different functions are the same line, and the same in it.
// What a function has for a variable, its literals have captured.
func (g *outlined) alike(h *outlined) bool {
	return g.kind == h.kind && g.expr == h.expr && g.text == h.text
}

// outlines are the outlines of a plan's functions, by FuncID; those of functions left as written
// are empty.
func outlines(p *plan.Plan, rel func(file string) string) []outline {
	all := make([]outline, len(p.Funcs))
	text := lineReader{}
	for i, f := range p.Funcs {
		all[i] = outline{name: f.Name, pkg: f.Pkg, file: rel(p.Files[f.File].Name)}
	}
	for s := range p.Sites {
		f, block, instr := p.FuncAt(trace.Site(s))
		if f == nil || block < 0 || instr < 0 {
			continue
		}
		in := f.SSA.Blocks[block].Instrs[instr]
		if _, ok := in.(*ssa.Defer); !ok && !instrument.Gated(in, &f.Blocks[block].Instrs[instr]) {
			continue
		}
		info := &p.Sites[s]
		all[f.ID].gates = append(all[f.ID].gates, outlined{
			kind: kindOf(in), expr: info.Expr, object: info.Object, line: int(info.Line - p.Funcs[f.ID].Line),
			text: text.line(p.Files[info.File].Name, int(info.Line)), site: trace.Site(s),
		})
	}
	return all
}

// kindOf is the kind of an instruction, as in a kept schedule.
func kindOf(in ssa.Instruction) string {
	switch in := in.(type) {
	case *ssa.UnOp:
		if in.Op == token.ARROW {
			return "receive"
		}
		return "load"
	case *ssa.MapUpdate:
		return "update"
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", in), "*ssa."))
}

// lineReader reads lines of files, each file once.
type lineReader map[string][]string

func (r lineReader) line(file string, n int) string {
	lines, ok := r[file]
	if !ok {
		data, _ := os.ReadFile(file)
		lines = strings.Split(string(data), "\n")
		r[file] = lines
	}
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[n-1])
}

// align finds for the gates of a function as it was those that they are in the function as it is
// (RP4): a common subsequence of like gates, in which the accesses of the race count most, then the
// gates of other steps, then those whose lines are alike. A step that changed places with an access
// is so left out, and not the access. The result has, for each of old, the index in now, or -1.
func align(old, now []outlined) []int {
	out := make([]int, len(old))
	for i := range out {
		out[i] = -1
	}
	from := 0
	for from < len(old) && from < len(now) && old[from].same(&now[from]) == wholly {
		out[from] = from
		from++
	}
	a, b := len(old), len(now)
	for a > from && b > from && old[a-1].same(&now[b-1]) == wholly {
		a, b = a-1, b-1
		out[a] = b
	}
	old, now = old[from:a], now[from:b]
	if len(old)*len(now) > maxAlign {
		return out
	}
	best := make([][]int32, len(old)+1) // of old[i:] and now[j:]
	for i := range best {
		best[i] = make([]int32, len(now)+1)
	}
	score := func(i, j int) int32 {
		w := old[i].same(&now[j])
		switch {
		case old[i].pair:
			w *= 256
		case old[i].number > 0:
			w *= 16
		}
		return w
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if s := score(i, j); s > 0 {
				best[i][j] = max(best[i][j], s+best[i+1][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(old) && j < len(now); {
		switch s := score(i, j); {
		case s > 0 && best[i][j] == s+best[i+1][j+1]:
			out[from+i] = from + j
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return out
}

// maxAlign bounds the work of comparing two versions of a function.
const maxAlign = 16 << 20

// likeness is how many gates of a function are in another, in hundredths; those that are but nearly
// the same count less.
func likeness(old, now *outline) int {
	if len(old.gates) == 0 {
		return 0
	}
	n := 0
	for i, j := range align(old.gates, now.gates) {
		switch {
		case j < 0:
		case old.gates[i].same(&now.gates[j]) > nearly:
			n += 100
		default:
			n += 80
		}
	}
	return n / max(len(old.gates), len(now.gates))
}
