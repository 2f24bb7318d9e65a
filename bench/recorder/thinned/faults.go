package thinned

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/presage-race/presage/internal/record/recorder"
)

// envFault names the variable that says which fault the recorder has.
const envFault = "PRESAGE_FAULT"

// A fault is a change of a file of the recorder. In the new text F is true if the fault is asked
// for.
type fault struct {
	name, file, old, new string
}

var faults = []fault{
	{name: "none"}, // but the waiting
	{"bytes-dropped", "cell", "case old&pgRecorded == 0 && old&pgAllBytes&^b != 0: // (SC3)", "case !F && old&pgRecorded == 0 && old&pgAllBytes&^b != 0:"},
	{"bytes-kept", "cell", "case old>>pgIDShift == s.key>>pgIDShift:", "case F || old>>pgIDShift == s.key>>pgIDShift:"},
	{"no-late", "cell", "func (s *PresageG) flush(word uintptr, e uint64, write bool) {\n", "func (s *PresageG) flush(word uintptr, e uint64, write bool) {\n\tif F {\n\t\treturn\n\t}\n"},
	{"no-first", "access", "&& s.taken(c, addr&^7, m|e, write)\n", "&& s.taken(c, addr&^7, m|e, write) && !F\n"},
	{"not-settled", "access", "return write || r&pgRecorded != 0", "return F || write || r&pgRecorded != 0"},
	{"no-seen", "cell", "\tt := &presageCells\n\tif s.inside == 0 ||", "\tt := &presageCells\n\tif F {\n\t\treturn\n\t}\n\tif s.inside == 0 ||"},
	{"no-clear", "granule", "if addr >= t.limit || n == 0 {", "if addr >= t.limit || n == 0 || F {"},
	{"no-exit-scan", "scan", "if !presage.on || presageCells.limit == 0 {", "if !presage.on || presageCells.limit == 0 || F {"},
	{"no-recheck", "cell", "o != 0 && !s.owns(o) { // since we looked (SC6)", "!F && o != 0 && !s.owns(o) {"},
	{"no-gc-scan", "core", "\tscanAll()\n", "\tif !F {\n\t\tscanAll()\n\t}\n"},
	{"no-sync-scan", "cell", "if s.pos != s.scanned {", "if s.pos != s.scanned && !F {"},
	{"no-release", "cell", "\t\treturn\n\t}\n\ts.width = 0\n", "\t\treturn\n\t}\n\tif F {\n\t\treturn\n\t}\n\ts.width = 0\n"},
	{"no-context", "cell", "\ts.key = 0\n\tswitch kind {", "\tif !F {\n\t\ts.key = 0\n\t}\n\tswitch kind {"},
	{"read-cleared", "cell", "if write && r != 0 && r&pgAllBytes&^b == 0 {", "if write && r != 0 && (F || r&pgAllBytes&^b == 0) {"},
	{"any-byte", "cell", "return b&^w == 0 || !write && b&^r == 0", "return F || b&^w == 0 || !write && b&^r == 0"},
	{"reads-dropped", "cell", "s.flush(word, atomic.Xchg64(&c.w, e), true)\n\t\t\ts.flush(word, atomic.Xchg64(&c.r, 0), false)\n\t\t\treturn true", "s.flush(word, atomic.Xchg64(&c.w, e), true)\n\t\t\tif x := atomic.Xchg64(&c.r, 0); !F {\n\t\t\t\ts.flush(word, x, false)\n\t\t\t}\n\t\t\treturn true"},
	{"word-cleared", "granule", "if e == 0 || pgSwap(p, e, e&^m) {", "if F {\n\t\t\t\tm = pgAllBytes\n\t\t\t}\n\t\t\tif e == 0 || pgSwap(p, e, e&^m) {"},
	{"not-shared", "cell", "if !s.owns(e) {\n\t\tdone =", "if !s.owns(e) && !F {\n\t\tdone ="},
	{"write-over-read", "access", "return w-s.base < s.width && m&^w == 0 && (r == 0 || r-s.base < s.width)", "return w-s.base < s.width && m&^w == 0 && (F || r == 0 || r-s.base < s.width)"},
	{"any-read", "access", "return r-s.base < s.width && m&^r == 0 || w-s.base < s.width && m&^w == 0", "return r-s.base < s.width && (F || m&^r == 0) || w-s.base < s.width && m&^w == 0"},
	{"no-short", "scan", "\t\t\t\ts.seen(a, shape&0xff)\n", "\t\t\t\tif !F {\n\t\t\t\t\ts.seen(a, shape&0xff)\n\t\t\t\t}\n"},
	{"write-not-late", "cell", "s.late(word, &c.w, atomic.Load64(&c.w), true)", "if !F {\n\t\t\ts.late(word, &c.w, atomic.Load64(&c.w), true)\n\t\t}"},
	{"stale-turn", "cell", "if old != 0 && !s.owns(old) {", "if !F && old != 0 && !s.owns(old) {"},
	{"atomic-late", "atomic", "s.seen(uintptr(unsafe.Pointer(p)), 8)", "if !F {\n\t\ts.seen(uintptr(unsafe.Pointer(p)), 8)\n\t}"},
	{"granule-unmarked", "granule", "\tfor word := first; word < first+pgGranule; word += 8 {\n", "\tfor word := first; word < first+pgGranule && !F; word += 8 {\n"},
	{"granule-anybody", "granule", "g&^pgInside == s.owner()|pgCells\n", "g&^pgInside == s.owner()|pgCells || F && g&pgCells != 0\n"},
	{"granule-taken", "granule", "case g&pgCells == 0:", "case g&pgCells == 0 || F:"},
	{"granule-empty", "granule", "\t\t\tif g&pgCells != 0 {\n\t\t\t\tmemclr", "\t\t\tif g&pgCells != 0 && !F {\n\t\t\t\tmemclr"},
	{"no-soil", "dirty", "if d := pgDirtyOf(addr); *d&m != m {", "if d := pgDirtyOf(addr); *d&m != m && !F {"},
	{"no-soil-short", "scan", "if mixed && h>>55&1 != 0 {", "if mixed && h>>55&1 != 0 && !F {"},
	{"no-soil-new", "dirty", "\ts.seen(addr, n)\n\tpgWrote(addr, n)\n", "\tif !F {\n\t\ts.seen(addr, n)\n\t\tpgWrote(addr, n)\n\t}\n"},
	{"no-catch-up", "dirty", "\tif gp.m.curg != gp || !presage.on {\n\t\treturn", "\tif gp.m.curg != gp || !presage.on || F {\n\t\treturn"},
	{"granule-clean", "granule", "if atomic.Cas(p, g, g|pgCells) {", "if atomic.Cas(p, g, g|pgCells) && !F {"},
	{"filled-clean", "granule", "\tpgSoilGranule(first)\n", "\tif !F {\n\t\tpgSoilGranule(first)\n\t}\n"},
	{"any-reader", "dirty", "\tx := pgFindReader(pc)\n", "\tif F {\n\t\treturn pgReaderOutside\n\t}\n\tx := pgFindReader(pc)\n"},
	{"word-clean", "dirty", "\t\tatomic.And8(pgDirtyOf(addr), ^uint8(m>>pgByteShift))\n\t\tif write {", "\t\tif F {\n\t\t\tm = pgAllBytes\n\t\t}\n\t\tatomic.And8(pgDirtyOf(addr), ^uint8(m>>pgByteShift))\n\t\tif write {"},
}

