package raw

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Reader reads the text form. It is a trace.Source.
type Reader struct {
	in   *bufio.Scanner
	line int
	names
	err error
}

// maxLine bounds the length of a line. The longest lines are tables.
const maxLine = 1 << 26

// NewReader begins to read the text form of a trace.
func NewReader(in io.Reader) *Reader {
	s := bufio.NewScanner(in)
	s.Buffer(make([]byte, 1<<16), maxLine)
	return &Reader{in: s, names: newNames()}
}

// Parse reads a whole trace from text.
func Parse(text string) ([]trace.Event, *trace.Meta, error) {
	r := NewReader(strings.NewReader(text))
	var events []trace.Event
	for {
		var e trace.Event
		switch err := r.Next(&e); {
		case err == io.EOF:
			return events, r.Meta(), nil
		case err != nil:
			return nil, nil, err
		}
		events = append(events, e)
	}
}

// Meta returns the tables and names read so far.
func (r *Reader) Meta() *trace.Meta { return r.meta }

// Next reads the next event. It returns io.EOF after the last, and an error that
// names the line where the text is not a trace.
func (r *Reader) Next(e *trace.Event) error {
	for r.err == nil {
		if !r.in.Scan() {
			r.err = r.end()
			break
		}
		r.line++
		text := r.in.Text()
		if r.line == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // a byte-order mark, which some editors write
		}
		event, err := r.parseLine(text, e)
		if err != nil {
			r.err = fmt.Errorf("line %d: %w", r.line, err)
		} else if event {
			return nil
		}
	}
	return r.err
}

func (r *Reader) end() error {
	switch err := r.in.Err(); {
	case err == nil:
		return io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("line %d: longer than %d bytes", r.line+1, maxLine)
	default:
		return err
	}
}

// parseLine reads one line into e. It reports whether the line holds an event.
func (r *Reader) parseLine(line string, e *trace.Event) (bool, error) {
	if strings.HasPrefix(line, "%") {
		return false, r.table(line[1:])
	}
	var words [16]string
	n := 0
	for w := range strings.FieldsSeq(line) {
		if w[0] == '#' {
			break
		}
		if n == len(words) {
			return false, errors.New("too many words")
		}
		words[n] = w
		n++
	}
	if n == 0 {
		return false, nil
	}
	return true, r.event(words[:n], e)
}

func (r *Reader) event(words []string, e *trace.Event) error {
	*e = trace.Event{}
	g, err := r.goroutine(words[0])
	if err != nil {
		return err
	}
	if len(words) < 2 {
		return errors.New("no kind of event")
	}
	k, ok := kinds[words[1]]
	if !ok {
		return fmt.Errorf("%q is not a kind of event", words[1])
	}
	e.G, e.Kind = g, k
	if k.IsAccess() {
		e.Size = 8
	}
	words = words[2:]
	if hasObj(k) {
		if len(words) == 0 {
			return fmt.Errorf("%s has no object", k)
		}
		if err := r.operand(words[0], e); err != nil {
			return err
		}
		words = words[1:]
	}
	return r.attributes(words, e)
}

// operand reads the object.
func (r *Reader) operand(w string, e *trace.Event) (err error) {
	if isGo(e.Kind) && (w[0] < '0' || w[0] > '9') {
		var g trace.GoID
		g, err = r.goroutine(w)
		e.Obj = trace.Addr(g)
		return err
	}
	if s := format.StateOf(w); s != 0 && e.Kind == format.Observe {
		e.Obj = s
		return nil
	}
	e.Obj, err = r.object(w)
	return err
}

func (r *Reader) attributes(words []string, e *trace.Event) error {
	value := false
	for _, w := range words {
		if w[0] == '@' {
			s, err := r.site(w[1:])
			if err != nil {
				return err
			}
			e.Site = s
			continue
		}
		key, number, ok := strings.Cut(w, "=")
		if !ok {
			f, known := flags[w]
			if !known {
				return fmt.Errorf("%q is not an attribute", w)
			}
			e.Flags |= f
			continue
		}
		if err := attribute(key, number, e); err != nil {
			return err
		}
		value = value || key == "val"
	}
	if e.Kind.IsAccess() && !value {
		e.Flags |= format.FlagNoValue
	}
	return nil
}

