package offpath

import (
	"fmt"
	"go/types"
	"math"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"
)

// Functions of package fmt, with operands of basic types without methods.

var printLibrary = map[string]func(c *std){
	"fmt.Sprint":   func(c *std) { c.givesText(fmt.Sprint(c.boxes()...)) },
	"fmt.Sprintln": func(c *std) { c.givesText(fmt.Sprintln(c.boxes()...)) },
	"fmt.Sprintf": func(c *std) {
		format := c.str()
		if list := c.boxes(); c.need(sober(format)) {
			s := fmt.Sprintf(format, list...)
			c.need(!strings.Contains(s, "%!"))
			c.givesText(s)
		}
	},
}

// boxes are the remaining arguments.
func (c *std) boxes() []any {
	if c.need(len(c.args) <= 16); !c.known {
		return nil
	}
	var list []any
	for len(c.args) > 0 {
		list = append(list, c.box())
	}
	return list
}

func (c *std) box() any {
	switch k := c.kinds[0]; k {
	case types.String:
		return c.str()
	case types.Bool:
		return c.word() == 1
	case types.Float32:
		return math.Float32frombits(uint32(c.word()))
	case types.Float64:
		return c.float()
	case types.Int8:
		return int8(c.word())
	case types.Int16:
		return int16(c.word())
	case types.Int32:
		return int32(c.word())
	case types.Int64:
		return int64(c.word())
	case types.Uint8:
		return uint8(c.word())
	case types.Uint16:
		return uint16(c.word())
	case types.Uint32:
		return uint32(c.word())
	case types.Uint64:
		return c.word()
	}
	c.known = false
	return nil
}

// sober reports whether a format prints values without the names of their types, and is ASCII.
func sober(format string) bool {
	if strings.ContainsFunc(format, func(r rune) bool { return r > unicode.MaxASCII }) {
		return false
	}
	for {
		_, verb, ok := strings.Cut(format, "%")
		if !ok {
			return true
		}
		verb = strings.TrimLeft(verb, "+- 0")
		if verb, ok = number3(verb); !ok {
			return false
		}
		if rest, point := strings.CutPrefix(verb, "."); point {
			if verb, ok = number3(rest); !ok {
				return false
			}
		}
		if verb == "" || !strings.Contains("v d s b o x X t c e E f F g G U %", verb[:1]) || verb[0] == ' ' {
			return false
		}
		format = verb[1:]
	}
}

// number3 skips a number of at most three digits.
func number3(s string) (rest string, ok bool) {
	rest = strings.TrimLeft(s, "0123456789")
	digits := s[:len(s)-len(rest)]
	if digits == "" {
		return rest, true
	}
	_, err := strconv.Atoi(digits)
	return rest, err == nil && len(digits) <= 3
}

// printed are the arguments of a call of a function of package fmt, with the elements of the slice
// one by one. ok is false if SSA does not show them, or one has no basic type or has methods.
func printed(call *ssa.Call) (args []ssa.Value, ok bool) {
	args = append(args, call.Call.Args...)
	n := len(args) - 1
	if c, ok := args[n].(*ssa.Const); ok {
		return args[:n], c.Value == nil
	}
	slice, ok := args[n].(*ssa.Slice)
	if !ok || slice.Block() != call.Block() || slice.Low != nil || slice.High != nil || slice.Max != nil {
		return nil, false
	}
	array, ok := slice.X.(*ssa.Alloc)
	if !ok || array.Block() != call.Block() {
		return nil, false
	}
	boxes := map[int64]*ssa.MakeInterface{}
	for _, in := range call.Block().Instrs {
		// from the array to the call, each element is stored once
		switch in := in.(type) {
		case *ssa.Store:
			at, ok := in.Addr.(*ssa.IndexAddr)
			if !ok || at.X != array {
				break
			}
			i, ok := at.Index.(*ssa.Const)
			box, ok2 := in.Val.(*ssa.MakeInterface)
			if !ok || !ok2 || boxes[i.Int64()] != nil {
				return nil, false
			}
			boxes[i.Int64()] = box
		}
	}
	args = args[:n]
	for i := range int64(len(boxes)) {
		box := boxes[i]
		if box == nil || types.NewMethodSet(box.X.Type()).Len() > 0 || !basic(box.X.Type()) {
			return nil, false
		}
		args = append(args, box.X)
	}
	return args, int64(len(boxes)) == pointee(array.Type()).Underlying().(*types.Array).Len() && onlyUses(array, len(boxes)+1) && onlyUses(slice, 1)
}

func basic(t types.Type) bool {
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() != types.Uintptr && b.Kind() != types.UnsafePointer && b.Info()&types.IsComplex == 0
}

// onlyUses reports whether a value has n uses: those that the caller knows.
func onlyUses(v ssa.Value, n int) bool {
	for _, r := range *v.Referrers() {
		if _, ok := r.(*ssa.DebugRef); !ok {
			n--
		}
		if at, ok := r.(*ssa.IndexAddr); ok && !onlyUses(at, 1) {
			return false
		}
	}
	return n == 0
}
