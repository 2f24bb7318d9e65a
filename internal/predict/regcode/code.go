package regcode

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// A Code is one function prepared for the machine: its SSA values have numbered
// registers, its operands are resolved, and the records of package plan stand at
// the instructions that write them. It is immutable.
type Code struct {
	Plan   *plan.Func
	Sizes  types.Sizes
	Texts  *expr.Texts // what string constants say
	Params []int32     // registers of the recorded parameters and free variables: those of plan.Func.Params
	Args   []int32     // registers of all parameters
	Blocks []Block
	Regs   int32 // registers of a frame
	Cells  []int64
	Length int // instructions and their records
	// shifty: a result is loaded from memory before the deferred calls run, which
	// may write it (plan R8).
	ResultsMayChange bool

	liveness *liveness // made when the walk asks for it the first time; nobody else does
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

// An Instr is one instruction. Its result, or the components of its result if
// that is a tuple, are in registers reg, reg+1, …
type Instr struct {
	SSA     ssa.Instruction
	Op      opcode
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
	Elem    int64           // size of an element
	Type    types.Type      // type of the first operand
	Free    []Arg           // free variables of a closure that is called
	callee  *ssa.Function
	Std     *std // a call of a function of the standard library that is evaluated
	Own     bool // a store of an operand of such a call

	Fused          bool
	Reaches        bool // an opaque call that may look at memory
	Dynamic        bool // a call through a function value or an interface
	Maybe          bool // a call that may be one of a typed operation (R15 of package plan)
	CallsBack      bool // a typed call that may enter instrumented code
	Atomic         bool // a call of sync/atomic
	CompareAndSwap bool // CompareAndSwap
	Appends        bool // append, of elements of a known size (F7)
	Recorded       bool // the result, or every component that is used, has a Value record
	Extract        bool
	vague          bool // a comparison of pointers that may be to variables of size zero (plan.Ambiguous)
}

// An Arg is an operand: a register, or a constant if reg is -1.
type Arg struct {
	Reg  int32
	Val  goval.Value
	Glob *Global
}

// opcode says what the machine does with an instruction.
type opcode uint8

const (
	OpEval   opcode = iota // a value computed from operands, or recorded
	OpLoad                 // from shared memory
	OpLocal                // load of a local variable
	OpStore                // to shared memory
	OpSet                  // store to a local variable
	OpBind                 // the store to a bound variable: its register is the value (plan R13)
	OpPart                 // load, or address, in a bound variable: the value there
	OpAlloc                // of a local variable
	OpJump                 //
	OpIf                   //
	OpReturn               //
	OpPanic                //
	OpNop                  //
	OpCall                 // of an instrumented function
	opTuple                // several results, each recorded
	opRecord               // all that is left: recorded, with operands pinned
)

// A Want is a record that the walk expects at an instruction.
type Want struct {
	Kind wantKind
	Hook *plan.Hook
	Reg  int32 // Value: the register it fills in, -1: none
}

type wantKind uint8

const (
	WantValue   wantKind = iota // a Value record
	WantAccess                  // a run of Reads or Writes, ended by one without FlagMore
	WantLen                     // a ChanLen
	WantEnter                   // the Enter of an instrumented callee, all it does, and its Exit
	WantBegin                   // OpaqueBegin
	WantEnd                     // OpaqueEnd
	WantRuntime                 // any number of records that the runtime side writes with the instruction's site
)
