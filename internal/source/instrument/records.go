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

const (
	chanLen     = format.ChanLen
	opaqueBegin = format.OpaqueBegin
	opaqueEnd   = format.OpaqueEnd
	exit        = format.Exit

	// maxRoom is the number of words of fixed-size records for which one Room makes room: the
	// recorder relies on this number being smaller than pgPromised.
	maxRoom = 64

	// maxCopy is the size in bytes up to which the value of an access is copied for its
	// record; larger ones are read a second time.
	maxCopy = 64
)

// header is the first word of a record.
func header(k format.Kind, f format.Flags, size int64, site trace.Site) uint64 {
	return format.RawHeader(k, f, uint16(size), uint32(site))
}

// records writes the calls that put records into the goroutine's stream. Room for consecutive
// records of fixed size is checked once.
type records struct {
	unit *unitEmitter
	regs *registers
	expr *expressions
	out  *lines

	loops  map[*ssa.BasicBlock]*loop
	loop   *loop // of the block being written, nil: none
	shorts int   // short accesses so far

	roomAt   int // index in out of the check that covers what follows, -1: none
	roomHead string
	need     int // words that the check covers so far
}

func newRecords(u *unitEmitter, regs *registers, expr *expressions, out *lines) *records {
	return &records{unit: u, regs: regs, expr: expr, out: out, roomAt: -1}
}

// before writes the hooks that precede an instruction, Call last.
func (rec *records) before(ip *plan.Instr) {
	for i := range ip.Before {
		rec.hook(&ip.Before[i], ip.Site)
	}
	if ip.Call && !rec.unit.gates {
		rec.barrier()
		rec.out.putf("g_.Call(%d)", ip.Site)
	}
}

func (rec *records) after(ip *plan.Instr) {
	for i := range ip.After {
		rec.hook(&ip.After[i], ip.Site)
	}
}

// hook writes one record.
func (rec *records) hook(h *plan.Hook, site trace.Site) {
	if rec.unit.gates {
		return
	}
	switch {
	case h.Kind == format.Value:
		rec.valueHook(h, site)
	case h.Extent == plan.MapObject:
		rec.reserve(3)
		rec.out.putf("{ c_ := %s; g_.W3(%#x, *(*%s.Pointer)(%[3]s.Pointer(&c_)), 8) }",
			rec.expr.hidden(h.Addr), header(h.Kind, format.FlagNoValue, 0, site), unsafeName)
	case h.Extent == plan.Text:
		rec.textHook(h, site)
	case h.Extent.Dynamic():
		rec.rangeHook(h, site)
	default:
		rec.accessHook(h, site)
	}
}

// operand writes the value that a hook records.
func (rec *records) operand(h *plan.Hook) string {
	if h.Index >= 0 {
		return rec.regs.component(h.Val, h.Index)
	}
	return rec.expr.hidden(h.Val)
}

func (rec *records) valueHook(h *plan.Hook, site trace.Site) {
	e := rec.operand(h)
	if h.Size < 0 {
		rec.barrier()
		rec.out.putf("%s.Val(g_, %#x, %s)", rtName, header(h.Kind, 0, 0, site), e)
		return
	}
	words := wordsOf(h.Type)
	hd := header(h.Kind, 0, h.Size, site)
	switch len(words) {
	case 1:
		rec.reserve(2)
		rec.out.putf("{ c_ := %s; g_.W2(%#x, %s) }", e, hd, words[0])
	case 2:
		rec.reserve(3)
		rec.out.putf("{ c_ := %s; g_.W3(%#x, %s.Pointer(uintptr(%s)), %s) }", e, hd, unsafeName, words[0], words[1])
	default:
		rec.barrier()
		rec.out.putf("{ c_ := %s; g_.Bytes(%#x, %s.Pointer(&c_), %d) }", e, header(h.Kind, 0, 0, site), unsafeName, h.Size)
	}
}

// accessHook records a read or write of the memory at a pointer.
func (rec *records) accessHook(h *plan.Hook, site trace.Site) {
	e, addr := rec.operand(h), rec.expr.hidden(h.Addr)
	words := wordsOf(h.Type)
	if len(words) == 0 || h.Size < 0 {
		rec.memHook(h, site, e, addr)
		return
	}
	if rec.loop != nil && len(rec.loop.words) < maxShort {
		rec.shortHook(h, site, e, addr, words)
		return
	}
	size := h.Size
	if len(words) > 1 {
		size = 8 * int64(len(words))
	}
	rec.reserve(2 + len(words))
	rec.out.putf("{ c_ := %s; g_.W%d(%#x, %s.Pointer(%s), %s) }",
		e, 2+len(words), header(h.Kind, 0, size, site), unsafeName, addr, strings.Join(words, ", "))
}

func (rec *records) memHook(h *plan.Hook, site trace.Site, e, addr string) {
	rec.barrier()
	hd := header(h.Kind, 0, 0, site)
	p := unsafeName + ".Pointer(" + addr + ")"
	switch {
	case h.Size < 0:
		rec.out.putf("{ c_ := %s; g_.Mem(%#x, %s, %s.Pointer(&c_), %[4]s.Sizeof(c_)) }", e, hd, p, unsafeName)
	case h.Size <= maxCopy:
		rec.out.putf("{ c_ := %s; g_.Mem(%#x, %s, %s.Pointer(&c_), %d) }", e, hd, p, unsafeName, h.Size)
	default:
		rec.out.putf("g_.Mem(%#x, %s, %s, %d)", hd, p, p, h.Size)
	}
}

