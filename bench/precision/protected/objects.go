package protected

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed objects.txt
var objectText string

// object is a kind of object that random programs use: one entry of objects.txt.
type object struct {
	name, typ, make string
	imports, declare,
	requires []string
	ops     []op
	same    []string // expressions that can be compared
	numbers []string // expressions that have an order
}

// op is an operation on an object.
type op struct {
	do    string
	after string // true after it and not before, "" if nothing is known
}

// readObjects reads objects.txt.
func readObjects(text string) ([]*object, error) {
	var all []*object
	key := ""
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		rest, continues := strings.CutPrefix(line, "\t")
		if !continues {
			key, rest, _ = strings.Cut(line, " ")
		}
		if key == "object" {
			all = append(all, &object{name: rest})
			continue
		}
		if len(all) == 0 || !all[len(all)-1].add(key, rest) {
			return nil, fmt.Errorf("objects.txt:%d: unknown key %q", n, key)
		}
	}
	for _, o := range all {
		if o.typ == "" || o.make == "" || len(o.ops) == 0 {
			return nil, fmt.Errorf("objects.txt: object %s lacks a type, a new or an op", o.name)
		}
	}
	return all, nil
}

// add adds a line of an entry, and reports whether the key is known.
func (o *object) add(key, text string) bool {
	switch key {
	case "type":
		o.typ = text
	case "new":
		o.make = text
	case "import":
		o.imports = append(o.imports, text)
	case "declare":
		o.declare = append(o.declare, text)
	case "require":
		o.requires = append(o.requires, text)
	case "op":
		do, after, _ := strings.Cut(text, " => ")
		o.ops = append(o.ops, op{do, after})
	case "same":
		o.same = append(o.same, text)
	case "number":
		o.numbers = append(o.numbers, text)
	default:
		return false
	}
	return true
}
