package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// reader decodes one value. Errors are thrown as errDamaged and caught in Decode.
type reader struct {
	table  *path.Table
	rest   []byte // of the body, or of the item that is being read
	layout []byte
	items  []item
	maps   map[mapKey]reflect.Value
}

type item struct {
	kind    byte
	content []byte
	text    string
	node    *path.Node
	call    *summary.Call
}

type mapKey struct {
	item uint64
	typ  reflect.Type
}

var errDamaged = errors.New("the encoding is damaged")

// Decode reads data into v, a pointer to a struct of the type that was encoded; paths are made in
// table.
func Decode(data []byte, v any, table *path.Table) (d Digest, err error) {
	n := len(data) - sha256.Size
	if n < len(magic) || string(data[:len(magic)]) != magic {
		return d, fmt.Errorf("no summary: %w", errDamaged)
	}
	if sum := sha256.Sum256(data[:n]); !bytes.Equal(sum[:], data[n:]) {
		return d, errDamaged
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case runtime.Error: // a number out of range
			err = errDamaged
		default:
			if e != any(errDamaged) {
				panic(e)
			}
			err = errDamaged
		}
	}()
	r := &reader{table: table, rest: data[len(magic):n], maps: map[mapKey]reflect.Value{}}
	size := r.length()
	d = sha256.Sum256(r.rest[:size])
	r.rest, r.layout = r.rest[:size], r.rest[size:]
	r.readItems()
	r.value(reflect.ValueOf(v).Elem())
	if len(r.rest) > 0 || len(r.layout) > 0 {
		return d, errDamaged
	}
	return d, nil
}

func (r *reader) readItems() {
	count := r.length()
	r.items = make([]item, 0, count)
	for range count {
		n := r.length()
		if n == 0 {
			panic(errDamaged)
		}
		content, after := r.rest[:n], r.rest[n:]
		it := item{kind: content[0], content: content[1:]}
		r.rest = it.content
		switch it.kind {
		case itemString:
			it.text = string(it.content)
		case itemNode:
			var n path.Node
			r.fields(reflect.ValueOf(&n).Elem())
			it.node = r.table.Intern(n)
		case itemCall:
			it.call = new(summary.Call)
			r.fields(reflect.ValueOf(it.call).Elem())
		}
		r.rest = after
		r.items = append(r.items, it)
	}
}

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		panic(errDamaged)
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) varint() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		panic(errDamaged)
	}
	r.rest = r.rest[size:]
	return n
}

// length reads a number of things of one byte or more.
func (r *reader) length() int {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		panic(errDamaged)
	}
	return int(n)
}

func (r *reader) item(i uint64, kind byte) *item {
	if i >= uint64(len(r.items)) || r.items[i].kind != kind {
		panic(errDamaged)
	}
	return &r.items[i]
}

func (r *reader) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.uvarint() != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.varint())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.uvarint())
	case reflect.String:
		v.SetString(r.item(r.uvarint(), itemString).text)
	case reflect.Slice:
		if r.rest[0] == 0 {
			r.rest = r.rest[1:]
			return
		}
		n := int(r.uvarint() - 1)
		if n > len(r.rest) && v.Type().Elem().Size() > 0 {
			panic(errDamaged)
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			r.value(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			r.value(v.Index(i))
		}
	case reflect.Struct:
		r.fields(v)
	case reflect.Pointer:
		r.pointer(v)
	case reflect.Map:
		if n := r.uvarint(); n > 0 {
			v.Set(r.entries(n-1, v.Type()))
		}
	default:
		panic(fmt.Sprintf("store: %v has no encoding", v.Type()))
	}
}

func (r *reader) fields(v reflect.Value) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case !f.IsExported():
		case f.Tag.Get("store") == "layout":
			r.plain(v.Field(i))
		default:
			r.value(v.Field(i))
		}
	}
}

// plain reads from the layout.
func (r *reader) plain(v reflect.Value) {
	r.rest, r.layout = r.layout, r.rest
	r.flat(v)
	r.rest, r.layout = r.layout, r.rest
}

func (r *reader) flat(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		n := r.length()
		v.SetString(string(r.rest[:n]))
		r.rest = r.rest[n:]
	case reflect.Slice:
		n := r.length()
		if n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		for i := range n {
			r.flat(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			r.flat(v.Field(i))
		}
	default:
		n := r.varint()
		if n > math.MaxInt32 || n < math.MinInt32 {
			panic(errDamaged)
		}
		v.SetInt(n)
	}
}

func (r *reader) pointer(v reflect.Value) {
	n := r.uvarint()
	if n == 0 {
		return
	}
	switch v.Type() {
	case nodeType:
		v.Set(reflect.ValueOf(r.item(n-1, itemNode).node))
	case callType:
		v.Set(reflect.ValueOf(r.item(n-1, itemCall).call))
	default:
		v.Set(reflect.New(v.Type().Elem()))
		r.value(v.Elem())
	}
}

// entries reads a map; equal ones are one map, which is not changed.
func (r *reader) entries(n uint64, t reflect.Type) reflect.Value {
	k := mapKey{n, t}
	if m, ok := r.maps[k]; ok {
		return m
	}
	rest := r.rest
	r.rest = r.item(n, itemMap).content
	count := r.length()
	m := reflect.MakeMapWithSize(t, count)
	for range count {
		key, elem := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		r.value(key)
		r.value(elem)
		m.SetMapIndex(key, elem)
	}
	r.rest = rest
	r.maps[k] = m
	return m
}
