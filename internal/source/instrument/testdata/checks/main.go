// Checks that the language makes in expressions whose value is not used, or is a constant: nil, bounds, division, shifts, conversions,
// comparisons, assertions, sizes. Each line of the output says which functions were called, and how the statement ended.
//
// One statement is not here: x[4] = struct{}{} of a local x [4]struct{}, at which Go's own compiler (go1.26) makes no check.
package main

import (
	"fmt"
	"unsafe"
)

type struct0 struct{}

func (struct0) val() {}

type st struct {
	z    struct0
	i    int
	arr2 [4]int
}

func (st) val()  {}
func (*st) ptr() {}

type strst struct{ i int }

func (s *strst) String() string { return fmt.Sprint(s.i) }

type emb struct{ *st }
type embv struct {
	a [8]int
	st
}
type emb2 struct {
	k int
	*embv
}
type embi struct{ fmt.Stringer }
type embArr struct{ *hasArr }
type hasArr struct{ arr [4]int }
type pair struct{ a, b int }
type big struct {
	x [10000]int
	y int
	w [4]struct{}
}
type P struct {
	arr [4]int
	i   int
	s   *st
	sl  []int
	m   map[string]int
	fn  func()
}

var (
	np        *[4]int
	naa       *[4][4]int
	nz        *[0]int
	ni        *int
	npp       **int
	nst       *st
	npst      **st
	nz0       *struct0
	nbig      *big
	nstr      *string
	nempty    *string
	nsl       *[]int
	nbytes    *[]byte
	nmap      *map[string]int
	nch       *chan int
	nfn       *func(func(int) bool)
	nfunc     *func()
	nb        *bool
	nf        *float64
	nc        *complex128
	nany      *any
	nup       *unsafe.Pointer
	npair     *pair
	nsp       *strst
	nemb      *emb
	nembv     *embv
	pn        *P
	ns        []int
	nss       []struct{}
	s1        = make([]int, 3, 4)
	s0        [][4]int
	e         any = 5
	e2        any = []int{1}
	e3        any = []int{2}
	nstringer fmt.Stringer
	idx       int
	zero      int
	one       = 1
	neg       = -1
	sink      int
)

//go:noinline
func use(i int)       { sink += i }
func f() *[4]int      { fmt.Print(" f"); return nil }
func fz() *[0]int     { fmt.Print(" fz"); return nil }
func h(int) *[4]int   { fmt.Print(" h"); return nil }
func ps() *P          { fmt.Print(" ps"); return nil }
func aa() *[4][4]int  { fmt.Print(" aa"); return nil }
func gi() int         { fmt.Print(" gi"); return 0 }
func gs() string      { fmt.Print(" gs"); return "abc" }
func gns() []int      { fmt.Print(" gns"); return nil }
func ge() any         { fmt.Print(" ge"); return 5 }
func ge2() any        { fmt.Print(" ge2"); return e2 }
func garr() [4]int    { fmt.Print(" garr"); return [4]int{} }
func gst() *st        { fmt.Print(" gst"); return nil }
func gemb() emb       { fmt.Print(" gemb"); return emb{} }
func gembarr() embArr { fmt.Print(" gembarr"); return embArr{} }
func g2() (int, int)  { fmt.Print(" g2"); return *ni, 1 }

func glen[T any](p *[4]T)       { _ = len(*p); _ = len(p) }
func glen2[T any](p *[4]T)      { use(len(*gid(p))) }
func gid[T any](p T) T          { fmt.Print(" gid"); return p }
func gconv[A any, S any](s S)   { var x any = s; _ = x.(A) }
func gcmp[T comparable](a, b T) { _ = a == b }
func gcmpu[T comparable](a, b T) {
	if a == b {
		use(1)
	}
}
func gidx[T any](s []T)                  { _ = s[0] }
func gidxp[T interface{ *[4]int }](s T)  { _ = s[0] }
func gslice[T any](s []T)                { _ = s[1:] }
func gdiv[T int | int8](a, b T)          { _ = a / b }
func gshl[T int | int8](a, b T)          { _ = a << b }
func gmeth[T fmt.Stringer](x T)          { _ = x.String() }
func gmethv[T fmt.Stringer](x T)         { _ = x.String }
func gderef[T any](p *T)                 { _ = *p }
func gderefv[T interface{ val() }](p *T) { _ = (*p).val }
func gta[T any](x any)                   { _ = x.(T) }
func gta2[T any](x any)                  { _, ok := x.(T); _ = x.(T); _ = ok }
func gmake[S ~[]E, E any](n int)         { _ = make(S, n) }
func gsize[T any](p *T)                  { _ = unsafe.Sizeof(*p); _ = unsafe.Sizeof(*gid(p)) }
func gclear[S ~[]E, E any](p *S)         { clear(*p) }
func garrlen[T [4]int](p *T)             { _ = len(*gid(p)) }
func glenp[T *[4]int](p T)               { _ = len(p) }
func glenpdc[T any](p *[4]T)             { _ = len(*gid(p)) }
func gfield[T any](p *struct{ a, b T })  { _ = p.b }
func gmin[T int | string](p *T)          { _ = min(*p, *p) }
func gcv[A, B int | int64](p *B)         { _ = A(*p) }

func run(name string, f func()) {
	fmt.Print(name, ":")
	defer func() { fmt.Printf(" %v\n", recover()) }()
	f()
	fmt.Print(" end")
}

func main() {
	for _, c := range table {
		run(c.name, c.f)
	}
}

var gx any

func gsizeg[T any]() {
	var x T
	g := func() { _ = x; gx = x }
	use(int(unsafe.Sizeof(x)) + int(unsafe.Alignof(*gid(&x))))
	g()
	p := &x
	q := &*p
	use(int(unsafe.Sizeof(*q)))
}

