package outsidetest

import "slices"

// Shrink returns a smaller program and schedule for which fails still holds. It removes
// instructions and steps one after the other, until none can be removed.
func Shrink(p *Program, schedule []int, fails func(*Program, []int) bool) (*Program, []int) {
	for again := true; again; {
		again = false
		for g := range p.Code {
			for pc := range p.Code[g] {
				if q := p.without(g, pc); q != nil && fails(q, schedule) {
					p, again = q, true
				}
			}
		}
		for i := len(schedule) - 1; i >= 0; i-- {
			if s := slices.Delete(slices.Clone(schedule), i, i+1); fails(p, s) {
				schedule, again = s, true
			}
		}
	}
	return p, schedule
}

// without is the program without an instruction; without a call or a callback if that is empty. It
// is nil if the instruction has to stay.
func (p *Program) without(g, pc int) *Program {
	q := *p
	q.Code = slices.Clone(p.Code)
	code := slices.Clone(p.Code[g])
	q.Code[g] = code
	switch code[pc].Op {
	case Nop, Return, Leave, End, Go:
		return nil
	case Call, Enter:
		end := pc + 1
		for code[end].Op == Nop {
			end++
		}
		if code[end].Op != Return && code[end].Op != Leave {
			return nil
		}
		code[end] = Instr{Dst: -1, Src: -1}
	}
	code[pc] = Instr{Dst: -1, Src: -1}
	return &q
}
