package cli

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/static/place"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// This file compares accesses of the static lens with the instructions that a run has executed.
//
// An access of the static lens has a source position (package place). It corresponds to all
// instructions there that can have records. If some of them name the variable or field of the
// access, it corresponds only to these: x = y has one position for both variables.
//
// An instruction was executed if an event has its site, or the site of a later instruction of its
// block. It was not executed if every path to it has an instruction that always leaves an event and
// has left none: the function's entry, a block that has a record, or the instruction itself. The
// second rule holds only if the recording is complete. Otherwise it is unknown.

// sites are the sites of a run's events, with the goroutines that executed them.
type sites struct {
	by []visit // by number
}

// visit is the goroutine that executed a site.
type visit struct {
	who  int64 // a goroutine of a process; 0: none
	many bool  // others, too
}

func (s *sites) add(site trace.Site, who int64) {
	for int(site) >= len(s.by) {
		s.by = append(s.by, make([]visit, 1+len(s.by))...)
	}
	v := &s.by[site]
	v.many = v.many || v.who != 0 && v.who != who
	v.who = who
}

func (s *sites) has(site trace.Site) bool { return s.of(site).who != 0 }

func (s *sites) of(site trace.Site) visit {
	if int(site) >= len(s.by) {
		return visit{}
	}
	return s.by[site]
}

// apart reports whether the two sides may have been executed by two goroutines of one process: it
// is false only if all their events are of one.
func (s *sites) apart(sides [2][]instruction) bool {
	all := visit{}
	for _, list := range sides {
		for _, in := range list {
			v := s.of(in.plan().Site)
			if v.many || v.who == 0 || all.who != 0 && all.who != v.who {
				return true
			}
			all.who = v.who
		}
	}
	return false
}

// noting is a trace that notes the sites of the events that are read from it.
type noting struct {
	trace.Source
	seen *sites
	file int64 // the number of the trace
}

func (n *noting) Next(e *trace.Event) error {
	err := n.Source.Next(e)
	if err == nil {
		who := n.file<<32 | int64(e.G) + 1
		n.seen.add(e.Site, who)
		if e.Kind == format.Enter {
			n.seen.add(trace.Site(e.Val), who) // of the call
		}
	}
	return err
}

// instruction is one of the recorded program.
type instruction struct {
	f     *plan.Func
	block *plan.Block
	at    *ssa.BasicBlock
	index int
}

func (in *instruction) plan() *plan.Instr { return &in.block.Instrs[in.index] }

// instructionsAt finds the instructions at the wanted positions, in the order of the plan. It is
// linear in the program.
func instructionsAt(p *plan.Plan, wanted map[token.Position]bool) map[token.Position][]instruction {
	lines := map[string]bool{}
	for pos := range wanted {
		lines[pos.Filename] = true
	}
	found := map[token.Position][]instruction{}
	for _, u := range p.Units {
		fset := u.Pkg.Fset
		if !lines[fset.Position(u.Node.Pos()).Filename] {
			continue
		}
		for _, f := range u.Funcs {
			for i, b := range f.SSA.Blocks {
				for j, in := range b.Instrs {
					if f.Blocks[i].Instrs[j].Site == 0 {
						continue
					}
					pos := fset.Position(place.Of(in))
					pos.Offset = 0
					if wanted[pos] {
						found[pos] = append(found[pos], instruction{f, &f.Blocks[i], b, j})
					}
				}
			}
		}
	}
	return found
}

// narrowed are those of the instructions that name what the static lens names, if there are any
// .
func narrowed(p *plan.Plan, list []instruction, expr string) []instruction {
	name := lastName(expr)
	var out []instruction
	for _, in := range list {
		if name != "" && lastName(p.Sites[in.plan().Site].Expr) == name {
			out = append(out, in)
		}
	}
	if len(out) == 0 {
		return list
	}
	return out
}

// lastName is the last identifier of an expression, without the indices after it: "n" of s.n, of
// s.n[…] and of len(s.n).
func lastName(expr string) string {
	for {
		switch {
		case strings.HasSuffix(expr, ")"):
			expr = expr[:len(expr)-1]
			continue
		case strings.HasSuffix(expr, "]"):
			depth, i := 0, len(expr)-1
			for ; i > 0; i-- {
				if expr[i] == ']' {
					depth++
				} else if expr[i] == '[' {
					depth--
				}
				if depth == 0 {
					break
				}
			}
			expr = expr[:i]
			continue
		}
		i := strings.LastIndexFunc(expr, func(r rune) bool { return strings.ContainsRune(".*&(<- ", r) })
		return expr[i+1:]
	}
}

// reach is whether an instruction was executed.
type reach uint8

const (
	unknown reach = iota
	executed
	missed
)

// executed looks at one instruction. whole: the recording is.
func (s *sites) executed(in *instruction, whole bool) reach {
	for _, x := range in.block.Instrs[in.index:] {
		if x.Site != 0 && s.has(x.Site) {
			return executed
		}
	}
	if !whole || in.f.Unit.Opaque != "" || in.at == in.f.SSA.Recover {
		return unknown
	}
	if !s.has(in.f.Site) {
		return missed
	}
	last := in.index
	for b := in.at; b != nil; b = b.Idom() {
		block := &in.f.Blocks[b.Index]
		if block.Recorded && !s.has(block.Site) {
			return missed
		}
		for i := 0; i <= last && i < len(block.Instrs); i++ {
			if x := &block.Instrs[i]; certain(x, b.Instrs[i]) && !s.has(x.Site) {
				return missed
			}
		}
		last = len(block.Instrs)
	}
	return unknown
}

// certain reports whether an instruction has an event whenever it is executed. Accesses of maps,
// which may be nil, and of ranges of elements, which may be empty, need not have one, nor has what
// a type parameter may make empty.
func certain(p *plan.Instr, in ssa.Instruction) bool {
	if p.Site == 0 {
		return false
	}
	if p.Opaque {
		return true
	}
	if c, ok := in.(*ssa.Call); ok && p.Call {
		if callee := c.Call.StaticCallee(); plan.Typed(callee) && callee.Pkg != nil && callee.Pkg.Pkg.Path() == "sync/atomic" {
			return true
		}
	}
	for _, hooks := range [][]plan.Hook{p.Before, p.After} {
		for _, h := range hooks {
			if h.Extent == plan.Pointee && h.Case < 0 && h.Size > 0 {
				return true
			}
		}
	}
	return false
}

// any is executed if one of the instructions was, and missed if none was.
func (s *sites) any(list []instruction, whole bool) reach {
	all := missed
	for i := range list {
		switch s.executed(&list[i], whole) {
		case executed:
			return executed
		case unknown:
			all = unknown
		}
	}
	if len(list) == 0 {
		return unknown
	}
	return all
}