var table = []struct {
	name string
	f    func()
}{
	{"lenCall", func() {
		_ = len(*f())
	}},
	{"capCall", func() {
		_ = cap(*f())
	}},
	{"lenPtrCall", func() {
		_ = len(f())
	}},
	{"lenCallStmtUsed", func() {
		n := len(*f())
		use(n)
	}},
	{"lenField", func() {
		_ = len(ps().arr)
	}},
	{"lenRecv", func() {
		c := make(chan *[4]int, 1)
		c <- nil
		_ = len(*<-c)
	}},
	{"lenElem", func() {
		_ = len(aa()[1])
	}},
	{"lenElemDeref", func() {
		_ = len((*aa())[1])
	}},
	{"lenNoCall", func() {
		_ = len(*np)
	}},
	{"lenIndexed", func() {
		var i = idx
		_ = len((*naa)[i])
	}},
	{"lenOfSliceOfArrays", func() {
		var s [][4]int
		_ = len(s[idx])
	}},
	{"lenIndexCall", func() {
		var s [][4]int
		_ = len(s[gi()])
	}},
	{"lenArrFieldCallInside", func() {
		_ = len(ps().s.arr2)
	}},
	{"lenParen", func() {
		_ = len((*(f())))
	}},
	{"lenLit", func() {
		_ = len([3]int{1, gi(), *ni})
	}},
	{"lenLit2", func() {
		_ = len([3]int{1, 2, *ni})
	}},
	{"lenLit3", func() {
		_ = len([3]int{1, 2, 1 / zero})
	}},
	{"lenTA", func() {
		_ = len(e.([4]int))
	}},
	{"lenTA2", func() {
		_ = len(*e.(*[4]int))
	}},
	{"lenTACall", func() {
		_ = len(ge().([4]int))
	}},
	{"lenTAPCall", func() {
		_ = len(*ge().(*[4]int))
	}},
	{"lenMap", func() {
		var m map[string]*[4]int
		_ = len(*m["a"])
	}},
	{"lenMapCall", func() {
		var m map[string]*[4]int
		_ = len(*m[gs()])
	}},
	{"lenMapIface", func() {
		m := map[any]*[4]int{}
		_ = len(m[e2])
	}},
	{"lenMapIfaceCall", func() {
		m := map[any]*[4]int{}
		_ = len(m[ge2()])
	}},
	{"lenConv", func() {
		_ = len([4]int(ns))
	}},
	{"lenConvCall", func() {
		_ = len([4]int(gns()))
	}},
	{"lenConvP", func() {
		_ = len((*[4]int)(ns))
	}},
	{"lenConvPCall", func() {
		_ = len((*[4]int)(gns()))
	}},
	{"lenConvPD", func() {
		_ = len(*(*[4]int)(gns()))
	}},
	{"lenString", func() {
		_ = len(*nstr)
	}},
	{"lenSlice", func() {
		_ = len(*nsl)
	}},
	{"lenSliceF", func() {
		_ = len(pn.sl)
	}},
	{"lenMapF", func() {
		_ = len(*nmap)
	}},
	{"capSlice", func() {
		_ = cap(*nsl)
	}},
	{"lenChanP", func() {
		_ = len(*nch)
	}},
	{"lenArg", func() {
		use(len(*f()))
	}},
	{"lenVar", func() {
		var x int = len(*f())
		use(x)
	}},
	{"lenDiscardGen", func() {
		glen[int](nil)
	}},
	{"lenGenericUsed", func() {
		glen2[int](nil)
	}},
	{"lenStmtInIf", func() {
		if len(*f()) == 4 {
			use(1)
		}
	}},
	{"lenSwitch", func() {
		switch len(*f()) {
		case 4:
			use(1)
		}
	}},
	{"lenIn64", func() {
		var x int64 = int64(len(*f()))
		use(int(x))
	}},
	{"lenArith", func() {
		x := len(*f()) + 1
		use(x)
	}},
	{"lenArith2", func() {
		_ = 2*len(*f()) + 1
	}},
	{"lenShift", func() {
		_ = 1 << len(*f())
	}},
	{"lenIdx", func() {
		var a [10]int
		_ = a[len(*f())]
	}},
	{"lenMakes", func() {
		_ = make([]int, len(*f()))
	}},
	{"lenNested", func() {
		_ = len(*h(len(*f())))
	}},
	{"rangeNo", func() {
		for range *f() {
			use(1)
		}
	}},
	{"rangeI", func() {
		for i := range *f() {
			use(i)
		}
	}},
	{"rangeIV", func() {
		for i, v := range *f() {
			use(i + v)
		}
	}},
	{"range_V", func() {
		for _, v := range *f() {
			use(v)
		}
	}},
	{"range_", func() {
		for _ = range *f() {
			use(1)
		}
	}},
	{"range__", func() {
		for _, _ = range *f() {
			use(1)
		}
	}},
	{"rangeI_", func() {
		for i, _ := range *f() {
			use(i)
		}
	}},
	{"rangePtrI", func() {
		for i := range f() {
			use(i)
		}
	}},
	{"rangePtrNo", func() {
		for range f() {
			use(1)
		}
	}},
	{"rangePtrIV", func() {
		for i, v := range f() {
			use(i + v)
		}
	}},
	{"rangePtr_V", func() {
		for _, v := range f() {
			use(v)
		}
	}},
	{"rangeNilP", func() {
		for i := range *np {
			use(i)
		}
	}},
	{"rangeNilPNo", func() {
		for range *np {
			use(1)
		}
	}},
	{"rangeNilPV", func() {
		for i, v := range *np {
			use(i + v)
		}
	}},
	{"rangeFieldI", func() {
		for i := range pn.arr {
			use(i)
		}
	}},
	{"rangeFieldCallI", func() {
		for i := range ps().arr {
			use(i)
		}
	}},
	{"rangeKeyAny", func() {
		var k any
		for k = range pn.arr {
			use(k.(int))
		}
	}},
	{"rangeKeyAnyCall", func() {
		var k any
		for k = range *f() {
			use(k.(int))
		}
	}},
	{"rangeKeyAnyMap", func() {
		m := map[string]any{}
		for m["a"] = range (*naa)[1] {
			use(m["a"].(int))
		}
	}},
	{"sizeofGen2", func() {
		gsizeg[int]()
	}},
	{"rangeFieldNo", func() {
		for range pn.arr {
			use(1)
		}
	}},
	{"rangeFieldCallNo", func() {
		for range ps().arr {
			use(1)
		}
	}},
	{"rangeElem", func() {
		for range (*naa)[1] {
			use(1)
		}
	}},
	{"rangeElemIdx", func() {
		for range (*naa)[idx+5] {
			use(1)
		}
	}},
	{"rangeElemCall", func() {
		for range aa()[1] {
			use(1)
		}
	}},
	{"rangeElemP", func() {
		for range s0[idx] {
			use(1)
		}
	}},
	{"rangeElemPI", func() {
		for i := range s0[idx] {
			use(i)
		}
	}},
	{"rangeElemPCall", func() {
		for range s0[gi()] {
			use(1)
		}
	}},
	{"rangeZero", func() {
		for range *fz() {
			use(1)
		}
	}},
	{"rangeZeroI", func() {
		for i := range *fz() {
			use(i)
		}
	}},
	{"rangeZeroIV", func() {
		for i, v := range *fz() {
			use(i + v)
		}
	}},
	{"rangeZeroNo", func() {
		for range *nz {
			use(1)
		}
	}},
	{"rangeTA", func() {
		for range e.([4]int) {
			use(1)
		}
	}},
	{"rangeTACall", func() {
		for range ge().([4]int) {
			use(1)
		}
	}},
	{"rangeTAP", func() {
		for range *e.(*[4]int) {
			use(1)
		}
	}},
	{"rangeConv", func() {
		for range [4]int(ns) {
			use(1)
		}
	}},
	{"rangeConvI", func() {
		for i := range [4]int(ns) {
			use(i)
		}
	}},
	{"rangeConvCall", func() {
		for range [4]int(gns()) {
			use(1)
		}
	}},
	{"rangeConvP", func() {
		for range (*[4]int)(ns) {
			use(1)
		}
	}},
	{"rangeConvPCall", func() {
		for range (*[4]int)(gns()) {
			use(1)
		}
	}},
	{"rangeConvPD", func() {
		for range *(*[4]int)(ns) {
			use(1)
		}
	}},
	{"rangeMapIface", func() {
		m := map[any][4]int{}
		for range m[e2] {
			use(1)
		}
	}},
	{"rangeMapIfaceCall", func() {
		m := map[any][4]int{}
		for range m[ge2()] {
			use(1)
		}
	}},
	{"rangeLit", func() {
		for range [3]int{1, 2, *ni} {
			use(1)
		}
	}},
	{"rangeLitI", func() {
		for i := range [3]int{1, 2, *ni} {
			use(i)
		}
	}},
	{"rangeLitCall", func() {
		for range [3]int{gi(), 2, *ni} {
			use(1)
		}
	}},
	{"rangeRecv", func() {
		c := make(chan *[4]int, 1)
		c <- nil
		for range *<-c {
			use(1)
		}
	}},
	{"rangeRecvP", func() {
		c := make(chan *[4]int, 1)
		c <- nil
		for range <-c {
			use(1)
		}
	}},
	{"rangeAssign", func() {
		var x struct{ p *int }
		for *x.p = range 3 {
			use(1)
		}
	}},
	{"rangeAssignArr", func() {
		var p *int
		for *p = range *f() {
			use(1)
		}
	}},
	{"rangeAssignNilIdx", func() {
		var s []int
		for s[0] = range 3 {
			use(1)
		}
	}},
	{"rangeInt", func() {
		for range *ni {
			use(1)
		}
	}},
	{"rangeStr", func() {
		for range *nstr {
			use(1)
		}
	}},
	{"rangeSl", func() {
		for range *nsl {
			use(1)
		}
	}},
	{"rangeMapD", func() {
		for range *nmap {
			use(1)
		}
	}},
	{"rangeChD", func() {
		for range *nch {
			use(1)
		}
	}},
	{"rangeFuncNil", func() {
		var fn func(func(int) bool)
		for range fn {
			use(1)
		}
	}},
	{"rangeFuncNilD", func() {
		for range *nfn {
			use(1)
		}
	}},
	{"s2a", func() {
		_ = [4]int(ns)
	}},
	{"s2aShort", func() {
		s := make([]int, 2)
		_ = [4]int(s)
	}},
	{"s2ap", func() {
		_ = (*[4]int)(ns)
	}},
	{"s2apShort", func() {
		s := make([]int, 2)
		_ = (*[4]int)(s)
	}},
	{"s2apZero", func() {
		_ = (*[0]int)(ns)
	}},
	{"s2aZero", func() {
		_ = [0]int(ns)
	}},
	{"s2apDeref", func() {
		_ = *(*[4]int)(ns)
	}},
	{"s2apDeref0", func() {
		_ = *(*[0]int)(ns)
	}},
	{"s2aIdx", func() {
		_ = [4]int(ns)[1]
	}},
	{"s2apIdx", func() {
		_ = (*[4]int)(ns)[1]
	}},
	{"s2apAddr", func() {
		_ = &(*[4]int)(ns)[1]
	}},
	{"s2aStruct0", func() {
		_ = [4]struct{}(nss)
	}},
	{"s2apStruct0", func() {
		_ = (*[4]struct{})(nss)
	}},
	{"s2aDrop", func() {
		x := [4]int(ns)
		_ = x
	}},
	{"s2aGen", func() {
		gconv[[4]int](ns)
	}},
	{"s2aPGen", func() {
		gconv[*[4]int](ns)
	}},
	{"cmpIface", func() {
		_ = e2 == e2
	}},
	{"cmpIface2", func() {
		_ = e2 != e3
	}},
	{"cmpIfaceUsed", func() {
		if e2 == e2 {
			use(1)
		}
	}},
	{"cmpIfaceConc", func() {
		var x any = struct{ f any }{[]int{}}
		_ = x == any(struct{ f any }{[]int{}})
	}},
	{"cmpStructIface", func() {
		x := struct {
			a any
			b int
		}{e2, 1}
		y := x
		_ = x == y
	}},
	{"cmpStructIfaceDiff", func() {
		x := struct {
			a int
			b any
		}{1, e2}
		y := x
		y.a = 2
		_ = x == y
	}},
	{"cmpStructIfaceDiff2", func() {
		x := struct {
			b any
			a int
		}{e2, 1}
		y := x
		y.a = 2
		_ = x == y
	}},
	{"cmpArrIface", func() {
		x := [2]any{e2, 1}
		y := x
		_ = x == y
	}},
	{"cmpIfaceArr", func() {
		var x any = [2]any{[]int{}, 1}
		_ = x == x
	}},
	{"cmpConcIface", func() {
		x := struct{ a any }{e2}
		_ = any(x) == any(x)
	}},
	{"cmpConcIface2", func() {
		x := struct{ a any }{e2}
		_ = e == any(x)
	}},
	{"cmpMixed", func() {
		x := struct{ a any }{e2}
		var i any = x
		_ = i == x
	}},
	{"cmpNil", func() {
		_ = e2 == nil
	}},
	{"cmpGen", func() {
		gcmp[any](e2, e2)
	}},
	{"cmpGenU", func() {
		gcmpu[any](e2, e2)
	}},
	{"cmpStruct_", func() {
		type T struct {
			_ any
			b int
		}
		x := T{}
		_ = x == x
	}},
	{"cmpDerefNil", func() {
		_ = *np == *np
	}},
	{"cmpDerefNilS", func() {
		_ = *nst == *nst
	}},
	{"cmpFieldNil", func() {
		_ = pn.i == 3
	}},
	{"cmpStrNil", func() {
		_ = *nstr == "a"
	}},
	{"cmpAndSkip", func() {
		_ = zero != 0 && e2 == e2
	}},
	{"cmpAnd", func() {
		_ = zero == 0 && e2 == e2
	}},
	{"cmpOr", func() {
		_ = zero != 0 || *ni == 3
	}},
	{"switchIface", func() {
		switch e2 {
		case e3:
			use(1)
		}
	}},
	{"switchIfaceEmpty", func() {
		switch e2 {
		case e3:
		}
	}},
	{"switchType", func() {
		switch e2.(type) {
		case int:
		}
	}},
	{"switchNilDeref", func() {
		switch *ni {
		case 1:
		}
	}},
	{"switchNilDerefNone", func() {
		switch *ni {
		}
	}},
	{"switchCaseNil", func() {
		switch 1 {
		case *ni:
		}
	}},
	{"switchTrueNil", func() {
		switch {
		case *ni == 1:
		}
	}},
	{"mapKeyUnhash", func() {
		m := map[any]int{}
		_ = m[e2]
	}},
	{"mapKeyUnhashNil", func() {
		var m map[any]int
		_ = m[e2]
	}},
	{"mapKeyUnhashOk", func() {
		m := map[any]int{}
		_, _ = m[e2]
	}},
	{"mapKeyUnhashOkNil", func() {
		var m map[any]int
		_, ok := m[e2]
		_ = ok
	}},
	{"mapDelUnhash", func() {
		m := map[any]int{}
		delete(m, e2)
	}},
	{"mapDelUnhashNil", func() {
		var m map[any]int
		delete(m, e2)
	}},
	{"mapAssignUnhash", func() {
		m := map[any]int{}
		m[e2] = 1
	}},
	{"mapAssignNil", func() {
		var m map[string]int
		m["a"] = 1
	}},
	{"mapAssignNilCall", func() {
		var m map[string]int
		m[gs()] = gi()
	}},
	{"mapIncNil", func() {
		var m map[string]int
		m["a"]++
	}},
	{"mapOpNil", func() {
		var m map[string]int
		m["a"] += 2
	}},
	{"mapAssign0", func() {
		var m map[string]struct{}
		m["a"] = struct{}{}
	}},
	{"mapAppendNil", func() {
		var m map[string][]int
		m["a"] = append(m["a"], 1)
	}},
	{"mapNilStructPtr", func() {
		pn.m["a"] = 1
	}},
	{"mapReadNilPtr", func() {
		_ = pn.m["a"]
	}},
	{"mapOfNilField", func() {
		_ = pn.m[gs()]
	}},
	{"mapLitUnhash", func() {
		_ = map[any]int{e2: 1}
	}},
	{"mapLitNil", func() {
		_ = map[string]int{"a": *ni}
	}},
	{"mapStructKey", func() {
		m := map[struct{ a any }]int{}
		_ = m[struct{ a any }{e2}]
	}},
	{"mapRangeAssign", func() {
		var m map[string]int
		for m["a"] = range 3 {
			use(1)
		}
	}},
	{"idxNilSlice", func() {
		_ = ns[0]
	}},
	{"idxSlice", func() {
		s := make([]int, 2)
		_ = s[idx+2]
	}},
	{"idxNeg", func() {
		_ = s1[neg]
	}},
	{"idxArr", func() {
		var a [4]int
		_ = a[idx+4]
	}},
	{"idxArrNeg", func() {
		var a [4]int
		_ = a[neg]
	}},
	{"idxArrP", func() {
		_ = np[1]
	}},
	{"idxArrPIdx", func() {
		_ = np[idx]
	}},
	{"idxStr", func() {
		s := gs()
		_ = s[idx+10]
	}},
	{"idxStrConst", func() {
		_ = "abc"[idx+10]
	}},
	{"idxArr0", func() {
		var a [0]int
		_ = a[idx]
	}},
	{"idxArrStruct0", func() {
		var a [4]struct{}
		_ = a[idx+4]
	}},
	{"idxSlStruct0", func() {
		var a []struct{}
		_ = a[idx]
	}},
	{"idxArrayOfCall", func() {
		_ = garr()[idx+4]
	}},
	{"idxU64", func() {
		_ = s1[uint64(1<<63)+uint64(idx)]
	}},
	{"idxAddr", func() {
		_ = &s1[idx+4]
	}},
	{"idxAddrP", func() {
		_ = &np[1]
	}},
	{"idxNestedA", func() {
		var a [4][4]int
		_ = a[idx][idx+4]
	}},
	{"idxNestedA2", func() {
		var a [4][4]int
		_ = a[idx+4][idx]
	}},
	{"idxNestedSl", func() {
		var a [4][]int
		_ = a[idx][idx]
	}},
	{"idxExpr", func() {
		s := []int{1}
		_ = s[gi()+5] + 1
	}},
	{"idxField", func() {
		var a []st
		_ = a[idx].i
	}},
	{"idxFieldAddr", func() {
		var a []st
		_ = &a[idx].i
	}},
	{"idxGen", func() {
		gidx([]int(nil))
	}},
	{"idxGenP", func() {
		gidxp[*[4]int](nil)
	}},
	{"slNeg", func() {
		_ = s1[neg:]
	}},
	{"slBeyond", func() {
		_ = s1[idx+5:]
	}},
	{"slHigh", func() {
		_ = s1[:idx+5]
	}},
	{"slLowHigh", func() {
		_ = s1[idx+2 : idx+1]
	}},
	{"slMax", func() {
		_ = s1[0 : 1 : idx+9]
	}},
	{"slMaxH", func() {
		_ = s1[0 : idx+3 : idx+2]
	}},
	{"slStr", func() {
		_ = gs()[idx+9:]
	}},
	{"slStr2", func() {
		s := gs()
		_ = s[idx+2 : idx+1]
	}},
	{"slNilArrP", func() {
		_ = np[:]
	}},
	{"slNilArrP0", func() {
		_ = np[0:0]
	}},
	{"slNilArrPD", func() {
		_ = (*np)[:]
	}},
	{"slNilArr0", func() {
		_ = nz[:]
	}},
	{"slNilCall", func() {
		_ = f()[:]
	}},
	{"slArr", func() {
		var a [4]int
		_ = a[idx+5:]
	}},
	{"slArrU", func() {
		var a [4]int
		_ = a[:idx+5]
	}},
	{"slNilField", func() {
		_ = pn.arr[:]
	}},
	{"slNilFieldS", func() {
		_ = pn.sl[:]
	}},
	{"slNil", func() {
		_ = ns[0:0]
	}},
	{"slNil1", func() {
		_ = ns[1:idx]
	}},
	{"slGen", func() {
		gslice([]int(nil))
	}},
	{"divI", func() {
		_ = 1 / zero
	}},
	{"modI", func() {
		_ = 1 % zero
	}},
	{"divU", func() {
		_ = uint8(1) / uint8(zero)
	}},
	{"div64", func() {
		_ = int64(5) / int64(zero)
	}},
	{"divF", func() {
		_ = 1.0 / float64(zero)
	}},
	{"divSelf", func() {
		_ = zero / zero
	}},
	{"div0Num", func() {
		x := 0
		_ = x / zero
	}},
	{"divMul", func() {
		_ = (1 / zero) * 0
	}},
	{"divOpAssign", func() {
		x := 3
		x /= zero
		_ = x
	}},
	{"modOpAssign", func() {
		x := 3
		x %= zero
		_ = x
	}},
	{"divOpAssignUnused", func() {
		x := 3
		x /= zero
	}},
	{"divOverwritten", func() {
		x := 1 / zero
		use(x)
		x = 2
		use(x)
	}},
	{"divGen", func() {
		gdiv(1, 0)
	}},
	{"divComplex", func() {
		_ = complex(1, 0) / complex(float64(zero), 0)
	}},
	{"divConvert", func() {
		_ = float64(1 / zero)
	}},
	{"divIfaceConv", func() {
		var x any = 1 / zero
		_ = x
	}},
	{"divShortVar", func() {
		a, b := 1/zero, 2
		_, _ = a, b
	}},
	{"divArg", func() {
		func(int) {}(1 / zero)
	}},
	{"divArgStr", func() {
		func(string) {}(string(rune(1 / zero)))
	}},
	{"shl", func() {
		_ = 1 << neg
	}},
	{"shr", func() {
		_ = one >> neg
	}},
	{"shl64", func() {
		_ = int64(1) << int64(neg)
	}},
	{"shl8", func() {
		_ = one << int8(neg)
	}},
	{"shrAssign", func() {
		x := 1
		x >>= neg
		_ = x
	}},
	{"shlAssign", func() {
		x := 1
		x <<= neg
		use(x)
	}},
	{"shlBig", func() {
		_ = one << 200
	}},
	{"shlZero", func() {
		_ = zero << neg
	}},
	{"shl0C", func() {
		x := 0
		_ = x << neg
	}},
	{"shlGen", func() {
		gshl(1, -1)
	}},
	{"shlUnusedFloat", func() {
		var w int64 = 1 << neg
		_ = w
	}},
	{"methNilIface", func() {
		var s fmt.Stringer
		_ = s.String
	}},
	{"methNilIfaceErr", func() {
		var s error
		x := s.Error
		_ = x
	}},
	{"methNilIfaceCall", func() {
		var s fmt.Stringer
		s.String()
	}},
	{"methNilIfaceDefer", func() {
		var s fmt.Stringer
		defer s.String()
	}},
	{"methNilIfaceGo", func() {
		var s fmt.Stringer
		go s.String()
	}},
	{"methNilIfaceGlobal", func() {
		_ = nstringer.String
	}},
	{"methNilPtrVal", func() {
		_ = nst.val
	}},
	{"methNilPtrPtr", func() {
		_ = nst.ptr
	}},
	{"methNilPtrValCall", func() {
		nst.val()
	}},
	{"methNilPtrValDefer", func() {
		defer nst.val()
	}},
	{"methNilPtrValGo", func() {
		go nst.val()
	}},
	{"methEmbVal", func() {
		_ = nemb.val
	}},
	{"methEmbPtr", func() {
		_ = nemb.ptr
	}},
	{"methEmb0Val", func() {
		var x emb
		_ = x.val
	}},
	{"methEmb0Ptr", func() {
		var x emb
		_ = x.ptr
	}},
	{"methEmb0PtrCall", func() {
		var x emb
		x.ptr()
	}},
	{"methEmb0ValCall", func() {
		var x emb
		x.val()
	}},
	{"methEmbIface", func() {
		var x embi
		_ = x.String
	}},
	{"methEmbIfaceP", func() {
		var x *embi
		_ = x.String
	}},
	{"methEmbIfaceCall", func() {
		var x embi
		x.String()
	}},
	{"methEmbVVal", func() {
		_ = nembv.val
	}},
	{"methEmbVPtr", func() {
		_ = nembv.ptr
	}},
	{"methEmbVPtrCall", func() {
		nembv.ptr()
	}},
	{"methEmb2", func() {
		var x *emb2
		_ = x.ptr
	}},
	{"methEmb2v", func() {
		x := emb2{}
		_ = x.ptr
	}},
	{"methEmb2vCall", func() {
		x := emb2{}
		x.ptr()
	}},
	{"methEmb2vDefer", func() {
		x := emb2{}
		defer x.ptr()
	}},
	{"methExpr", func() {
		_ = (*st).val
	}},
	{"methExprCall", func() {
		(*st).val(nil)
	}},
	{"methExprIface", func() {
		fmt.Stringer.String(nil)
	}},
	{"methExprIface2", func() {
		_ = fmt.Stringer.String
	}},
	{"methExprEmb", func() {
		(*emb).ptr(nil)
	}},
	{"methExprEmb2", func() {
		emb.ptr(emb{})
	}},
	{"methExprEmbV", func() {
		(*embv).ptr(nil)
	}},
	{"methGen", func() {
		gmeth[fmt.Stringer](nil)
	}},
	{"methGenVal", func() {
		gmethv[fmt.Stringer](nil)
	}},
	{"methGenP", func() {
		gmeth[*strst](nil)
	}},
	{"methZeroVal", func() {
		_ = nz0.val
	}},
	{"methZeroValCall", func() {
		nz0.val()
	}},
	{"methPtrPtr", func() {
		_ = (*npst).val
	}},
	{"methPtrPtr2", func() {
		_ = (*npst).ptr
	}},
	{"methCallRes", func() {
		_ = gst().val
	}},
	{"methCallResP", func() {
		_ = gst().ptr
	}},
	{"derefInt", func() {
		_ = *ni
	}},
	{"derefPtrPtr", func() {
		_ = **npp
	}},
	{"derefArr", func() {
		_ = *np
	}},
	{"derefArr0", func() {
		_ = *nz
	}},
	{"derefStruct", func() {
		_ = *nst
	}},
	{"derefStruct0", func() {
		_ = *nz0
	}},
	{"derefCall", func() {
		_ = *f()
	}},
	{"derefBig", func() {
		_ = *nbig
	}},
	{"derefAddr", func() {
		_ = &*np
	}},
	{"derefAddrF", func() {
		_ = &nst.i
	}},
	{"derefAddrF0", func() {
		_ = &nst.z
	}},
	{"derefAddrField2", func() {
		_ = &nbig.y
	}},
	{"derefField", func() {
		_ = nst.i
	}},
	{"derefField0", func() {
		_ = nst.z
	}},
	{"derefBlankF", func() {
		x := *nst
		_ = x
	}},
	{"derefBlankS", func() {
		x := *nst
		x = st{}
		_ = x
	}},
	{"derefConv", func() {
		_ = int64(*ni)
	}},
	{"derefArith", func() {
		_ = *ni + 1
	}},
	{"derefArg", func() {
		func(int) {}(*ni)
	}},
	{"derefArgBig", func() {
		func(big) {}(*nbig)
	}},
	{"derefIface", func() {
		var x any = *nst
		_ = x
	}},
	{"derefIface0", func() {
		var x any = *nz0
		_ = x
	}},
	{"derefIfaceI", func() {
		_ = any(*ni)
	}},
	{"derefSliceOf", func() {
		_ = []st{*nst}
	}},
	{"derefStructLit", func() {
		_ = pair{*ni, 2}
	}},
	{"derefStructLit2", func() {
		_ = &pair{*ni, 2}
	}},
	{"derefArrLit", func() {
		_ = [2]int{*ni, 2}
	}},
	{"derefNot", func() {
		_ = !*nb
	}},
	{"derefNeg", func() {
		_ = -*ni
	}},
	{"derefFunc", func() {
		_ = *nfn
	}},
	{"derefFuncLit", func() {
		var fn *func()
		(*fn)()
	}},
	{"derefStr", func() {
		_ = *nstr + "x"
	}},
	{"derefConvBytes", func() {
		_ = []byte(*nstr)
	}},
	{"derefConvStr", func() {
		_ = string(*nbytes)
	}},
	{"derefCap", func() {
		fn := func() { _ = *ni }
		fn()
	}},
	{"derefTuple", func() {
		_, _ = *ni, *nst
	}},
	{"derefSwap", func() {
		*ni, *ni = *ni, *ni
	}},
	{"derefStoreNil", func() {
		*ni = 3
	}},
	{"derefStore0", func() {
		*nz0 = struct0{}
	}},
	{"derefStoreArr0", func() {
		*nz = [0]int{}
	}},
	{"derefStoreSelf", func() {
		*ni = *ni
	}},
	{"derefStoreSelfS", func() {
		*nst = *nst
	}},
	{"derefStoreSelf0", func() {
		*nz0 = *nz0
	}},
	{"derefStoreFld", func() {
		nst.i = 3
	}},
	{"derefStoreFld0", func() {
		nst.z = struct0{}
	}},
	{"derefStoreElem", func() {
		np[2] = 3
	}},
	{"derefStoreElem0", func() {
		var a *[4]struct{}
		a[2] = struct{}{}
	}},
	{"derefStoreElemSl0", func() {
		var a []struct{}
		a[idx] = struct{}{}
	}},
	{"derefInc", func() {
		*ni++
	}},
	{"derefOp", func() {
		*ni += 2
	}},
	{"derefGen", func() {
		gderef[int](nil)
	}},
	{"derefGen0", func() {
		gderef[struct{}](nil)
	}},
	{"derefGenA", func() {
		gderef[[4]int](nil)
	}},
	{"derefGenVal", func() {
		gderefv[st](nil)
	}},
	{"derefBlankLHS", func() {
		var x *pair
		x.a, x.b = 1, 2
	}},
	{"derefRet", func() {
		func() int { return *ni }()
	}},
	{"derefRetBig", func() {
		func() big { return *nbig }()
	}},
	{"derefRetNamed", func() {
		_ = func() (r big) { r = *nbig; return }()
	}},
	{"derefExprStmtRecv", func() {
		<-*nch
	}},
	{"derefSend", func() {
		*nch <- 1
	}},
	{"derefClose", func() {
		close(*nch)
	}},
	{"derefPrint", func() {
		print(*nempty)
	}},
	{"embSel", func() {
		_ = (&emb{}).i
	}},
	{"embSelVar", func() {
		var x emb
		_ = x.i
	}},
	{"embSelAddr", func() {
		var x emb
		_ = &x.i
	}},
	{"embSel2", func() {
		var x emb2
		_ = x.i
	}},
	{"embSel2p", func() {
		var x *emb2
		_ = x.i
	}},
	{"embSelZ", func() {
		var x emb
		_ = x.z
	}},
	{"embSelStore", func() {
		var x emb
		x.i = 1
	}},
	{"embSelStoreZ", func() {
		var x emb
		x.z = struct0{}
	}},
	{"embSelStruct", func() {
		var x emb
		_ = x.st
	}},
	{"embSelStructD", func() {
		var x emb
		_ = *x.st
	}},
	{"embValNil", func() {
		_ = nembv.i
	}},
	{"embValNilAddr", func() {
		_ = &nembv.i
	}},
	{"embValNilSt", func() {
		_ = nembv.st
	}},
	{"embCallSel", func() {
		_ = gemb().i
	}},
	{"embCallSelZ", func() {
		_ = gemb().z
	}},
	{"embArr", func() {
		var x embArr
		_ = len(x.arr)
	}},
	{"embArrCall", func() {
		_ = len(gembarr().arr)
	}},
	{"embArrRange", func() {
		var x embArr
		for range x.arr {
			use(1)
		}
	}},
	{"embArrRangeI", func() {
		var x embArr
		for i := range x.arr {
			use(i)
		}
	}},
	{"taUnused", func() {
		_ = e.(string)
	}},
	{"taUnusedI", func() {
		_ = e.(fmt.Stringer)
	}},
	{"taUnusedNil", func() {
		var x any
		_ = x.(int)
	}},
	{"taUnusedNilI", func() {
		var x any
		_ = x.(any)
	}},
	{"taUnusedOk", func() {
		_, _ = e.(string)
	}},
	{"taUnused0", func() {
		_ = e.(struct{})
	}},
	{"taUnusedCall", func() {
		_ = ge().(string)
	}},
	{"taIfaceNil", func() {
		var x error
		_ = x.(error)
	}},
	{"taPtr", func() {
		_ = e.(*int)
	}},
	{"taUnusedGen", func() {
		gta[string](e)
	}},
	{"taUnusedGenI", func() {
		gta[fmt.Stringer](e)
	}},
	{"taGenNil", func() {
		gta[any](nil)
	}},
	{"taSame", func() {
		var s fmt.Stringer
		_ = s.(fmt.Stringer)
	}},
	{"taField", func() {
		_ = e.(st).i
	}},
	{"taMeth", func() {
		_ = e.(fmt.Stringer).String
	}},
	{"taConv", func() {
		_ = any(e.(string))
	}},
	{"taShort", func() {
		x := e.(string)
		_ = x
	}},
	{"taArr", func() {
		_ = e.([4]int)
	}},
	{"taFuncTA", func() {
		_ = e.(func())
	}},
	{"makeNeg", func() {
		_ = make([]int, neg)
	}},
	{"makeNegCap", func() {
		_ = make([]int, 0, neg)
	}},
	{"makeLenCap", func() {
		_ = make([]int, idx+2, idx+1)
	}},
	{"makeHuge", func() {
		_ = make([]int, int64(1)<<60+int64(idx))
	}},
	{"makeHuge0", func() {
		_ = make([]struct{}, uint64(1)<<63+uint64(idx))
	}},
	{"makeNegUsed", func() {
		use(len(make([]int, neg)))
	}},
	{"makeNegCapUsed", func() {
		use(cap(make([]int, neg)))
	}},
	{"makeMapNeg", func() {
		_ = make(map[int]int, neg)
	}},
	{"makeChanNeg", func() {
		_ = make(chan int, neg)
	}},
	{"makeChanHuge", func() {
		_ = make(chan int, int64(1)<<60+int64(idx))
	}},
	{"makeDeref", func() {
		_ = make([]int, *ni)
	}},
	{"makeChanDeref", func() {
		_ = make(chan int, *ni)
	}},
	{"makeMapDeref", func() {
		_ = make(map[int]int, *ni)
	}},
	{"makeRange", func() {
		for range make([]int, neg) {
			use(1)
		}
	}},
	{"makeGen", func() {
		gmake[[]int](-1)
	}},
	{"makeGen0", func() {
		gmake[[]struct{}](-1)
	}},
	{"makeAppend", func() {
		_ = append([]int{}, make([]int, neg)...)
	}},
	{"makeAppendNil", func() {
		_ = append([]int(nil), make([]int, neg)...)
	}},
	{"unsafeSliceNilLen", func() {
		_ = unsafe.Slice(ni, idx+1)
	}},
	{"unsafeSliceNil0", func() {
		_ = unsafe.Slice(ni, idx)
	}},
	{"unsafeSliceNeg", func() {
		x := 1
		_ = unsafe.Slice(&x, neg)
	}},
	{"unsafeSliceHuge", func() {
		x := 1
		_ = unsafe.Slice(&x, int64(1)<<61+int64(idx))
	}},
	{"unsafeSliceConst", func() {
		_ = unsafe.Slice(ni, 3)
	}},
	{"unsafeSliceData", func() {
		_ = unsafe.SliceData(*nsl)
	}},
	{"unsafeStrNeg", func() {
		var b byte
		_ = unsafe.String(&b, neg)
	}},
	{"unsafeStrNil", func() {
		var b *byte
		_ = unsafe.String(b, idx+1)
	}},
	{"unsafeStrHuge", func() {
		var b byte
		_ = unsafe.String(&b, int64(1)<<62+int64(idx))
	}},
	{"unsafeStrHuge2", func() {
		var b byte
		_ = unsafe.String(&b, uint64(1)<<63+uint64(idx))
	}},
	{"unsafeStringData", func() {
		_ = unsafe.StringData(*nstr)
	}},
	{"unsafeAdd", func() {
		_ = unsafe.Add(*nup, 1)
	}},
	{"unsafeSliceLen", func() {
		use(len(unsafe.Slice(ni, idx+1)))
	}},
	{"unsafeSliceIdx", func() {
		_ = unsafe.Slice(ni, idx+1)[0]
	}},
	{"unsafeStrLen", func() {
		var b *byte
		use(len(unsafe.String(b, idx+1)))
	}},
	{"unsafeSize", func() {
		_ = unsafe.Sizeof(*f())
	}},
	{"unsafeSize2", func() {
		_ = unsafe.Sizeof(*np)
	}},
	{"unsafeAlign", func() {
		_ = unsafe.Alignof(*f())
	}},
	{"unsafeOffset", func() {
		_ = unsafe.Offsetof(ps().arr)
	}},
	{"unsafeSizeGen", func() {
		gsize[int](nil)
	}},
	{"minNil", func() {
		_ = min(*ni, 1)
	}},
	{"maxNil", func() {
		_ = max(1, *ni)
	}},
	{"minNilStr", func() {
		_ = min(*nstr, "a")
	}},
	{"minOne", func() {
		_ = min(*ni)
	}},
	{"maxDiv", func() {
		_ = max(1/zero, 2)
	}},
	{"minPtrs", func() {
		_ = min(1, 2, *ni)
	}},
	{"clearNilMap", func() {
		clear(*nmap)
	}},
	{"clearNilSl", func() {
		clear(*nsl)
	}},
	{"clearNil", func() {
		clear(ns)
	}},
	{"clearNilM", func() {
		var m map[int]int
		clear(m)
	}},
	{"clearField", func() {
		clear(pn.sl)
	}},
	{"clearGen", func() {
		gclear[[]int](nil)
	}},
	{"copyNil", func() {
		copy(*nsl, ns)
	}},
	{"copyNilSrc", func() {
		copy(ns, *nsl)
	}},
	{"copyStr", func() {
		copy([]byte(nil), *nstr)
	}},
	{"copyUnused", func() {
		_ = copy(pn.sl, ns)
	}},
	{"appendNil", func() {
		_ = append(*nsl, 1)
	}},
	{"appendNilV", func() {
		_ = append(ns, *ni)
	}},
	{"appendNilVS", func() {
		_ = append(ns, (*nsl)...)
	}},
	{"appendNone", func() {
		_ = append(*nsl)
	}},
	{"appendStrNil", func() {
		_ = append([]byte{}, *nstr...)
	}},
	{"appendFuncNil", func() {
		_ = append([]any{}, *nst)
	}},
	{"appendDiv", func() {
		_ = append(ns, 1/zero)
	}},
	{"complexNil", func() {
		_ = complex(*nf, 1)
	}},
	{"realNil", func() {
		_ = real(*nc)
	}},
	{"imagNil", func() {
		_ = imag(*nc)
	}},
	{"realDrop", func() {
		_ = real(complex(*nf, 1))
	}},
	{"imagDrop", func() {
		_ = imag(complex(*nf, 1))
	}},
	{"newExpr", func() {
		_ = new(*ni)
	}},
	{"panicNil", func() {
		panic(nil)
	}},
	{"panicDeref", func() {
		panic(*nany)
	}},
	{"panicErr", func() {
		panic(error(nil))
	}},
	{"printNil", func() {
		println(len(*nstr))
	}},
	{"deferNilFn", func() {
		var fn func()
		defer fn()
	}},
	{"goNilFnLater", func() {
		var fn func()
		_ = fn
	}},
	{"callNilFn", func() {
		var fn func()
		fn()
	}},
	{"callNilFnArg", func() {
		var fn func(int)
		fn(*ni)
	}},
	{"deferNilArg", func() {
		defer use(*ni)
	}},
	{"deferNilFnD", func() {
		defer (*nfunc)()
	}},
	{"goNilArg", func() {
		go use(*ni)
	}},
	{"deferFieldFn", func() {
		defer pn.fn()
	}},
	{"callFieldFn", func() {
		pn.fn()
	}},
	{"selNilRecv", func() {
		select {
		case <-*nch:
		default:
		}
	}},
	{"selNilSend", func() {
		select {
		case *nch <- 1:
		default:
		}
	}},
	{"selNilSendV", func() {
		c := make(chan int, 1)
		select {
		case c <- *ni:
		default:
		}
	}},
	{"selRecvAssign", func() {
		c := make(chan int, 1)
		c <- 1
		select {
		case *ni = <-c:
		default:
		}
	}},
	{"selClosedSend", func() {
		c := make(chan int, 1)
		close(c)
		select {
		case c <- 1:
		default:
		}
	}},
	{"closeNil", func() {
		var c chan int
		close(c)
	}},
	{"closeClosed", func() {
		c := make(chan int)
		close(c)
		close(c)
	}},
	{"sendClosed", func() {
		c := make(chan int, 1)
		close(c)
		c <- 1
	}},
	{"ifEmptyNil", func() {
		if *nb {
		}
	}},
	{"ifEmptyElse", func() {
		if *ni == 0 {
		} else {
		}
	}},
	{"forCondNil", func() {
		for *nb {
		}
	}},
	{"forPostNil", func() {
		for i := 0; i < 1; *ni++ {
			i++
		}
	}},
	{"switchEmptyCall", func() {
		switch *f() {
		}
	}},
	{"exprParen", func() {
		_ = (*ni)
	}},
	{"condUnused", func() {
		x := *ni > 0 && *nb
		_ = x
	}},
	{"convNamed", func() {
		type T int
		_ = T(*ni)
	}},
	{"convFloatInt", func() {
		_ = int(*nf)
	}},
	{"convIfaceIface", func() {
		var s fmt.Stringer
		_ = any(s)
	}},
	{"convIfaceNilP", func() {
		_ = fmt.Stringer(nsp)
	}},
	{"convStrRunes", func() {
		_ = []rune(*nstr)
	}},
	{"convUintptr", func() {
		_ = uintptr(unsafe.Pointer(&nst.i))
	}},
	{"convChan", func() {
		_ = (<-chan int)(*nch)
	}},
	{"convFn", func() {
		type F func()
		_ = F(*nfunc)
	}},
	{"convStruct", func() {
		type S2 struct{ a, b int }
		_ = S2(*npair)
	}},
	{"convPtr", func() {
		_ = (*big)(unsafe.Pointer(&nbig.y))
	}},
	{"constMul0", func() {
		_ = *ni * 0
	}},
	{"constAnd0", func() {
		_ = *ni & 0
	}},
	{"constSub", func() {
		_ = *ni - *ni
	}},
	{"constXor", func() {
		_ = *ni ^ *ni
	}},
	{"constModOne", func() {
		_ = *ni % 1
	}},
	{"constCmpSelf", func() {
		_ = *ni == *ni
	}},
	{"constShiftBig", func() {
		_ = uint8(*ni) >> 8
	}},
	{"constIdx0", func() {
		_ = [1]int{5}[idx+1]
	}},
	{"constStrLen", func() {
		_ = len("abc"[idx+9:])
	}},
	{"capArrSl", func() {
		_ = cap(np[:])
	}},
	{"lenArrSl", func() {
		_ = len(np[:])
	}},
	{"lenStrSl", func() {
		_ = len(gs()[idx+9:])
	}},
	{"lenConvBytes", func() {
		_ = len([]byte(*nstr))
	}},
	{"lenConvStr", func() {
		_ = len(string(*nbytes))
	}},
	{"lenMake", func() {
		_ = len(make([]int, neg))
	}},
	{"lenAppend", func() {
		_ = len(append(*nsl, 1))
	}},
	{"lenLitSlice", func() {
		_ = len([]int{*ni})
	}},
	{"lenLitMap", func() {
		_ = len(map[string]int{"a": *ni})
	}},
	{"lenChan", func() {
		_ = len(make(chan int, neg))
	}},
	{"lenTAString", func() {
		_ = len(e.(string))
	}},
	{"lenFuncIdx", func() {
		_ = len(*h(idx))
	}},
	{"litFieldArr", func() {
		_ = struct{ a [2]int }{[2]int{*ni, 1}}.a
	}},
	{"litFieldUnused", func() {
		_ = pair{1, *ni}.a
	}},
	{"litFieldUnusedDiv", func() {
		_ = pair{1, 1 / zero}.a
	}},
	{"litIdxUnused", func() {
		_ = [2]int{1, *ni}[0]
	}},
	{"litIdxUnusedDiv", func() {
		_ = [2]int{1, 1 / zero}[0]
	}},
	{"litIdxUnusedIdx", func() {
		_ = [2]int{1, 1 / zero}[idx]
	}},
	{"litStmtPtr", func() {
		_ = &big{y: *ni}
	}},
	{"litBlankField", func() {
		type T struct {
			_ int
			b int
		}
		_ = T{b: *ni}
	}},
	{"fieldOfDeref", func() {
		_ = (*nst).i
	}},
	{"fieldOfDeref0", func() {
		_ = (*nst).z
	}},
	{"fieldOfDerefArr", func() {
		_ = (*nst).arr2[1]
	}},
	{"fieldOfDerefArr0", func() {
		_ = (*nbig).w[idx]
	}},
	{"elemOfDeref", func() {
		_ = (*np)[1]
	}},
	{"elemOfDerefAddr", func() {
		_ = &(*np)[1]
	}},
	{"elemOfPtrCall", func() {
		_ = f()[1]
	}},
	{"fieldOfTA", func() {
		_ = e.(*st).i
	}},
	{"localDead", func() {
		var x int
		x = *ni
		x = 1
		use(x)
	}},
	{"localDeadStruct", func() {
		var x st
		x = *nst
		x.i = 1
		use(x.i)
	}},
	{"localDeadArr", func() {
		var x [4]int
		x = *np
		use(x[0])
	}},
	{"localDeadField", func() {
		var x pair
		x.a = *ni
		use(x.b)
	}},
	{"localDeadIdx", func() {
		var x [4]int
		x[idx+4] = 1
	}},
	{"localDeadIdx2", func() {
		var x [4]int
		x[idx+4]++
	}},
	{"localDeadIdx3", func() {
		var x [4]int
		p := &x[idx+4]
		_ = p
	}},
	{"localDeadIdxA", func() {
		var x [4]pair
		x[idx+4].a = 2
	}},
	{"localDeadIdxAddr", func() {
		var x [4]pair
		p := &x[idx+4].a
		_ = p
	}},
	{"localRangeIdx", func() {
		var x [4]int
		for x[idx+4] = range 2 {
			use(1)
		}
	}},
	{"blankIdxAssign", func() {
		_ = [4]int{}[idx+4]
	}},
	{"blankVar", func() {
		var _ = *ni
	}},
	{"blankVar2", func() {
		var _ int = 1 / zero
	}},
	{"blankVar3", func() {
		var _, _ = *ni, 1 / zero
	}},
	{"blankVarConv", func() {
		var _ fmt.Stringer = e.(fmt.Stringer)
	}},
	{"blankVarIface", func() {
		var _ any = *nst
	}},
	{"blankVarArr", func() {
		var _ = len(*f())
	}},
	{"blankMulti", func() {
		_, _ = 1, *ni
	}},
	{"blankMulti2", func() {
		_, x := 1/zero, 2
		_ = x
	}},
	{"blankFunc", func() {
		_, _ = g2()
	}},
	{"blankFunc2", func() {
		_ = func() int { return *ni }
	}},
	{"lblGoto", func() {
		goto L
	L:
		_ = *ni
	}},
	{"genLenConst", func() {
		garrlen[[4]int](nil)
	}},
	{"genLenP", func() {
		glenp[*[4]int](nil)
	}},
	{"genLenPDCall", func() {
		glenpdc[int](nil)
	}},
	{"genFieldZ", func() {
		gfield[struct{}](nil)
	}},
	{"genMinMax", func() {
		gmin[int](nil)
	}},
	{"genConv", func() {
		gcv[int64, int](nil)
	}},
	{"makeLen", func() {
		n := -1
		n += len(seven) - 7
		s := make([]int, n, 3)
		_ = s
	}},
	{"makeCap", func() {
		n := len(seven)
		s := make([]int, n, 3)
		_ = s
	}},
	{"makeConst", func() {
		n := 2
		s := make([]int, n, 1)
		s[0] = 1
	}},
	{"makeCapByte", func() {
		n := byte(len(seven))
		s := make([]struct{}, n, 6)
		_ = s
	}},
	{"makeFits", func() {
		n := int8(len(seven))
		s := make([]string, n, 7)
		_ = s
	}},
	{"makeLarge", func() {
		n := uint64(len(seven)) << 60
		s := make([]int, n, 7)
		_ = s
	}},
	{"makeGeneric", func() {
		gmakeCap[int](len(seven))
	}},
	{"genAssert", func() {
		gta2[string](nil)
	}},
}

var seven = "seven  "

func gmakeCap[T any](n int) []T { return make([]T, n, 3) }
