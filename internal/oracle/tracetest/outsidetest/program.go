package outsidetest

import (
	"fmt"
	"strings"

	"github.com/presage-race/presage/internal/trace"
)

// Op is the operation of an instruction.
type Op uint8

// The operations. dst and src are registers, v is what is in src, xor K; K alone without src.
const (
	Nop Op = iota

	Read      // dst = memory
	Write     // memory = v
	MapSet    // memory = a function of v and memory, as in a map: recorded as a write
	AtomRead  // dst = memory
	AtomWrite // memory = v
	Xor       // dst = memory, memory ^= K
	Swap      // CompareAndSwap(K, K^1), dst: whether it did

	Lock
	Unlock
	RLock
	RUnlock
	TryLock // dst: whether it succeeded
	Add     // K, or -K with Src 1: of a WaitGroup
	Wait
	Once // if the function has run, jump to To
	OnceEnd
	Send // v
	Recv // dst
	Len  // dst = number of elements
	Poll // receive in a select with a default: dst, or 3

	Change // a file: file = v
	Look   // dst = file
	Count  // dst = number of goroutines

	Go  // starts goroutine Obj, with arguments
	End // of the goroutine

	// Operations that other goroutines cannot observe.

	Set    // dst = v
	If     // if src is not K, jump to To
	Jump   // jump to To
	Call   // of outside code, with arguments
	Return // from outside code, with results
	Enter  // inside code that outside code calls back, with arguments
	Leave  // inside code, with results
	Stop   // a panic, or Goexit: to To, in inside code

	numOps
)

var opNames = [numOps]string{
	"nop", "read", "write", "mapset", "aread", "awrite", "xor", "swap",
	"lock", "unlock", "rlock", "runlock", "trylock", "add", "wait", "once", "onceend",
	"send", "recv", "len", "poll", "change", "look", "count", "go", "end",
	"set", "if", "jump", "call", "return", "enter", "leave", "stop",
}

// Instr is an instruction.
type Instr struct {
	Op       Op
	Outside  bool
	Narrow   bool // an access whose hook has its address but not its size
	Obj      int  // variable, lock, WaitGroup, Once, channel, goroutine
	Dst, Src int  // registers; -1: none
	K        uint8
	To       int      // instruction
	Args     [][2]int // registers: to, from
}

const (
	registers = 9
	bank      = 3 // registers of a frame
	values    = 4
)

// Program has goroutines and what they share. Goroutine 0 runs from the start.
type Program struct {
	Code    [][]Instr
	Whole   []bool // by goroutine: all of its code is outside code
	Vars    int
	Locks   int
	Groups  int
	Onces   int
	Chans   []int  // capacities
	NoValue []bool // by channel: what is sent is not recorded
}

// Site is that of an instruction.
func (p *Program) Site(g, pc int) trace.Site {
	n := pc + 1
	for _, c := range p.Code[:g] {
		n += len(c)
	}
	return trace.Site(n)
}

// place is the goroutine and the instruction of a site.
func (p *Program) place(s trace.Site) (g, pc int) {
	pc = int(s) - 1
	for pc >= len(p.Code[g]) {
		pc -= len(p.Code[g])
		g++
	}
	return g, pc
}

// Describe is the instruction of a site.
func (p *Program) Describe(s trace.Site) string {
	g, pc := p.place(s)
	return fmt.Sprintf("g%d %d: %s", g+1, pc, &p.Code[g][pc])
}

func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "channels %v, without values %v\n", p.Chans, p.NoValue)
	for g, code := range p.Code {
		for pc := range code {
			if code[pc].Op != Nop {
				fmt.Fprintf(&b, "g%d %2d @%-3d %s\n", g+1, pc, p.Site(g, pc), &code[pc])
			}
		}
	}
	return b.String()
}

func (in *Instr) String() string {
	var b strings.Builder
	if in.Outside {
		b.WriteString("    ")
	}
	fmt.Fprintf(&b, "%s obj=%d dst=%d src=%d k=%d", opNames[in.Op], in.Obj, in.Dst, in.Src, in.K)
	if in.To > 0 {
		fmt.Fprintf(&b, " to=%d", in.To)
	}
	if len(in.Args) > 0 {
		fmt.Fprintf(&b, " args=%v", in.Args)
	}
	if in.Narrow {
		b.WriteString(" narrow")
	}
	return b.String()
}

// local reports whether other goroutines cannot observe the operation.
func (o Op) local() bool { return o >= Set || o == Nop }

// access reports whether the operation accesses memory, whether atomically, and whether it counts
// as a write.
func (o Op) access() (is, atomic, write bool) {
	return o >= Read && o <= Swap, o >= AtomRead && o <= Swap, o == Write || o == MapSet || o >= AtomWrite && o <= Swap
}