// rangeHook records elements of a slice, with values if they are few.
func (rec *records) rangeHook(h *plan.Hook, site trace.Site) {
	rec.barrier()
	elems := "([]" + rec.unit.typ(h.Type) + ")"
	s := fmt.Sprintf("%s(%s)", elems, rec.expr.hidden(h.Addr))
	p := unsafeName + ".Pointer(" + unsafeName + ".SliceData(s_))"
	var n, when string
	switch h.Extent {
	case plan.Elements:
		n = "len(s_)"
	case plan.Copied:
		n = rec.operand(h)
	case plan.AppendGrown:
		n = "len(s_)"
		when = fmt.Sprintf(" && %s.SliceData(s_) != %[1]s.SliceData(%s(%s))", unsafeName, elems, rec.operand(h))
	case plan.AppendTail:
		n = fmt.Sprintf("len(%s) - len(s_)", rec.operand(h))
		p = fmt.Sprintf("%s.Pointer(%[1]s.SliceData(%s(%s)[len(s_):]))", unsafeName, elems, rec.operand(h))
	}
	size := fmt.Sprint(h.Size)
	if h.Size < 0 {
		size = fmt.Sprintf("%s.Sizeof(*%[1]s.SliceData(s_))", unsafeName)
	}
	rec.out.putf("{ s_ := %s; n_ := uintptr(%s) * %s; if n_ > 0%s { p_ := %s; if n_ <= %d { g_.Mem(%#x, p_, p_, n_) } else { g_.Range(%#x, p_, n_) } } }",
		s, n, size, when, p, plan.MaxValues, header(h.Kind, 0, 0, site), header(h.Kind, format.FlagNoValue, 0, site))
}

// textHook records the bytes of a string, with values if they are few and can be read.
func (rec *records) textHook(h *plan.Hook, site trace.Site) {
	rec.barrier()
	text := "string(c_)"
	if t, ok := plan.Core(h.Addr.Type()).(*types.Basic); !ok || t.Info()&types.IsString == 0 {
		text = fmt.Sprintf("*(*string)(%s.Add(%[1]s.Pointer(&c_), %d))", unsafeName, h.Offset)
	}
	rec.out.putf("{ c_ := %s; s_ := %s; n_ := uintptr(len(s_)); if n_ > 0 { g_.Text(%#[4]x, %[3]s.Pointer(%[3]s.StringData(s_)), n_) } }",
		rec.expr.hidden(h.Addr), text, unsafeName, header(h.Kind, format.FlagText, 0, site))
}

// wordsOf writes the words of the value c_ of type t as uint64 expressions; nil for
// types that need not lie in aligned words or have more than three.
func wordsOf(t types.Type) []string {
	if plan.Open(t) {
		return nil
	}
	bits := func(n int) string { return fmt.Sprintf("uint64(*(*uint%d)(%s.Pointer(&c_)))", n, unsafeName) }
	word := func(i int) string { return fmt.Sprintf("(*[2]uint64)(%s.Pointer(&c_))[%d]", unsafeName, i) }
	addr := func(e string) string { return fmt.Sprintf("uint64(uintptr(%s.Pointer(%s)))", unsafeName, e) }
	switch t := t.Underlying().(type) {
	case *types.Basic:
		switch info := t.Info(); {
		case info&types.IsString != 0:
			return []string{addr(unsafeName + ".StringData(string(c_))"), "uint64(len(c_))"}
		case info&types.IsComplex != 0:
			return nil
		case t.Kind() == types.UnsafePointer:
			return []string{addr("c_")}
		case t.Kind() == types.Int, t.Kind() == types.Uint, t.Kind() == types.Uintptr:
			return []string{"uint64(c_)"}
		case info&types.IsInteger != 0:
			return []string{fmt.Sprintf("uint64(uint%d(c_))", 8*plan.Sizeof(t))}
		case info&(types.IsBoolean|types.IsFloat) != 0:
			return []string{bits(8 * int(plan.Sizeof(t)))}
		}
	case *types.Pointer:
		return []string{addr("c_")}
	case *types.Map, *types.Chan, *types.Signature:
		return []string{bits(64)}
	case *types.Slice:
		return []string{addr(unsafeName + ".SliceData(c_)"), "uint64(len(c_))", "uint64(cap(c_))"}
	case *types.Interface:
		return []string{word(0), word(1)}
	}
	return nil
}

// reserve makes room for n words of fixed-size records that follow, in one check with
// those of its neighbours.
func (rec *records) reserve(n int) {
	if rec.need+n > maxRoom {
		rec.barrier()
	}
	if rec.roomAt < 0 {
		rec.roomAt = rec.out.put("")
		rec.roomHead = "g_.Room("
		rec.need = 0
	}
	rec.need += n
}

// barrier ends the records that one check covers, because the text that follows writes other
// records.
func (rec *records) barrier() {
	if rec.roomAt >= 0 {
		rec.out.text[rec.roomAt] = fmt.Sprintf("%s%d)", rec.roomHead, rec.need)
	}
	rec.roomAt, rec.need = -1, 0
}

// enterBlock writes the Block record, whose check covers what follows.
func (rec *records) enterBlock(blk *plan.Block) {
	if !blk.Recorded || rec.unit.gates {
		return
	}
	rec.roomAt = rec.out.put("")
	rec.roomHead = fmt.Sprintf("g_.Block(%#x, ", header(format.Block, 0, 0, blk.Site))
	rec.need = 0
}
