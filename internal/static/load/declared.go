package load

import (
	"crypto/sha256"
	"go/ast"
	"go/scanner"
	"go/token"
)

// Declared is the digest of the package's tokens without comments and function bodies: what other
// packages can see of it, and more.
func (p *Package) Declared() (sum [sha256.Size]byte) {
	h := sha256.New()
	byName := map[string]*ast.File{}
	for _, f := range p.Files {
		byName[p.Fset.File(f.FileStart).Name()] = f
	}
	for _, s := range p.Sources {
		var bodies []*ast.BlockStmt
		if f := byName[s.Name]; f != nil {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					bodies = append(bodies, fn.Body)
				}
			}
		}
		offset := func(pos token.Pos) int { return p.Fset.File(pos).Offset(pos) }
		fset := token.NewFileSet()
		file := fset.AddFile(s.Name, -1, len(s.text))
		var scan scanner.Scanner
		scan.Init(file, s.text, nil, 0)
		for {
			pos, tok, lit := scan.Scan()
			if tok == token.EOF {
				break
			}
			at := file.Offset(pos)
			for len(bodies) > 0 && at >= offset(bodies[0].Lbrace)+int(bodies[0].End()-bodies[0].Lbrace) {
				bodies = bodies[1:]
			}
			if len(bodies) > 0 && at >= offset(bodies[0].Lbrace) {
				continue
			}
			h.Write([]byte{byte(tok)})
			if tok.IsLiteral() {
				h.Write([]byte(lit))
			}
		}
	}
	h.Sum(sum[:0])
	return sum
}
