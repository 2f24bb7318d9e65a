package compiler

// Tested are the versions of Go that the edits have been tested with. With another one they may
// hold as well: where an anchor is not found once, or what comes out does not compile, the program
// is built with the compiler as it is.
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
	{"internal/ssagen/ssa.go", "\targs := []*ssa.Value{addr}\n\tif addr2 != nil {\n", `	if base.Flag.Race && base.Debug.Presage == 0 && base.Ctxt.Arch.Name == "amd64" {
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
	if base.Flag.Race && base.Debug.Presage == 0 && base.Ctxt.Arch.Name == "amd64" {
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

	// (E6) Hooks by inline tree and by function.
	{"internal/base/debug.go", "type DebugFlags struct {\n", "type DebugFlags struct {\n\tPresage int `help:\"hooks for presage's recorder: 1 in a package that is not emitted, 2 in an emitted one\" concurrent:\"ok\"`\n" +
		"\tPresageWide int `help:\"hooks for presage's recorder say how wide each access is\" concurrent:\"ok\"`\n" +
		"\tPresageSkip string `help:\"packages whose functions get no hooks, with + in between\" concurrent:\"ok\"`\n"},
	{"internal/ssagen/ssa.go", "\tif base.Flag.Cfg.Instrumenting && fn.Pragma&ir.Norace == 0 && ", "\tif (base.Flag.Cfg.Instrumenting || base.Debug.Presage > 1) && fn.Pragma&ir.Norace == 0 && "},
	{"internal/ssagen/ssa.go", "\tif !s.instrumentMemory {\n", "\tif !s.instrumentMemory || !base.PresageHooks(s.peekPos(), s.curfn.Sym().Pkg.Path, s.curfn.Sym().Name, s.curfn.Dupok() && !s.curfn.ABIWrapper()) {\n"},
	{"internal/ssagen/ssa.go", "} else if base.Flag.Race && t.NumComponents(types.CountBlankFields) > 1 {",
		"} else if (base.Flag.Race || base.Debug.Presage > 1) && (t.NumComponents(types.CountBlankFields) > 1 || base.Debug.Presage != 0 && w > 8 || base.Debug.PresageWide != 0 && w > 1) {"},
	{"internal/ssagen/ssa.go", "} else if base.Flag.Race {\n\t\t// for non-composite objects", "} else if base.Flag.Race || base.Debug.Presage > 1 {\n\t\t// for non-composite objects"},
	{"internal/ssagen/intrinsics.go", "if base.Flag.Race && pkg == \"sync/atomic\" {", "if (base.Flag.Race || base.Debug.Presage > 1) && pkg == \"sync/atomic\" || base.Debug.Presage > 1 && pkg == \"runtime\" && sym.Name == \"slicebytetostringtmp\" {"},

	// What a package without hooks does for its callers has theirs: it is inlined into them, unlike
	// with -race.
	{"internal/inline/inl.go", "if base.Flag.Cfg.Instrumenting && types.IsNoInstrumentPkg(callee.Sym().Pkg) {", "if base.Flag.Cfg.Instrumenting && types.IsNoInstrumentPkg(callee.Sym().Pkg) && callee.Sym().Pkg.Path != base.PresageCaller {"},

	// What package walk leaves to the runtime or to instructions without hooks, unless it is for
	// -race.
	{"internal/walk/walk.go", "\t// When instrumenting, any expression might require function calls.\n\tif base.Flag.Cfg.Instrumenting {\n",
		"\t// When instrumenting, any expression might require function calls.\n\tif presageInstruments(n) {\n"},
	{"internal/walk/builtin.go", "\tif !base.Flag.Cfg.Instrumenting || base.Flag.CompilingRuntime {\n\t\treturn n\n", "\tif !presageInstruments(n) || base.Flag.CompilingRuntime {\n\t\treturn n\n"},
	{"internal/walk/expr.go", "init, base.Flag.Cfg.Instrumenting && !base.Flag.CompilingRuntime)", "init, presageInstruments(n) && !base.Flag.CompilingRuntime)"},
	{"internal/walk/assign.go", "} else if base.Flag.Cfg.Instrumenting && !base.Flag.CompilingRuntime {\n\t\t// rely on runtime to instrument:", "} else if presageInstruments(n) && !base.Flag.CompilingRuntime {\n\t\t// rely on runtime to instrument:"},
	{"internal/walk/assign.go", "func isAppendOfMake(n ir.Node) bool {\n\tif base.Flag.N != 0 || base.Flag.Cfg.Instrumenting {", "func isAppendOfMake(n ir.Node) bool {\n\tif base.Flag.N != 0 || presageInstruments(n) {"},
	{"internal/walk/range.go", "v1, v2, a ir.Node) ir.Node {\n\tif base.Flag.N != 0 || base.Flag.Cfg.Instrumenting {", "v1, v2, a ir.Node) ir.Node {\n\tif base.Flag.N != 0 || presageInstruments(loop) {"},
	{"internal/walk/range.go", "\tn.Body.Append(ir.NewAssignStmt(base.Pos, hn, mul))\n",
		"\tn.Body.Append(ir.NewAssignStmt(base.Pos, hn, mul))\n\tif presageClears(base.Pos) {\n\t\tn.Body.Append(mkcallstmt(\"racewriterange\", typecheck.ConvNop(hp, types.Types[types.TUINTPTR]), hn))\n\t}\n"},
	{"internal/walk/compare.go", "if !types.IsNoRacePkg(types.LocalPkg) && base.Flag.Race {", "if !types.IsNoRacePkg(types.LocalPkg) && (base.Flag.Race || presageInstruments(n)) {"},
	{"internal/walk/convert.go", "\tn.X = walkExpr(n.X, init)\n\tif !base.Flag.Cfg.Instrumenting {\n\t\t// Let the backend handle OBYTES2STRTMP", "\tn.X = walkExpr(n.X, init)\n\tif !presageInstruments(n) {\n\t\t// Let the backend handle OBYTES2STRTMP"},
	{"internal/walk/order.go", "func orderMakeSliceCopy(s []ir.Node) {\n\tif base.Flag.N != 0 || base.Flag.Cfg.Instrumenting {", "func orderMakeSliceCopy(s []ir.Node) {\n\tif base.Flag.N != 0 || len(s) > 1 && s[1] != nil && presageInstruments(s[1]) {"},
	{"internal/walk/order.go", "\t\tif base.Flag.Cfg.Instrumenting {\n\t\t\t// Force copying to the stack", "\t\tif presageInstruments(n) {\n\t\t\t// Force copying to the stack"},

	// (E7) Names of function literals.
	{"internal/ir/func.go", "func closureName(outerfn *Func, pos src.XPos, why Op) *types.Sym {\n", "func closureName(outerfn *Func, pos src.XPos, why Op) *types.Sym {\n" +
		"\touterfn = presageOuter(outerfn)\n\tif sym := presageClosure(outerfn, pos, why); sym != nil {\n\t\treturn sym\n\t}\n"},

	// (E8) Calls of functions in assembly.
	{"internal/ssagen/ssa.go", "\ts.prevCall = nil\n\tvar calleeLSym *obj.LSym // target function (if static)\n", "\ts.prevCall = nil\n\tpresageCut := false\n\tvar calleeLSym *obj.LSym // target function (if static)\n"},
	{"internal/ssagen/ssa.go", "\t\tfor i, n := range args {\n\t\t\tcallArgs = append(callArgs, s.putArg(n, t.Param(i).Type))\n", "\t\tpresageCut = s.presageAssembly(n, k)\n\t\tfor i, n := range args {\n\t\t\tcallArgs = append(callArgs, s.putArg(n, t.Param(i).Type))\n"},
	{"internal/ssagen/ssa.go", "\ts.prevCall = call\n\ts.vars[memVar] = s.newValue1I(ssa.OpSelectN, types.TypeMem, int64(len(ACResults)), call)\n", "\ts.prevCall = call\n\ts.vars[memVar] = s.newValue1I(ssa.OpSelectN, types.TypeMem, int64(len(ACResults)), call)\n\tif presageCut {\n\t\ts.presageReturned(call)\n\t}\n"},

	// (E5) The program for -toolexec.
	{"main.go", "\nfunc main() {\n", "\nfunc main() {\n\tpresageTool()\n"},
}

// added are new files of the compiler, by their names in _src.
var added = map[string]string{
	"_src/ssa/presage.go":    "internal/ssa/presage.go",
	"_src/base/presage.go":   "internal/base/presage.go",
	"_src/walk/presage.go":   "internal/walk/presage.go",
	"_src/ir/presage.go":     "internal/ir/presage.go",
	"_src/ssagen/presage.go": "internal/ssagen/presage.go",
	"_src/main/presage.go":   "presage.go",
}
