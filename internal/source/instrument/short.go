package instrument

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// shortHook records an access in a loop as the difference to the last access at its site
// (format.RawShort): an address near the last one, and words that are likely to be equal.
func (rec *records) shortHook(h *plan.Hook, site trace.Site, e, addr string, words []string) {
	l := rec.loop
	w := fmt.Sprintf("%sw%d_", rec.regs.prefix, rec.shorts)
	rec.shorts++
	l.words = append(l.words, w)
	rec.regs.decls = append(rec.regs.decls, fmt.Sprintf("var %s uintptr; _ = %[1]s", w))
	size := h.Size
	if len(words) > 1 {
		size = 8 * int64(len(words))
	}
	var kind format.Flags
	if h.Kind == format.Write {
		kind = format.ShortWrite
	}
	head := func(f format.Flags) string {
		return fmt.Sprintf("%#x | uint64(uint16(d_))<<32", format.ShortHeader(kind|f, size, uint32(site)))
	}
	all := fmt.Sprintf("%#x", format.ShortHeader(kind|format.ShortAddr|format.ShortFirst|format.ShortRest, size, uint32(site)))
	rec.reserve(2 + len(words))
	near := "d_ + 0x8000 < 0x10000"
	start := fmt.Sprintf("{ c_ := %s; a_ := %s.Pointer(%s); d_ := uintptr(a_) - %s; %[4]s = uintptr(a_); ", e, unsafeName, addr, w)
	if len(words) == 1 && !sticky(h) {
		rec.out.putf("%sif %s { g_.W2(%s, %s) } else { g_.W3(%s, a_, %[4]s) } }", start, near, head(format.ShortFirst), words[0], all)
		return
	}
	var s strings.Builder
	s.WriteString(start)
	var now, last []string
	for i, x := range words {
		v := fmt.Sprintf("%s%c", w, 'a'+i)
		rec.regs.decls = append(rec.regs.decls, fmt.Sprintf("var %s uint64; _ = %[1]s", v))
		fmt.Fprintf(&s, "x%d_ := %s; ", i, x)
		now, last = append(now, fmt.Sprintf("x%d_", i)), append(last, v)
	}
	same := near
	for i := range words[1:] {
		same += " && " + now[i+1] + " == " + last[i+1]
	}
	fmt.Fprintf(&s, "if %s { if x0_ == %s { g_.W1(%s) } else { %[2]s = x0_; g_.W2(%[4]s, x0_) } } else { %[5]s = %[6]s; g_.W%[7]d(%[8]s, a_, %[6]s) } }",
		same, last[0], head(0), head(format.ShortFirst), strings.Join(last, ", "), strings.Join(now, ", "), 2+len(words), all)
	rec.out.put(s.String())
}

// sticky reports whether an access of one word is likely to have the same value as the last one. A
// pointer is more likely to than a number, and a variable that is not an element more than an
// element.
func sticky(h *plan.Hook) bool {
	if t, ok := h.Type.Underlying().(*types.Basic); ok && t.Info()&(types.IsNumeric|types.IsBoolean) != 0 {
		_, element := h.Addr.(*ssa.IndexAddr)
		return h.Kind == format.Read && !element
	}
	return true
}

// leaveFor reserves a line on the edge from one block to another for the entry of a loop.
func (rec *records) leaveFor(from, to *ssa.BasicBlock) {
	if l := rec.loops[to]; l != nil && rec.loops[from] != l {
		l.enter = append(l.enter, rec.out.put(""))
	}
}

// closeLoops writes the entries of the loops. They reset the last addresses, because another
// invocation may have executed the same loop since.
func (rec *records) closeLoops() {
	for _, l := range rec.loops {
		for _, at := range l.enter {
			if len(l.words) > 0 {
				rec.out.text[at] = strings.Join(l.words, ", ") + " = " + strings.TrimSuffix(strings.Repeat("0, ", len(l.words)), ", ")
			}
		}
	}
}
