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
	// recorder relies on it that a promise is shorter than pgPromised.
	maxRoom = 64

	// maxCopy is the size in bytes up to which the value of an access is copied for its
	// record; larger ones are read a second time.
	maxCopy = 64
)

// header is the first word of a record.
func header(k format.Kind, f format.Flags, size int64, site trace.Site) uint64 {
	return format.RawHeader(k, f, uint16(size), uint32(site))
}

// before writes the hooks that precede an instruction, Call last.
func (b *body) before(ip *plan.Instr) {
	for i := range ip.Before {
		b.hook(&ip.Before[i], ip.Site)
	}
	if ip.Call && !b.gates {
		b.barrier()
		b.out.putf("g_.Call(%d)", ip.Site)
	}
}

func (b *body) after(ip *plan.Instr) {
	for i := range ip.After {
		b.hook(&ip.After[i], ip.Site)
	}
}

// hook writes one record.
func (b *body) hook(h *plan.Hook, site trace.Site) {
	if b.gates {
		return
	}
	switch {
	case h.Kind == format.Value:
		b.valueHook(h, site)
	case h.Extent == plan.MapObject:
		b.reserve(3)
		b.out.putf("{ c_ := %s; g_.W3(%#x, *(*%s.Pointer)(%[3]s.Pointer(&c_)), 8) }",
			b.hidden(h.Addr), header(h.Kind, format.FlagNoValue, 0, site), unsafeName)
	case h.Extent == plan.Text:
		b.textHook(h, site)
	case h.Extent.Dynamic():
		b.rangeHook(h, site)
	default:
		b.accessHook(h, site)
	}
}

// operand writes the value that a hook records.
func (b *body) operand(h *plan.Hook) string {
	if h.Index >= 0 {
		return b.component(h.Val, h.Index)
	}
	return b.hidden(h.Val)
}

func (b *body) valueHook(h *plan.Hook, site trace.Site) {
	e := b.operand(h)
	if h.Size < 0 {
		b.barrier()
		b.out.putf("%s.Val(g_, %#x, %s)", rtName, header(h.Kind, 0, 0, site), e)
		return
	}
	words := wordsOf(h.Type)
	hd := header(h.Kind, 0, h.Size, site)
	switch len(words) {
	case 1:
		b.reserve(2)
		b.out.putf("{ c_ := %s; g_.W2(%#x, %s) }", e, hd, words[0])
	case 2:
		b.reserve(3)
		b.out.putf("{ c_ := %s; g_.W3(%#x, %s.Pointer(uintptr(%s)), %s) }", e, hd, unsafeName, words[0], words[1])
	default:
		b.barrier()
		b.out.putf("{ c_ := %s; g_.Bytes(%#x, %s.Pointer(&c_), %d) }", e, header(h.Kind, 0, 0, site), unsafeName, h.Size)
	}
}

// accessHook records a read or write of what a pointer points to.
func (b *body) accessHook(h *plan.Hook, site trace.Site) {
	e, addr := b.operand(h), b.hidden(h.Addr)
	words := wordsOf(h.Type)
	if len(words) == 0 || h.Size < 0 {
		b.memHook(h, site, e, addr)
		return
	}
	if b.loop != nil && len(b.loop.words) < maxShort {
		b.shortHook(h, site, e, addr, words)
		return
	}
	size := h.Size
	if len(words) > 1 {
		size = 8 * int64(len(words))
	}
	b.reserve(2 + len(words))
	b.out.putf("{ c_ := %s; g_.W%d(%#x, %s.Pointer(%s), %s) }",
		e, 2+len(words), header(h.Kind, 0, size, site), unsafeName, addr, strings.Join(words, ", "))
}

func (b *body) memHook(h *plan.Hook, site trace.Site, e, addr string) {
	b.barrier()
	hd := header(h.Kind, 0, 0, site)
	p := unsafeName + ".Pointer(" + addr + ")"
	switch {
	case h.Size < 0:
		b.out.putf("{ c_ := %s; g_.Mem(%#x, %s, %s.Pointer(&c_), %[4]s.Sizeof(c_)) }", e, hd, p, unsafeName)
	case h.Size <= maxCopy:
		b.out.putf("{ c_ := %s; g_.Mem(%#x, %s, %s.Pointer(&c_), %d) }", e, hd, p, unsafeName, h.Size)
	default:
		b.out.putf("g_.Mem(%#x, %s, %s, %d)", hd, p, p, h.Size)
	}
}