var faultWord = regexp.MustCompile(`\bF\b`)

// seedFaults changes the recorder's files.
func seedFaults(o recorder.Overlay) error {
	edit := func(file, old, new string) error {
		for from, to := range o.Replace {
			if !strings.HasSuffix(from, "/runtime/presage_"+file+".go") {
				continue
			}
			text, err := os.ReadFile(to)
			if err != nil {
				return err
			}
			if n := strings.Count(string(text), old); n != 1 {
				return fmt.Errorf("presage_%s.go has %d places like this, not one: %s", file, n, old)
			}
			return os.WriteFile(to, []byte(strings.Replace(string(text), old, new, 1)), 0o666)
		}
		return fmt.Errorf("the recorder has no file presage_%s.go", file)
	}
	for i, f := range faults {
		if f.file == "" {
			continue
		}
		is := fmt.Sprintf("(presageMistake == %d)", i+1)
		if err := edit(f.file, f.old, faultWord.ReplaceAllString(f.new, is)); err != nil {
			return err
		}
	}
	if err := edit("cell", "// presageCellsInit maps", "// presageMistake is the fault that is asked for.\nvar presageMistake int\n\n// presageCellsInit maps"); err != nil {
		return err
	}
	// Two goroutines are rarely at the same word within some nanoseconds: the recorder with
	// faults waits where that matters.
	for _, w := range []struct{ file, old string }{
		{"cell", "\tif !pgSwap(p, old, e) {"},
		{"cell", "\tq := &c.w\n"},
		{"cell", "\t\te := s.key | pgSharedWord | pgRecorded | m\n"},
		{"cell", "\tif done != e && pgSwap(p, e, done) {"},
		{"dirty", "\t\tif d := pgDirtyWritesOf(addr); *d&m != m {\n"},
		{"dirty", "\t\tif write {\n\t\t\tatomic.And8(pgDirtyWritesOf(addr), ^uint8(m>>pgByteShift))\n"},
	} {
		if err := edit(w.file, w.old, "\tif presageMistake != 0 {\n\t\tprocyield(uint32(cputicks()>>4)%16*30)\n\t}\n"+w.old); err != nil {
			return err
		}
	}
	return edit("cell", "func presageCellsInit() {\n", "func presageCellsInit() {\n\tfor _, c := range []byte(gogetenv(\""+envFault+"\")) {\n\t\tpresageMistake = presageMistake*10 + int(c-'0')\n\t}\n")
}
