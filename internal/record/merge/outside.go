package merge

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Accesses of outside code: packages that were compiled with the compiler's access hooks instead of
// being re-emitted.
//
//   - (L1) A late record names the context in which its access was executed, a stretch of a stream
//     between two operations of synchronisation. The access is placed in that context: before the
//     operation that ends it. Where in the context does not matter for happens-before.
//   - (L2) But it comes before an Alloc of its memory that was made after the late record was
//     written: it was an access of what was there before.
//   - (L3) Emitted code writes its own records of what the runtime does for it (maps, copies). The
//     recorder cannot tell and writes them as accesses of outside code; those whose program counter
//     is in emitted code are left out. A function that was left as written has no other records, so
//     its accesses stay. Which function it is: the one of that name, or else the one that begins
//     last in front of the line.

// The entry of a cell as a late record has it (recorder, presage_cell.go).
const (
	entryPCBits   = 25
	entryContext  = 35
	entryAllBytes = 0xff << entryPCBits
)

// late is an access of a late record.
type late struct {
	word  uint64
	entry uint64
	at    uint64 // stamp at which the record was written
	kind  format.Kind
	done  bool
}

// pcPlace is the place of a program counter.
type pcPlace struct {
	name, file string
	line       int32
}

// outside is what the recording has about outside code, and how far it is merged.
type outside struct {
	used    bool               // there is a context
	late    map[uint64][]*late // by context
	places  map[uint32]pcPlace
	pending map[uint64][]pending // late accesses of open contexts, by page
	sites   map[uint32]trace.Site
	// of accesses that the runtime announces on behalf of emitted code
	announced map[uint32]trace.Site
	files     map[string]int32
	funcs     map[pcPlace]trace.FuncID
	emitted   map[string][]unit // files of emitted code, by name: their functions by line
	named     map[string]unit   // functions of emitted files, by name
}

// unit is what (L3) needs of a function of an emitted file.
type unit struct {
	line   int32
	opaque bool // it was left as written
}

// pending is a late access whose context is open.
type pending struct {
	*late
	s *stream
}

const osPageShift = 12 // pages by which late accesses are found

// noteLate keeps a RawLate.
func (r *recording) noteLate(w []byte, kind uint32) {
	if r.out.late == nil {
		r.out.late = make(map[uint64][]*late)
	}
	x := &late{word: word(w, 0), entry: word(w, 8), at: word(w, 16), kind: format.Kind(kind)}
	id := x.entry >> entryContext
	r.out.late[id] = append(r.out.late[id], x)
}

// notePC keeps a RawPC.
func (r *recording) notePC(pc uint32, size int, w []byte) {
	if r.out.places == nil {
		r.out.places = make(map[uint32]pcPlace)
	}
	text := w[8:]
	text = text[:min(size, len(text))]
	name, file, _ := bytes.Cut(text, []byte{0})
	r.out.places[pc] = pcPlace{string(name), string(file), int32(word(w, 0))}
}

// context begins a context of s.
func (m *merger) context(s *stream, id uint64) {
	m.out.used = true
	list := m.out.late[id]
	delete(m.out.late, id)
	for _, x := range list {
		page := x.word >> osPageShift
		if m.out.pending == nil {
			m.out.pending = make(map[uint64][]pending)
		}
		m.out.pending[page] = append(m.out.pending[page], pending{x, s})
	}
	s.late = list
}

// endContext places the late accesses of the context of s (L1).
func (m *merger) endContext(s *stream) {
	for _, x := range s.late {
		m.placeLate(s, x)
		page := x.word >> osPageShift
		list := m.out.pending[page]
		k := 0
		for _, p := range list {
			if p.late != x {
				list[k] = p
				k++
			}
		}
		if k == 0 {
			delete(m.out.pending, page)
		} else {
			m.out.pending[page] = list[:k]
		}
	}
	s.late = s.late[:0]
}

// reused places late accesses of memory that is allocated at stamp t (L2).
func (m *merger) reused(x, n, t uint64) {
	if len(m.out.pending) == 0 || n == 0 {
		return
	}
	first, last := x>>osPageShift, (x+n-1)>>osPageShift
	if last-first >= uint64(len(m.out.pending)) {
		for page, list := range m.out.pending {
			if first <= page && page <= last {
				m.reusedPage(list, x, n, t)
			}
		}
		return
	}
	for page := first; page <= last; page++ {
		m.reusedPage(m.out.pending[page], x, n, t)
	}
}

func (m *merger) reusedPage(list []pending, x, n, t uint64) {
	for _, p := range list {
		if !p.done && p.at < t && p.word < x+n && x < p.word+8 {
			m.placeLate(p.s, p.late)
		}
	}
}

// placeLate places a late access, one event for each run of bytes.
func (m *merger) placeLate(s *stream, x *late) {
	if x.done || m.full {
		return
	}
	x.done = true
	site := m.outsideSite(uint32(x.entry & (1<<entryPCBits - 1)))
	if site == 0 {
		return
	}
	p := placed{e: trace.Event{Kind: x.kind, Flags: format.FlagOpaque | format.FlagNoValue | format.FlagLate, G: m.owner(s), Site: site}, s: s.index, from: s.from, to: s.stamp}
	for b := uint8((x.entry & entryAllBytes) >> entryPCBits); b != 0; {
		at := bits.TrailingZeros8(b)
		n := bits.TrailingZeros8(^(b >> at))
		p.e.Obj, p.e.Size = trace.Addr(x.word+uint64(at)), uint16(n)
		m.place(p)
		b &^= uint8(1<<n-1) << at
	}
	m.stats.Late++
}

