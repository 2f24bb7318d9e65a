package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

const magic = "presage summary 1\n"

var (
	nodeType = reflect.TypeFor[*path.Node]()
	callType = reflect.TypeFor[*summary.Call]()
	posPair  = reflect.TypeFor[[2]summary.Pos]()
)

// Types of items.
const (
	itemString = 's'
	itemNode   = 'n'
	itemCall   = 'c'
	itemMap    = 'm'
)

// Digest is the SHA-256 of the meaning of a value.
type Digest [sha256.Size]byte

// writer encodes one value.
type writer struct {
	items  []string
	number map[string]uint64 // of an item, by type and content
	nodes  map[*path.Node]uint64
	calls  map[*summary.Call]uint64
	layout []byte
}

// Encode writes v, a pointer to a struct. It panics on types that it does not know: that is a fault
// of the program.
func Encode(v any) ([]byte, Digest) {
	w := &writer{number: map[string]uint64{}, nodes: map[*path.Node]uint64{}, calls: map[*summary.Call]uint64{}}
	body := w.value(nil, reflect.ValueOf(v).Elem())
	meaning := binary.AppendUvarint(nil, uint64(len(w.items)))
	for _, it := range w.items {
		meaning = binary.AppendUvarint(meaning, uint64(len(it)))
		meaning = append(meaning, it...)
	}
	meaning = append(meaning, body...)
	out := binary.AppendUvarint([]byte(magic), uint64(len(meaning)))
	out = append(append(out, meaning...), w.layout...)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), sha256.Sum256(meaning)
}

func (w *writer) value(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(b, v.Uint())
	case reflect.String:
		return binary.AppendUvarint(b, w.item(itemString, []byte(v.String())))
	case reflect.Slice:
		return w.slice(b, v)
	case reflect.Array:
		for i := range v.Len() {
			b = w.value(b, v.Index(i))
		}
		return b
	case reflect.Struct:
		return w.fields(b, v)
	case reflect.Pointer:
		return w.pointer(b, v)
	case reflect.Map:
		if v.IsNil() {
			return binary.AppendUvarint(b, 0)
		}
		return binary.AppendUvarint(b, 1+w.item(itemMap, w.entries(v)))
	}
	panic(fmt.Sprintf("store: %v has no encoding", v.Type()))
}

func (w *writer) slice(b []byte, v reflect.Value) []byte {
	if v.IsNil() {
		return binary.AppendUvarint(b, 0)
	}
	b = binary.AppendUvarint(b, 1+uint64(v.Len()))
	for i := range v.Len() {
		b = w.value(b, v.Index(i))
	}
	return b
}

// fields writes a struct; what is tagged goes to the layout, where strings stand in full.
func (w *writer) fields(b []byte, v reflect.Value) []byte {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case !f.IsExported():
		case f.Tag.Get("store") == "layout":
			w.layout = plain(w.layout, v.Field(i))
		default:
			b = w.value(b, v.Field(i))
		}
	}
	return b
}

// plain writes numbers, strings, and slices and structs of them, without items.
func plain(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.String:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		return append(b, v.String()...)
	case reflect.Slice:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		for i := range v.Len() {
			b = plain(b, v.Index(i))
		}
		return b
	case reflect.Struct:
		for i := range v.NumField() {
			b = plain(b, v.Field(i))
		}
		return b
	}
	panic(fmt.Sprintf("store: %v cannot be layout", v.Type()))
}

func (w *writer) pointer(b []byte, v reflect.Value) []byte {
	if v.IsNil() {
		return binary.AppendUvarint(b, 0)
	}
	switch v.Type() {
	case nodeType:
		return binary.AppendUvarint(b, 1+w.node(v.Interface().(*path.Node)))
	case callType:
		return binary.AppendUvarint(b, 1+w.call(v.Interface().(*summary.Call)))
	}
	return w.value(binary.AppendUvarint(b, 1), v.Elem())
}

func (w *writer) node(n *path.Node) uint64 {
	i, ok := w.nodes[n]
	if !ok {
		i = w.item(itemNode, w.fields(nil, reflect.ValueOf(n).Elem()))
		w.nodes[n] = i
	}
	return i
}

func (w *writer) call(c *summary.Call) uint64 {
	i, ok := w.calls[c]
	if !ok {
		i = w.item(itemCall, w.fields(nil, reflect.ValueOf(c).Elem()))
		w.calls[c] = i
	}
	return i
}

// item returns the number of an item.
func (w *writer) item(kind byte, content []byte) uint64 {
	s := string(kind) + string(content)
	i, ok := w.number[s]
	if !ok {
		i = uint64(len(w.items))
		w.number[s] = i
		w.items = append(w.items, s)
	}
	return i
}

// entries writes a map in the order of its keys.
func (w *writer) entries(v reflect.Value) []byte {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return compareKeys(a, b) })
	b := binary.AppendUvarint(nil, uint64(len(keys)))
	for _, k := range keys {
		b = w.value(b, k)
		b = w.value(b, v.MapIndex(k))
	}
	return b
}

func compareKeys(a, b reflect.Value) int {
	switch a.Type() {
	case nodeType:
		return path.Compare(a.Interface().(*path.Node), b.Interface().(*path.Node))
	case posPair:
		p, q := a.Interface().([2]summary.Pos), b.Interface().([2]summary.Pos)
		return cmp.Or(p[0].Compare(q[0]), p[1].Compare(q[1]))
	}
	switch a.Kind() {
	case reflect.String:
		return strings.Compare(a.String(), b.String())
	case reflect.Int, reflect.Int32, reflect.Int64:
		return cmp.Compare(a.Int(), b.Int())
	}
	panic(fmt.Sprintf("store: maps with keys of %v have no order", a.Type()))
}
