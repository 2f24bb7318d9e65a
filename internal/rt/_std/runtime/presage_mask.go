package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// What the code of a call can touch of what it reaches: a mask is a text that the plan has made of the code (package footprint has its lines, and the rules D1 to D16). A walk goes where the
// code can go (presage_ways.go), and notes no more than that.

// A pgMask is the text of a mask; at 0 it is everything.
type pgMask struct{ at, n uintptr }

// Within says what the code of the call that MethodBegin began can touch. text is a constant of the program.
//
//go:noinline
func (s *PresageG) Within(text string) {
	if c := &s.call; c.open {
		c.mask = pgMask{uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(len(text))}
		c.nothing = text == ""
	}
}

// What a mask has of a piece of memory (D10).
const (
	pgUntouched = iota
	pgOnlyRead  // it is only read
	pgReadWritten
	pgWholly = 4 // a field, with all that it has
)

// levels is how many levels of memory a mask has (D11); 0: any.
func (m pgMask) levels() uintptr {
	if m.n == 0 {
		return 0
	}
	if c := *(*byte)(unsafe.Pointer(m.at)); c != '\n' {
		return uintptr(c - '0')
	}
	return 0
}

// find returns what a mask has of a, or a.b, and whether that is a way.
func (m pgMask) find(a, b string) (has int, way bool) {
	text := unsafe.String((*byte)(unsafe.Pointer(m.at)), int(m.n))
	n := len(a)
	if b != "" {
		n += 1 + len(b)
	}
	for i := 1; i < len(text); i++ {
		from := i
		for text[i] != '\n' {
			i++
		}
		end := from + n
		if end > i || text[from:from+len(a)] != a || b != "" && (text[from+len(a)] != '.' || text[end-len(b):end] != b) {
			continue
		}
		switch mark := text[end:i]; {
		case mark == "~":
			way = true
		case has != pgUntouched:
		case mark == "":
			has = pgReadWritten
		case mark == "?":
			has = pgOnlyRead
		case mark == "!" && b != "":
			has = pgReadWritten | pgWholly
		case mark == "!?" && b != "":
			has = pgOnlyRead | pgWholly
		}
	}
	return has, way
}

// line reports whether a mask has the line a, or a.b, and for what.
func (m pgMask) line(a, b string) int {
	has, _ := m.find(a, b)
	return has
}

// pgLine is a line of a mask, made of a kind, and of the number of an element.
type pgLine struct {
	text [8]byte
	at   int
}

func (l *pgLine) put(c byte) {
	l.at--
	l.text[l.at] = c
}

func (l *pgLine) number(n byte) {
	for {
		l.put('0' + n%10)
		if n /= 10; n == 0 {
			return
		}
	}
}

// kind reports whether a mask has variables of a kind.
func (m pgMask) kind(k abi.Kind) (has int) {
	l := pgLine{at: len(pgLine{}.text)}
	l.number(byte(k))
	l.put('=')
	return m.line(unsafe.String(&l.text[l.at], len(l.text)-l.at), "")
}

// element reports whether it has element i of arrays of a kind.
func (m pgMask) element(i uintptr, k abi.Kind) (has int) {
	l := pgLine{at: len(pgLine{}.text)}
	l.number(byte(k))
	l.put('=')
	l.put(']')
	l.number(byte(i))
	l.put('[')
	return m.line(unsafe.String(&l.text[l.at], len(l.text)-l.at), "")
}

// calls reports whether the code of a mask may call the closure at p, and that is not traced. A function that captures nothing may be one as well.
func (m pgMask) calls(p uintptr) bool {
	if p == 0 || !m.of(nil).closures {
		return false
	}
	switch kind, _, _, _ := pgRegion(p); kind {
	case pgHeap, pgStack, pgVariable, pgConstant:
		return !pgTraced(pgWord(p))
	}
	return true
}

// takes reports whether the code of a mask may have what a sync.Pool keeps: it calls its methods (D14).
func (m pgMask) takes() bool { return m.at == 0 || m.of(nil).pools }

// invokes reports whether the code of a mask may call a method of a value of type t, and that is not traced.
func (m pgMask) invokes(t *_type) bool { return m.at != 0 && m.of(t).methods }

// methods is invokes, found anew.
func (m pgMask) methods(t *_type) bool {
	u := t.Uncommon()
	if u == nil || u.Mcount == 0 || pgOpaqueType(t) {
		return false
	}
	return m.asks(t, u) && !pgMethodsTraced(t) && !(m.left() && pgTypeLeftOut(t))
}