// outsideAccess places an access that outside code has a record of.
func (m *merger) outsideAccess(s *stream, r *record, p placed) {
	if full := p.e.Flags&format.FlagFull != 0; full != m.full {
		return
	}
	p.e.Flags &^= format.FlagFull
	if isAudited(r) {
		m.audited(r, p)
		return
	}
	if p.e.Site = m.outsideSite(r.site &^ format.OutsidePC); p.e.Site != 0 {
		m.stats.Outside++
		m.bytes(r, p)
	}
}

// audited places an access of an audit. Emitted code's writes are kept (L3): its own records of
// copies have no values.
func (m *merger) audited(r *record, p placed) {
	pc := r.site &^ format.OutsidePC
	p.e.Obj, p.e.Size, p.e.Val = trace.Addr(r.word(0)), r.size, r.word(1)
	if p.e.Site = m.outsideSite(pc); p.e.Site == 0 {
		if r.kind == format.Read {
			return
		}
		p.e.Site = m.announcedSite(pc)
	}
	m.stats.Outside++
	m.place(p)
}

// announcedSite returns the site of a program counter of emitted code, of what the runtime
// announces on its behalf.
func (m *merger) announcedSite(pc uint32) trace.Site {
	s, ok := m.out.announced[pc]
	if !ok {
		if m.out.announced == nil {
			m.out.announced = make(map[uint32]trace.Site)
		}
		s = m.newSite(m.out.places[pc])
		m.out.announced[pc] = s
	}
	return s
}

// outsideSite returns the site of a program counter of outside code, 0 if it is emitted code's
// (L3). Sites are made in the order in which they are met.
func (m *merger) outsideSite(pc uint32) trace.Site {
	if s, ok := m.out.sites[pc]; ok {
		return s
	}
	if m.out.sites == nil {
		m.outsideTables()
	}
	at, known := m.out.places[pc]
	if !known {
		at = pcPlace{name: "code of which the place was not recorded"}
	}
	if m.emits(at) {
		m.out.sites[pc] = 0
		return 0
	}
	s := m.newSite(at)
	m.out.sites[pc] = s
	return s
}

// newSite makes a site of a place.
func (m *merger) newSite(at pcPlace) trace.Site {
	s := trace.Site(len(m.meta.Sites))
	m.meta.Sites = append(m.meta.Sites, trace.SiteInfo{Func: m.outsideFunc(at), Block: -1, Instr: -1, File: m.outsideFile(at.file), Line: at.line})
	return s
}

// outsideTables prepares the tables of sites. Those of the program that was built are shared by its
// processes, and not changed.
func (m *merger) outsideTables() {
	m.out.sites, m.out.files, m.out.funcs = make(map[uint32]trace.Site), make(map[string]int32), make(map[pcPlace]trace.FuncID)
	m.out.emitted, m.out.named = make(map[string][]unit), make(map[string]unit)
	for i, f := range m.meta.Files {
		m.out.emitted[f.Name] = nil
		m.out.files[f.Name] = int32(i)
	}
	for _, f := range m.meta.Funcs {
		u := unit{line: f.Line, opaque: f.Opaque != ""}
		m.out.named[f.Name] = u
		if f.File >= 0 && int(f.File) < len(m.meta.Files) {
			name := m.meta.Files[f.File].Name
			m.out.emitted[name] = append(m.out.emitted[name], u)
		}
	}
	for _, list := range m.out.emitted {
		slices.SortStableFunc(list, func(a, b unit) int { return cmp.Compare(a.line, b.line) })
	}
	if len(m.meta.Sites) == 0 {
		m.meta.Sites = make([]trace.SiteInfo, 1)
	}
	m.meta.Outside = &trace.Outside{Files: len(m.meta.Files), Funcs: len(m.meta.Funcs), Sites: len(m.meta.Sites)}
	m.meta.Sites = m.meta.Sites[:len(m.meta.Sites):len(m.meta.Sites)]
	m.meta.Files = m.meta.Files[:len(m.meta.Files):len(m.meta.Files)]
	m.meta.Funcs = m.meta.Funcs[:len(m.meta.Funcs):len(m.meta.Funcs)]
}

// emits reports whether emitted code is at a place (L3).
func (m *merger) emits(at pcPlace) bool {
	if u, ok := m.out.named[at.name]; ok {
		return !u.opaque
	}
	units, ok := m.out.emitted[at.file]
	if !ok {
		return false
	}
	i, _ := slices.BinarySearchFunc(units, at.line+1, func(u unit, line int32) int { return cmp.Compare(u.line, line) })
	if i == 0 {
		return true
	}
	for line := units[i-1].line; i > 0 && units[i-1].line == line; i-- {
		if !units[i-1].opaque {
			return true
		}
	}
	return false
}

func (m *merger) outsideFile(name string) int32 {
	if name == "" {
		return -1
	}
	i, ok := m.out.files[name]
	if !ok {
		i = int32(len(m.meta.Files))
		m.meta.Files = append(m.meta.Files, trace.File{Name: name})
		m.out.files[name] = i
	}
	return i
}

func (m *merger) outsideFunc(at pcPlace) trace.FuncID {
	key := pcPlace{name: at.name, file: at.file}
	f, ok := m.out.funcs[key]
	if !ok {
		f = trace.FuncID(len(m.meta.Funcs))
		m.meta.Funcs = append(m.meta.Funcs, trace.Func{Name: at.name, Pkg: packageOf(at.name), File: m.outsideFile(at.file), Line: at.line})
		m.out.funcs[key] = f
	}
	return f
}

// packageOf returns the import path in the name of a function.
func packageOf(name string) string {
	slash := 0
	for i := 0; i < len(name) && name[i] != '[' && name[i] != '('; i++ {
		if name[i] == '/' {
			slash = i
		}
	}
	for i := slash; i < len(name); i++ {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return name
}
