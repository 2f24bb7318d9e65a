package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
)

// builder makes a Plan: it finds the units, numbers their functions, and plans their records. The
// pass over the functions that plans records needs the numbers of all functions, and the pass that
// plans Block records needs the other records of all functions.
type builder struct {
	plan   *Plan
	opaque map[string]string // units that stay as written, by key, with the reason
	files  map[string]int32  // index in Plan.Files, by name

	numbers *numbers
}

func newBuilder(prog *Program, opaque map[string]string) *builder {
	p := &Plan{
		Program: prog, byFn: map[*ssa.Function]*Func{}, byKey: map[string]*Func{}, Sites: make([]trace.SiteInfo, 1),
		variables: make([]*ssa.Global, 1), variablesAt: map[*ast.File]int{},
	}
	b := &builder{
		plan: p, opaque: opaque, files: map[string]int32{},
		numbers: &numbers{p, map[*ssa.Parameter]*returned{}},
	}
	for _, pkg := range prog.Packages {
		p.Packages = append(p.Packages, pkg.PkgPath)
		b.addUnits(pkg)
		b.addVariables(pkg)
	}
	return b
}

// run numbers and plans all functions.
func (b *builder) run() {
	p := b.plan
	punned, values := findPuns(p), &binder{p.byFn}
	for _, f := range p.funcs {
		b.number(f)
		values.bind(f)
	}
	b.keys()
	known := newKnowledge(p)
	for _, f := range p.funcs {
		h := &planner{plan: p, f: f, sizes: f.Unit.Pkg.TypesSizes, punned: punned}
		h.function()
		known.bindings(f)
		p.Sites[f.Site].Defers = p.defersOutside(f.SSA)
	}
	for _, f := range p.funcs {
		(&brancher{f: f, known: known}).function()
	}
}

// addUnits finds the units of a package in the order of their positions.
func (b *builder) addUnits(pkg *Package) {
	initLits := map[token.Pos]*ssa.Function{}
	if init := pkg.SSA.Func("init"); init != nil {
		for _, lit := range init.AnonFuncs {
			initLits[lit.Pos()] = lit
		}
	}
	inits := sourceInits(pkg)
	files := append([]*ast.File(nil), pkg.Syntax...)
	sort.SliceStable(files, func(i, j int) bool { return pkg.FileName(files[i]) < pkg.FileName(files[j]) })
	for _, file := range files {
		if !handwritten(pkg, file) {
			continue
		}
		b.file(pkg.FileName(file))
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				b.addDecl(pkg, file, d, inits)
			case *ast.GenDecl:
				ast.Inspect(d, func(n ast.Node) bool {
					lit, ok := n.(*ast.FuncLit)
					if !ok {
						return true
					}
					if fn := initLits[lit.Type.Func]; fn != nil {
						b.addUnit(pkg, file, lit, fn)
					}
					return false
				})
			}
		}
	}
}

// sourceInits maps the declared init functions, which have no types.Object, to their SSA.
func sourceInits(pkg *Package) map[token.Pos]*ssa.Function {
	m := map[token.Pos]*ssa.Function{}
	for _, mem := range pkg.SSA.Members {
		if fn, ok := mem.(*ssa.Function); ok && fn.Synthetic == "" {
			m[fn.Pos()] = fn
		}
	}
	return m
}

func (b *builder) addDecl(pkg *Package, file *ast.File, d *ast.FuncDecl, inits map[token.Pos]*ssa.Function) {
	if d.Body == nil || d.Name.Name == "_" {
		return
	}
	obj, _ := pkg.TypesInfo.Defs[d.Name].(*types.Func)
	fn := pkg.SSA.Prog.FuncValue(obj)
	if fn == nil {
		fn = inits[d.Name.Pos()]
	}
	if fn == nil || len(fn.Blocks) == 0 {
		return
	}
	b.addUnit(pkg, file, d, fn)
}

func (b *builder) addUnit(pkg *Package, file *ast.File, n ast.Node, fn *ssa.Function) {
	u := &Unit{Pkg: pkg, File: file, Node: n, Key: fn.String()}
	u.Opaque = b.opaque[u.Key]
	if u.Opaque == "" {
		u.Opaque = asWritten(pkg, file, n)
	}
	b.plan.Units = append(b.plan.Units, u)
	b.addFuncs(u, fn)
}

func (b *builder) addFuncs(u *Unit, fn *ssa.Function) {
	f := &Func{ID: trace.FuncID(len(b.plan.funcs)), SSA: fn, Unit: u}
	b.plan.funcs = append(b.plan.funcs, f)
	u.Funcs = append(u.Funcs, f)
	b.plan.byFn[fn] = f
	if k := Key(fn); k != "" && b.plan.byKey[k] == nil {
		b.plan.byKey[k] = f
	}
	pos := u.Pkg.Fset.PositionFor(fn.Pos(), false)
	b.plan.Funcs = append(b.plan.Funcs, trace.Func{
		Name: stackName(fn), Pkg: u.Pkg.PkgPath, File: b.file(u.Pkg.FileName(u.File)), Line: int32(pos.Line), Opaque: u.Opaque,
	})
	for _, lit := range fn.AnonFuncs {
		b.addFuncs(u, lit)
	}
}

// file returns the index of a file in the table, with the hash of its content now.
func (b *builder) file(name string) int32 {
	if i, ok := b.files[name]; ok {
		return i
	}
	i := int32(len(b.plan.Files))
	b.files[name] = i
	f := trace.File{Name: name}
	if text, err := os.ReadFile(name); err == nil {
		sum := sha256.Sum256(text)
		f.Hash = hex.EncodeToString(sum[:])
	}
	b.plan.Files = append(b.plan.Files, f)
	return i
}

func (b *builder) site(f *Func, blk, instr int, pos token.Pos, expr, object string) trace.Site {
	at := f.Unit.Pkg.Fset.PositionFor(pos, false)
	s := trace.Site(len(b.plan.Sites))
	b.plan.Sites = append(b.plan.Sites, trace.SiteInfo{
		Func: f.ID, Block: int32(blk), Instr: int32(instr),
		File: b.file(f.Unit.Pkg.FileName(f.Unit.File)), Line: int32(at.Line), Col: int32(at.Column),
		Expr: expr, Object: object,
	})
	return s
}
