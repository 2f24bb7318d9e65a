package smt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/presage-race/presage/internal/predict/expr"
)

// find returns a solver, or skips the test.
func find(t *testing.T) *Process {
	t.Helper()
	for _, name := range Names() {
		if p, err := Find(name, 20*time.Second); err == nil {
			t.Cleanup(func() { p.Close() })
			return p
		}
	}
	t.Skipf("skipped: none of %s is on PATH, so no encoding is compared with anything", strings.Join(Names(), ", "))
	return nil
}

// kinds are those of numbers.
var kinds = []expr.Kind{expr.Int8, expr.Int16, expr.Int32, expr.Int64, expr.Uint8, expr.Uint16, expr.Uint32, expr.Uint64, expr.Float32, expr.Float64}

// edges are values at which operators differ.
func edges(r *rand.Rand, k expr.Kind) uint64 {
	if k.IsFloat() && r.IntN(4) == 0 { // a zero
		return r.Uint64N(2) << (8*k.Size() - 1)
	}
	n := uint(8 * k.Size())
	mask := ^uint64(0) >> (64 - n)
	switch {
	case k == expr.Bool:
		return r.Uint64N(2)
	case k == expr.Float64:
		f := []float64{0, math.Copysign(0, -1), 1, -1.5, 0.1, 3e9, -129, 255.5, 1 << 63, -(1 << 63), 1e300, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324}
		return math.Float64bits(f[r.IntN(len(f))])
	case k == expr.Float32:
		f := []float32{0, float32(math.Copysign(0, -1)), 1, -1.5, 0.1, 16777216, 127.9, -128.9, 3e38, float32(math.Inf(-1)), float32(math.NaN()), 1e-45}
		return uint64(math.Float32bits(f[r.IntN(len(f))]))
	}
	list := []uint64{0, 1, 2, 7, 63, 64, mask, mask >> 1, mask>>1 + 1, r.Uint64() & mask}
	return list[r.IntN(len(list))]
}

// maker makes random expressions over reads that have values.
type maker struct {
	*rand.Rand
	reads int64
}

func (m *maker) read(k expr.Kind) *expr.Expr {
	m.reads++
	return expr.NewRead(m.reads, k.Size(), edges(m.Rand, k))
}

func (m *maker) pick(ops ...expr.Op) expr.Op { return ops[m.IntN(len(ops))] }

// any returns an expression of kind k.
func (m *maker) any(k expr.Kind, depth int) *expr.Expr {
	if depth == 0 || m.IntN(8) == 0 {
		if m.IntN(3) == 0 {
			return expr.Constant(k, edges(m.Rand, k))
		}
		return m.read(k)
	}
	from := kinds[m.IntN(len(kinds))]
	x := func() *expr.Expr { return m.any(k, depth-1) }
	switch n := m.IntN(10); {
	case k == expr.Bool && n < 8:
		return expr.Binary(m.pick(expr.Eql, expr.Neq, expr.Lss, expr.Leq, expr.Gtr, expr.Geq), from, 0, m.any(from, depth-1), m.any(from, depth-1))
	case k == expr.Bool && n == 8:
		return expr.Unary(expr.Not, k, x())
	case k == expr.Bool && m.IntN(3) == 0:
		return expr.Apply("nothing has filled this in", k, x())
	case k == expr.Bool:
		return expr.Binary(m.pick(expr.And, expr.Or, expr.Xor, expr.Eql), k, 0, x(), x())
	case n == 0:
		return expr.Choose(m.any(expr.Bool, depth-1), x(), x())
	case n < 3:
		return expr.ConvertTo(k, from, m.any(from, depth-1))
	case n == 3:
		return expr.Unary(expr.Neg, k, x())
	case k.IsFloat():
		return expr.Binary(m.pick(expr.Add, expr.Sub, expr.Mul, expr.Quo, expr.Min, expr.Max), k, 0, x(), x())
	case n == 4 && k == expr.Uint64:
		off := m.Int64N(8)
		return expr.PartOf(x(), off, 1+m.Int64N(8-off))
	case n == 5 && k == expr.Uint64:
		return expr.Concat(x(), m.Int64N(9), x())
	case n == 6:
		for !from.IsInteger() {
			from = kinds[m.IntN(len(kinds))]
		}
		return expr.Binary(m.pick(expr.Shl, expr.Shr), k, from, x(), m.any(from, depth-1))
	case n == 7:
		return expr.Unary(expr.Com, k, x())
	}
	return expr.Binary(m.pick(expr.Add, expr.Sub, expr.Mul, expr.Quo, expr.Rem, expr.And, expr.Or, expr.Xor, expr.AndNot, expr.Min, expr.Max), k, 0, x(), x())
}

// TestExpressions holds the encoding of every operator against package expr: with reads that have
// values, an expression cannot have another value than the one that it evaluates to.
func TestExpressions(t *testing.T) {
	p := find(t)
	batches := 60
	if testing.Short() {
		batches = 10
	}
	m := &maker{Rand: rand.New(rand.NewPCG(1, 2))}
	valueless, used := 0, map[expr.Op]int{}
	for range batches {
		var list []*expr.Expr
		for len(list) < 40 {
			if e := m.any(append(kinds, expr.Bool)[m.IntN(len(kinds)+1)], 1+m.IntN(3)); len(e.Reads()) > 0 {
				list = append(list, e)
				used[e.Op()]++
				if _, ok := e.Recorded(); !ok {
					valueless++
				}
			}
		}
		if wrong(t, p, list) {
			for _, e := range list {
				if wrong(t, p, []*expr.Expr{e}) {
					v, ok := e.Recorded()
					t.Errorf("%v is %#x, %v, but not to the solver", describe(e), v, ok)
				}
			}
			return
		}
	}
	t.Logf("%d expressions, %d of them without a value; by operator %v", 40*batches, valueless, used)
}

// wrong reports whether an expression can have another value than the recorded one.
func wrong(t *testing.T, p *Process, list []*expr.Expr) bool {
	s := &script{names: map[string]bool{}}
	ts := terms{script: s, done: map[*expr.Expr]value{}}
	var differ []sexp
	for _, e := range list {
		x := ts.encode(e, func(n int64) value {
			for _, r := range e.Reads() {
				if r.Number() == n {
					v, _ := r.Recorded()
					return constant(v)
				}
			}
			panic("no such read")
		})
		if s.unsupported != "" {
			t.Fatalf("%v: %s", e, s.unsupported)
		}
		v, ok := e.Recorded()
		if !ok {
			differ = append(differ, x.known)
			continue
		}
		differ = append(differ, not(and(x.known, eq(x.val, word64(v)))))
	}
	s.assert(or(differ...))
	sat, _, err := p.solve(s.logic(), s.text.String(), []sexp{})
	if err != nil && len(list) == 1 {
		t.Fatalf("%v: %v\n%s", describe(list[0]), err, &s.text)
	}
	return sat || err != nil
}

// describe prints an expression with what its reads return.
func describe(e *expr.Expr) string {
	var b strings.Builder
	fmt.Fprint(&b, e, " with")
	for _, r := range e.Reads() {
		v, _ := r.Recorded()
		fmt.Fprintf(&b, " r%d=%#x", r.Number(), v)
	}
	return b.String()
}
