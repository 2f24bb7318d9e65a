package regcode

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// A Code is one function prepared for the machines: its SSA values have numbered registers, its
// operands are resolved, and each instruction has the records of package plan. It is immutable,
// except for what Live keeps.
type Code struct {
	Plan   *plan.Func
	Sizes  types.Sizes
	Texts  *expr.Texts // contents of string constants
	Params []int32     // registers of the parameters that have records (plan.Func.Params)
	Args   []int32     // registers of all parameters
	Blocks []Block
	Regs   int32 // number of registers
	Cells  []int64
	Length int // number of instructions and of their records

	// ResultsMayChange reports that a result is loaded from memory before the deferred calls run,
	// which may write it (package plan).
	ResultsMayChange bool

	liveness *liveness // made by the first call of Live
}

type Block struct {
	Site     trace.Site
	Recorded bool
	Phis     []*Instr
	Instrs   []Instr
	Succs    []Edge
}

// An Edge leads to a block; pred is its number among the block's predecessors.
type Edge struct{ To, Pred int32 }

// An Instr is one instruction. Its result is in register Reg; the components of a tuple are in the
// N registers from Reg on.
type Instr struct {
	SSA     ssa.Instruction
	Op      Opcode
	Site    trace.Site
	Reg, N  int32
	Args    []Arg // in the order of ssa.Instruction.Operands
	Pins    uint64
	Wants   []Want
	Cell    int32 // the local variable that is loaded, stored, allocated or pointed to; -1: none
	Size    int64 // of the result, or of the value stored; -1: depends on type parameters
	Offsets []int64
	Index   int
	Kind    types.BasicKind // of the first operand
	Kind2   types.BasicKind // of the second operand, or of the result
	Elem    int64           // size of an element, or of the variable that is allocated
	Type    types.Type      // type of the first operand
	Free    []Arg           // free variables of a closure that is called
	callee  *ssa.Function
	Std     *Std // a call of a function of the standard library that is evaluated
	Log     *Log // a call that prints operands which nothing reads
	Own     bool // a store of an operand of such a call

	Fused          bool
	Reaches        bool // an opaque call that may read memory of the goroutine
	Dynamic        bool // a call through a function value or an interface
	Maybe          bool // a call that may be one of a typed operation
	CallsBack      bool // a typed call that may enter instrumented code
	Atomic         bool // a call of sync/atomic
	CompareAndSwap bool // CompareAndSwap
	Appends        bool // append, of elements of a known size (WA5)
	Recorded       bool // the result, or every component that is used, has a Value record
	Extract        bool
	Stays          bool // the allocation of a variable that only walked code reaches (stays.go)
	vague          bool // compares pointers, maybe to variables of size zero (plan.Ambiguous)
}

// An Arg is an operand: a register, or, if Reg is -1, the address of a global variable or a
// constant.
type Arg struct {
	Reg  int32
	Val  goval.Value
	Glob *Global
}

// An Opcode is what a machine does with an instruction.
type Opcode uint8

const (
	OpEval  Opcode = iota // a value computed from operands, or recorded
	OpLoad                // a load from memory that may be shared
	OpLocal               // a load from a local variable
	OpStore               // a store to memory that may be shared
	OpSet                 // a store to a local variable
	OpBind                // the store to a bound variable: its register is the value
	OpPart                // a load from, or an address in, a bound variable: the value there
	OpAlloc               // the allocation of a local variable
	OpJump
	OpIf
	OpReturn
	OpPanic
	OpNop
	OpCall   // a call of an instrumented function
	opTuple  // several results, each recorded
	opRecord // any other: the result is recorded, the operands are pinned
)

// A Want is a record that an instruction has.
type Want struct {
	Kind WantKind
	Hook *plan.Hook
	Reg  int32 // of a Value record: the register that it sets; -1: none
}

type WantKind uint8

const (
	WantValue   WantKind = iota // a Value record
	WantAccess                  // a run of Reads or Writes, ended by one without FlagMore
	WantLen                     // a ChanLen
	WantEnter                   // the Enter of an instrumented callee, all it does, and its Exit
	WantBegin                   // OpaqueBegin
	WantEnd                     // OpaqueEnd
	WantRuntime                 // any number of records of the runtime side, at the same site
)