// rangeHook records elements of a slice, with values if they are few.
func (b *body) rangeHook(h *plan.Hook, site trace.Site) {
	b.barrier()
	elems := "([]" + b.typ(h.Type) + ")"
	s := fmt.Sprintf("%s(%s)", elems, b.hidden(h.Addr))
	p := unsafeName + ".Pointer(" + unsafeName + ".SliceData(s_))"
	var n, when string
	switch h.Extent {
	case plan.Elements:
		n = "len(s_)"
	case plan.Copied:
		n = b.operand(h)
	case plan.AppendGrown:
		n = "len(s_)"
		when = fmt.Sprintf(" && %s.SliceData(s_) != %[1]s.SliceData(%s(%s))", unsafeName, elems, b.operand(h))
	case plan.AppendTail:
		n = fmt.Sprintf("len(%s) - len(s_)", b.operand(h))
		p = fmt.Sprintf("%s.Pointer(%[1]s.SliceData(%s(%s)[len(s_):]))", unsafeName, elems, b.operand(h))
	}
	size := fmt.Sprint(h.Size)
	if h.Size < 0 {
		size = fmt.Sprintf("%s.Sizeof(*%[1]s.SliceData(s_))", unsafeName)
	}
	b.out.putf("{ s_ := %s; n_ := uintptr(%s) * %s; if n_ > 0%s { p_ := %s; if n_ <= %d { g_.Mem(%#x, p_, p_, n_) } else { g_.Range(%#x, p_, n_) } } }",
		s, n, size, when, p, plan.MaxValues, header(h.Kind, 0, 0, site), header(h.Kind, format.FlagNoValue, 0, site))
}

// textHook records the bytes of a string, with values if they are few and can be read.
func (b *body) textHook(h *plan.Hook, site trace.Site) {
	b.barrier()
	text := "string(c_)"
	if t, ok := plan.Core(h.Addr.Type()).(*types.Basic); !ok || t.Info()&types.IsString == 0 {
		text = fmt.Sprintf("*(*string)(%s.Add(%[1]s.Pointer(&c_), %d))", unsafeName, h.Offset)
	}
	b.out.putf("{ c_ := %s; s_ := %s; n_ := uintptr(len(s_)); if n_ > 0 { g_.Text(%#[4]x, %[3]s.Pointer(%[3]s.StringData(s_)), n_) } }",
		b.hidden(h.Addr), text, unsafeName, header(h.Kind, format.FlagText, 0, site))
}

// emitChanLen takes the length of a channel through the recorder.
func (b *body) emitChanLen(in *ssa.Call, ip *plan.Instr) {
	if b.gates {
		b.out.putf("%s = len(%s)", b.names[in], b.hidden(in.Call.Args[0]))
		return
	}
	b.barrier()
	b.out.putf("{ c_ := %s; %s = g_.ChanLen(%#x, *(*%s.Pointer)(%[4]s.Pointer(&c_))) }",
		b.hidden(in.Call.Args[0]), b.names[in], header(chanLen, 0, 8, ip.Site), unsafeName)
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
func (b *body) reserve(n int) {
	if b.need+n > maxRoom {
		b.barrier()
	}
	if b.roomAt < 0 {
		b.roomAt = b.out.put("")
		b.roomHead = "g_.Room("
		b.need = 0
	}
	b.need += n
}

// barrier ends the stretch that one check covers: what follows writes records of its own.
func (b *body) barrier() {
	if b.roomAt >= 0 {
		b.out.text[b.roomAt] = fmt.Sprintf("%s%d)", b.roomHead, b.need)
	}
	b.roomAt, b.need = -1, 0
}

// enterBlock writes the Block record, whose check covers what follows.
func (b *body) enterBlock(blk *plan.Block) {
	if !blk.Recorded || b.gates {
		return
	}
	b.roomAt = b.out.put("")
	b.roomHead = fmt.Sprintf("g_.Block(%#x, ", header(format.Block, 0, 0, blk.Site))
	b.need = 0
}

// heap keeps the memory that a register points to off the stack, where its address would change.
func (b *body) heap(pointer string) {
	b.out.putf("%s.Heap(%s.Pointer(%s))", rtName, unsafeName, pointer)
}

// keep is heap for a map, and for the elements of a slice.
func (b *body) keep(v ssa.Value) {
	switch plan.Core(v.Type()).(type) {
	case *types.Slice:
		b.heap(fmt.Sprintf("%s.SliceData(%s)", unsafeName, b.names[v]))
	case *types.Map:
		b.out.putf("{ m_ := %s; %s.Heap(*(*%s.Pointer)(%[3]s.Pointer(&m_))) }", b.names[v], rtName, unsafeName)
	}
}