// asksAny reports whether a mask has a line of methods.
func (m pgMask) asksAny() bool {
	text := unsafe.String((*byte)(unsafe.Pointer(m.at)), int(m.n))
	for i := 1; i < len(text); i++ {
		if text[i-1] == '\n' && text[i] == '.' {
			return true
		}
	}
	return false
}

// asks reports whether t has all methods of a line of methods.
func (m pgMask) asks(t *_type, u *abi.UncommonType) bool {
	text := unsafe.String((*byte)(unsafe.Pointer(m.at)), int(m.n))
	for i := 1; i < len(text); i++ {
		from := i
		for text[i] != '\n' {
			i++
		}
		if text[from] == '.' && pgHasMethods(t, u, text[from:i]) {
			return true
		}
	}
	return false
}

// pgHasMethods reports whether t has a method of each name in ".M.N".
func pgHasMethods(t *_type, u *abi.UncommonType, names string) bool {
	for i := 0; i < len(names); {
		from := i + 1
		for i++; i < len(names) && names[i] != '.'; i++ {
		}
		some := false
		for _, x := range u.Methods() {
			some = some || toRType(t).nameOff(x.Name).Name() == names[from:i]
		}
		if !some {
			return false
		}
	}
	return true
}

const (
	pgTouchSlots = 1 << 10
	pgTouchParts = 8  // of a value; what is more is one with the last
	pgElements   = 64 // of an array that have lines of their own
	pgTouchEach  = 64 // values from which on all of them are noted as one
)

// A pgTouch is what a mask has of a value of a type; of no type, what it has whatever the type is.
type pgTouch struct {
	_    sys.NotInHeap
	next *pgTouch
	mask pgMask
	typ  uintptr
	read pgTouched // only
	both pgTouched // read and written; what is in both lists, too

	ways     pgWays
	leads    bool // of the type: there is a way
	methods  bool // of the type, that are not traced, are called (invokes)
	closures bool // of no type: function values are called
	asks     bool // of no type: methods of interfaces are called
	maps     int  // of no type
	pools    bool // of no type: something is taken out of a sync.Pool, or put there
}

// pgTouched is a list of parts: from, to.
type pgTouched struct {
	n    int
	part [pgTouchParts][2]uintptr
}

var pgTouches [pgTouchSlots]uintptr // lists

// of returns what a mask has of values of type t.
func (m pgMask) of(t *_type) *pgTouch {
	head := &pgTouches[(uint64(m.at^uintptr(unsafe.Pointer(t))*31)*0x9E3779B97F4A7C15)>>54]
	for x := (*pgTouch)(unsafe.Pointer(atomic.Loaduintptr(head))); x != nil; x = x.next {
		if x.mask == m && x.typ == uintptr(unsafe.Pointer(t)) {
			return x
		}
	}
	x := (*pgTouch)(persistentalloc(unsafe.Sizeof(pgTouch{}), 8, &memstats.other_sys))
	x.mask, x.typ = m, uintptr(unsafe.Pointer(t))
	if t == nil {
		x.asks, x.closures, x.maps, x.pools = m.asksAny(), m.line("call", "") != pgUntouched, m.line("map", ""), m.line("sync.Pool", "") != pgUntouched
	} else {
		x.value(t, 0, pgUntouched)
		x.methods = m.methods(t)
		x.ways, x.leads = m.ways(t)
	}
	lock(&presage.mu)
	x.next = (*pgTouch)(unsafe.Pointer(*head))
	atomic.Storeuintptr(head, uintptr(unsafe.Pointer(x)))
	unlock(&presage.mu)
	return x
}

// value adds a value of type t, which begins at offset off, and reports what the mask has of it; field: what it has of the field that it is.
func (x *pgTouch) value(t *_type, off uintptr, field int) (has int) {
	switch t.Kind() {
	case abi.Struct:
		name := pgStructName(t)
		whole := x.mask.line(name, "")
		if has = whole; has != pgUntouched {
			x.add(off, off+t.Size_, has)
		}
		for i := range (*abi.StructType)(unsafe.Pointer(t)).Fields {
			f := &(*abi.StructType)(unsafe.Pointer(t)).Fields[i]
			if f.Typ.Size_ == 0 || whole == pgReadWritten {
				continue
			}
			switch k := x.mask.line(name, f.Name.Name()); {
			case k == pgUntouched && x.mask.of(nil).asks && pgEmbeds(f): // a wrapper may load it
				has = max(has, x.value(f.Typ, off+f.Offset, pgOnlyRead))
			case k&pgWholly != 0:
				x.add(off+f.Offset, off+f.Offset+f.Typ.Size_, k&^pgWholly)
				has = max(has, k&^pgWholly)
			case k != pgUntouched:
				has = max(has, x.value(f.Typ, off+f.Offset, k))
			}
		}
		return has
	case abi.Array:
		return x.array((*abi.ArrayType)(unsafe.Pointer(t)), off)
	}
	if has = field; has == pgUntouched {
		has = x.mask.kind(t.Kind())
	}
	if has != pgUntouched {
		x.add(off, off+t.Size_, has)
	}
	return has
}

