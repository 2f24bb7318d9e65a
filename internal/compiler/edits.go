package compiler

// Tested are the versions of Go that the edits have been tested with. With another one they may hold as well: where an anchor is
// not found once, or what comes out does not compile, the program is built with the compiler as it is.
var tested = []string{"go1.25", "go1.26"}

// An edit replaces a text of a source of the compiler, which must be there once.
type edit struct {
	file   string // below GOROOT/src/cmd/compile
	anchor string
	text   string
}

// edits are the same for all versions so far.
var edits = []edit{
	// (E1) The operation.
	{"internal/ssa/opGen.go", "\n)\n\nvar opcodeTable = [...]opInfo{\n", "\n\tOpAMD64LoweredRace\n)\n\nvar opcodeTable = [...]opInfo{\n"},
	{"internal/ssa/opGen.go", "\n}\n\nfunc (o Op) Asm() obj.As ",
		"\n\t{name: \"LoweredRace\", auxType: auxInt64, argLen: 2, clobberFlags: true, hasSideEffects: true, reg: raceRegs()},\n}\n\nfunc (o Op) Asm() obj.As "},

	// (E2) In place of calls.
	{"internal/ssagen/ssa.go", "\targs := []*ssa.Value{addr}\n\tif addr2 != nil {\n", `	if base.Flag.Race && base.Ctxt.Arch.Name == "amd64" {
		if !needWidth {
			w = 0
		}
		s.vars[memVar] = s.newValue2I(ssa.OpAMD64LoweredRace, types.TypeMem, ssa.RaceCheck(kind == instrumentWrite, w), addr, s.mem())
		return
	}
	args := []*ssa.Value{addr}
	if addr2 != nil {
`},
	{"internal/ssagen/ssa.go", "\tir.Syms.Racewriterange = typecheck.LookupRuntimeFunc(\"racewriterange\")\n", `	ir.Syms.Racewriterange = typecheck.LookupRuntimeFunc("racewriterange")
	if base.Flag.Race && base.Ctxt.Arch.Name == "amd64" {
		ir.Syms.Raceread = typecheck.LookupRuntimeFunc("ftHookRead")
		ir.Syms.Racewrite = typecheck.LookupRuntimeFunc("ftHookWrite")
		ir.Syms.Racereadrange = typecheck.LookupRuntimeFunc("ftHookReadRange")
		ir.Syms.Racewriterange = typecheck.LookupRuntimeFunc("ftHookWriteRange")
	}
`},
	{"internal/amd64/ssa.go", "\tcase ssa.OpAMD64LoweredWB:\n", `	case ssa.OpAMD64LoweredRace:
		hook := [...]*obj.LSym{ir.Syms.Raceread, ir.Syms.Racewrite}[v.AuxInt&1]
		if n := v.AuxInt >> 1; n != 0 {
			hook = [...]*obj.LSym{ir.Syms.Racereadrange, ir.Syms.Racewriterange}[v.AuxInt&1]
			p := s.Prog(x86.AMOVQ)
			p.From.Type = obj.TYPE_CONST
			p.From.Offset = n
			p.To.Type = obj.TYPE_REG
			p.To.Reg = x86.REG_R10
		}
		p := s.Prog(obj.ACALL)
		p.To.Type = obj.TYPE_MEM
		p.To.Name = obj.NAME_EXTERN
		p.To.Sym = hook

	case ssa.OpAMD64LoweredWB:
`},

	// (E3) No hooks where a function begins and ends.
	{"internal/ssagen/ssa.go", "s.instrumentEnterExit = true\n", "s.instrumentEnterExit = base.Ctxt.Arch.Name != \"amd64\"\n"},

	// (E4) What another check makes for it.
	{"internal/ssa/compile.go", "\t{name: \"early fuse\", fn: fuseEarly},\n", "\t{name: \"race checks\", fn: raceChecks},\n\t{name: \"early fuse\", fn: fuseEarly},\n"},

	// (E5) The program for -toolexec.
	{"main.go", "\nfunc main() {\n", "\nfunc main() {\n\tpresageTool()\n"},
}

// added are new files of the compiler, by their names in _src.
var added = map[string]string{
	"_src/ssa/presage.go":  "internal/ssa/presage.go",
	"_src/main/presage.go": "presage.go",
}
