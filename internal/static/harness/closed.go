package harness

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// closed writes expressions of tests so that they mean the same in another package: exported
// declarations with their packages, as placeholders, and nothing that the function around them
// declares. Variables are none of them: two calls on one variable would race on that.
type closed struct{ info *types.Info }

// The bytes around a package's path, until the file has its imports. No source has them.
const (
	opening = "\x01"
	closing = "\x02"
)

// placeholder is the name of a package in a text.
func placeholder(path string) string { return opening + path + closing }

// marked puts placeholders in the place of {{path}}.
func marked(text string) string {
	return strings.NewReplacer("{{", opening, "}}", closing).Replace(text)
}

func (c *closed) render(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value, true
	case *ast.Ident:
		return c.ident(e)
	case *ast.ParenExpr:
		x, ok := c.render(e.X)
		return "(" + x + ")", ok
	case *ast.SelectorExpr:
		return c.selector(e)
	case *ast.StarExpr:
		x, ok := c.render(e.X)
		return "*" + x, ok
	case *ast.UnaryExpr:
		x, ok := c.render(e.X)
		return e.Op.String() + x, ok
	case *ast.BinaryExpr:
		x, ok := c.render(e.X)
		y, also := c.render(e.Y)
		return x + " " + e.Op.String() + " " + y, ok && also
	case *ast.CallExpr:
		f, ok := c.render(e.Fun)
		args, also := c.list(e.Args)
		return f + "(" + args + ")", ok && also && !e.Ellipsis.IsValid()
	case *ast.CompositeLit:
		return c.composite(e)
	case *ast.IndexExpr:
		x, ok := c.render(e.X)
		i, also := c.render(e.Index)
		return x + "[" + i + "]", ok && also
	case *ast.IndexListExpr:
		x, ok := c.render(e.X)
		i, also := c.list(e.Indices)
		return x + "[" + i + "]", ok && also
	case *ast.ArrayType:
		x, ok := c.render(e.Elt)
		if e.Len == nil {
			return "[]" + x, ok
		}
		n, also := c.render(e.Len)
		return "[" + n + "]" + x, ok && also
	case *ast.Ellipsis:
		return "...", e.Elt == nil
	case *ast.MapType:
		k, ok := c.render(e.Key)
		v, also := c.render(e.Value)
		return "map[" + k + "]" + v, ok && also
	case *ast.ChanType:
		x, ok := c.render(e.Value)
		return "chan " + x, ok && e.Dir == ast.SEND|ast.RECV
	case *ast.InterfaceType:
		return "interface{}", e.Methods.NumFields() == 0
	case *ast.StructType:
		return "struct{}", e.Fields.NumFields() == 0
	}
	return "", false
}

func (c *closed) list(list []ast.Expr) (string, bool) {
	var out []string
	for _, e := range list {
		x, ok := c.render(e)
		if !ok {
			return "", false
		}
		out = append(out, x)
	}
	return strings.Join(out, ", "), true
}

// ident writes a name: of the universe, or of an exported declaration of a package.
func (c *closed) ident(e *ast.Ident) (string, bool) {
	obj := c.info.Uses[e]
	switch {
	case obj == nil:
		return "", false
	case obj.Parent() == types.Universe:
		return e.Name, true
	case obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() && obj.Exported():
		return qualified(obj)
	}
	return "", false
}

// qualified writes an exported declaration with its package. A file of tests declares for its
// package alone.
func qualified(obj types.Object) (string, bool) {
	if strings.HasSuffix(obj.Pkg().Name(), "_test") {
		return "", false
	}
	if first, _, _ := strings.Cut(obj.Pkg().Path(), "/"); strings.Contains(first, ".") {
		if _, variable := obj.(*types.Var); variable {
			return "", false
		}
	}
	return placeholder(obj.Pkg().Path()) + "." + obj.Name(), true
}

func (c *closed) selector(e *ast.SelectorExpr) (string, bool) {
	obj := c.info.Uses[e.Sel]
	if obj == nil || !obj.Exported() {
		return "", false
	}
	if id, ok := e.X.(*ast.Ident); ok {
		if _, isPackage := c.info.Uses[id].(*types.PkgName); isPackage {
			return qualified(obj)
		}
	}
	x, ok := c.render(e.X)
	return x + "." + e.Sel.Name, ok
}

func (c *closed) composite(e *ast.CompositeLit) (string, bool) {
	typ := ""
	if e.Type != nil {
		var ok bool
		if typ, ok = c.render(e.Type); !ok {
			return "", false
		}
	}
	_, fields := types.Unalias(c.info.TypeOf(e)).Underlying().(*types.Struct)
	var elements []string
	for _, el := range e.Elts {
		text, ok := "", true
		if kv, pair := el.(*ast.KeyValueExpr); pair {
			var key string
			if id, isField := kv.Key.(*ast.Ident); fields && isField {
				key, ok = id.Name, id.IsExported()
			} else {
				key, ok = c.render(kv.Key)
			}
			value, also := c.render(kv.Value)
			text, ok = fmt.Sprintf("%s: %s", key, value), ok && also
		} else {
			text, ok = c.render(el)
		}
		if !ok {
			return "", false
		}
		elements = append(elements, text)
	}
	return typ + "{" + strings.Join(elements, ", ") + "}", true
}