func (x *pgTouch) array(a *abi.ArrayType, off uintptr) (has int) {
	end, size := off+a.Size_, a.Elem.Size_
	if k := a.Elem.Kind(); k != abi.Struct && k != abi.Array {
		all := x.mask.kind(k)
		if all != pgUntouched && a.Len > 0 {
			x.add(off, end, all)
			has = all
		}
		for i := range min(a.Len, pgElements) {
			if one := x.mask.element(i, k); one > all {
				x.add(off+i*size, off+(i+1)*size, one)
				has = max(has, one)
			}
		}
		return has
	}
	for i := uintptr(0); i < a.Len && i < 2; i++ {
		has = max(has, x.value(a.Elem, off+i*size, pgUntouched))
	}
	if a.Len > 2 && has != pgUntouched {
		x.add(off, end, has)
	}
	return has
}

// add adds a part. Parts of a list come in order, but for those that are in the last.
func (x *pgTouch) add(from, to uintptr, has int) {
	l := &x.read
	if has == pgReadWritten {
		l = &x.both
	}
	if l.n > 0 && (l.n == pgTouchParts || l.part[l.n-1][1] >= from) {
		last := &l.part[l.n-1]
		last[0], last[1] = min(last[0], from), max(last[1], to)
		return
	}
	l.part[l.n] = [2]uintptr{from, to}
	l.n++
}

// pgStructName is the name of a struct in masks: its generic type, if it is an instance.
func pgStructName(t *_type) string {
	if t.TFlag&abi.TFlagNamed == 0 {
		return "struct"
	}
	s := toRType(t).string()
	for i := range len(s) {
		if s[i] == '[' {
			return s[:i]
		}
	}
	return s
}

// pgTouchFew is of how many types a walk keeps what the mask has of their values.
const pgTouchFew = 4

// A pgTouchNear is what the mask of a walk has of values of a type.
type pgTouchNear struct {
	of    *pgType
	touch *pgTouch
}

// touchOf returns what the mask has of values of a type, nil if it is everything.
func (r *pgWalk) touchOf(x *pgType) *pgTouch {
	if r.mask.at == 0 {
		return nil
	}
	k := &r.touches[uintptr(unsafe.Pointer(x))>>4%pgTouchFew]
	if k.of != x {
		k.of, k.touch = x, r.mask.of(x.typ)
	}
	return k.touch
}

// touch notes what the mask has, which is x, of n values of type t at p, of which size bytes are there.
func (r *pgWalk) touch(x *pgTouch, p uintptr, t *_type, n, size uintptr) {
	if x == nil {
		r.note(p, size)
		return
	}
	switch many := n > pgTouchEach || size != n*t.Size_; {
	case x.both.n > 0 && (many || x.both.is(t)):
		r.note(p, size)
	case x.read.n > 0 && (many || x.both.n == 0 && x.read.is(t)):
		r.note(p, size|pgReads)
	default:
		if x.both.n > 0 {
			r.noteEach(&x.both, p, t, n, 0)
		}
		if x.read.n > 0 {
			r.noteEach(&x.read, p, t, n, pgReads)
		}
	}
}

// noteEach notes the parts of n values of type t at p.
func (r *pgWalk) noteEach(x *pgTouched, p uintptr, t *_type, n, reads uintptr) {
	for ; n > 0; n-- {
		for i := range x.n {
			r.note(p+x.part[i][0], x.part[i][1]-x.part[i][0]|reads)
		}
		p += t.Size_
	}
}

// none reports whether a mask has nothing of the values.
func (x *pgTouch) none() bool { return x.both.n == 0 && x.read.n == 0 }

// is reports whether the list is a value of type t as a whole.
func (x *pgTouched) is(t *_type) bool { return x.n == 1 && x.part[0] == [2]uintptr{0, t.Size_} }