func attribute(key, number string, e *trace.Event) error {
	v, err := parseValue(number)
	if err != nil {
		return err
	}
	switch key {
	case "val":
		e.Val = v
	case "aux":
		e.Aux = v
	case "obj":
		e.Obj = trace.Addr(v)
	case "size":
		if v > math.MaxUint16 {
			return fmt.Errorf("size %d is too large", v)
		}
		e.Size = uint16(v)
	default:
		return fmt.Errorf("%q is not an attribute", key)
	}
	return nil
}

func parseValue(s string) (uint64, error) {
	if strings.HasPrefix(s, "-") {
		v, err := strconv.ParseInt(s, 0, 64)
		return uint64(v), err
	}
	return strconv.ParseUint(s, 0, 64)
}

// table reads a line of a table, without its %.
func (r *Reader) table(line string) error {
	name, rest, _ := strings.Cut(line, " ")
	switch name {
	case "meta":
		return r.setMeta(rest)
	case "object":
		return r.setObject(rest)
	case "warning":
		var w trace.Warning
		err := unmarshal(rest, &w)
		r.meta.Warnings = append(r.meta.Warnings, w)
		return err
	}
	number, entry, _ := strings.Cut(rest, " ")
	i, err := strconv.ParseUint(number, 10, 32)
	if err != nil || i > maxTable {
		return fmt.Errorf("%q is not an index of table %q", number, name)
	}
	switch name {
	case "file":
		return set(&r.meta.Files, int(i), entry)
	case "func":
		return set(&r.meta.Funcs, int(i), entry)
	case "site":
		return r.setSite(int(i), entry)
	case "go":
		return r.setGo(int(i), entry)
	}
	return fmt.Errorf("%q is not a table", name)
}

func unmarshal(s string, v any) error {
	if err := json.Unmarshal([]byte(s), v); err != nil {
		return fmt.Errorf("in a table: %w", err)
	}
	return nil
}

func set[T any](table *[]T, i int, entry string) error {
	// A table is written in order, without gaps: an index far away would be
	// nothing but an allocation.
	if i > len(*table)+1024 {
		return fmt.Errorf("entry %d of a table that has %d", i, len(*table))
	}
	*table = grow(*table, i)
	return unmarshal(entry, &(*table)[i])
}

func (r *Reader) setMeta(entry string) error {
	var m trace.Meta
	if err := unmarshal(entry, &m); err != nil {
		return err
	}
	m.Files, m.Funcs, m.Sites = r.meta.Files, r.meta.Funcs, r.meta.Sites
	m.Goroutines, m.Objects, m.Warnings = r.meta.Goroutines, r.meta.Objects, r.meta.Warnings
	*r.meta = m
	return nil
}

func (r *Reader) setObject(entry string) error {
	var o trace.Object
	if err := unmarshal(entry, &o); err != nil {
		return err
	}
	if _, ok := r.objs[o.Name]; !ok {
		r.objs[o.Name] = o.Addr
	}
	r.meta.Objects = append(r.meta.Objects, o)
	return nil
}

func (r *Reader) setSite(i int, entry string) error {
	if err := set(&r.meta.Sites, i, entry); err != nil {
		return err
	}
	if name := r.meta.Sites[i].Name; name != "" {
		if _, ok := r.sites[name]; !ok {
			r.sites[name] = trace.Site(i)
		}
	}
	return nil
}

func (r *Reader) setGo(i int, entry string) error {
	if err := set(&r.meta.Goroutines, i, entry); err != nil {
		return err
	}
	r.lastG = max(r.lastG, trace.GoID(i))
	if name := r.meta.Goroutines[i].Name; name != "" {
		if _, ok := r.gos[name]; !ok {
			r.gos[name] = trace.GoID(i)
		}
	}
	return nil
}
