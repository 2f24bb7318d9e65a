package offpath

import (
	"testing"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestCancelled: the window shows no other children of a context than the snapshot has.
func TestCancelled(t *testing.T) {
	const f, ctx, a, b, c = 0x5000, 0x9000, 0xa000, 0xb000, 0xc000
	word := func(of trace.Addr, is uint64) trace.Event {
		return trace.Event{Kind: format.AtomicWrite, Obj: format.Cancels + of, Val: is}
	}
	alloc := func(addr trace.Addr) trace.Event { return trace.Event{Kind: format.Alloc, Obj: addr, Val: 64} }
	for _, test := range []struct {
		name   string
		events []trace.Event
		fails  bool
	}{
		{"nothing", nil, false},
		{"as known", []trace.Event{word(f, ctx), word(ctx, a), word(a, b)}, false},
		{"of others", []trace.Event{word(c, b)}, false},
		{"another child", []trace.Event{word(ctx, c)}, true},
		{"another grandchild", []trace.Event{word(a, c)}, true},
		{"a child of a grandchild", []trace.Event{word(b, c)}, true},
		{"another context", []trace.Event{word(f, c)}, true},
		{"what was there before", []trace.Event{word(ctx, c), alloc(ctx - 8)}, false},
		{"the child is another one", []trace.Event{word(ctx, a), alloc(a)}, true},
		{"the child was another one", []trace.Event{alloc(a), word(ctx, a)}, false},
	} {
		what := flow.Cancelled{Context: flow.Context{Addr: ctx}}
		what.Children = []flow.Context{{Addr: a, Made: 1, Children: []flow.Context{{Addr: b, Made: 2}}}}
		w := &built.Window{To: 100}
		for i := range test.events {
			r := &built.Record{Index: int64(i), Event: test.events[i]}
			if r.Kind == format.AtomicWrite && r.Val == a {
				what.Children[0].Made = r.Index
			}
			w.Records = append(w.Records, r)
		}
		if fails := rejects(func() { (&subject{window: w}).known(f, &what) }); fails != test.fails {
			t.Errorf("%s: %t", test.name, fails)
		}
	}
}

// rejects reports whether f rejects a witness.
func rejects(f func()) (does bool) {
	defer func() { _, does = recover().(*Violation) }()
	f()
	return false
}
