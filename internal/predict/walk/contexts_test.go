package walk

import (
	"fmt"
	"testing"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestCancelAt: a function cancels its context and those that are made from it, as long as the
// memory of each has the same one.
func TestCancelAt(t *testing.T) {
	const f, root, ctx, a, b = 0x5000, 0x8000, 0x9000, 0xa000, 0xb000
	const chanRoot, chanCtx, chanA, chanB = 0x18000, 0x19000, 0x1a000, 0x1b000
	write := func(k *facts, obj trace.Addr, val uint64, at int64) {
		k.cancels(&trace.Event{Kind: format.AtomicWrite, G: 3, Obj: format.Cancels + obj, Val: val}, at)
	}
	context := func(k *facts, addr, ch uint64, at int64) { k.made(addr, made{done: &contextDone{0, ch}}, at) }
	alloc := func(k *facts, addr uint64, at int64) {
		k.functions.allocated(addr, 32, at)
		k.contexts.allocated(addr, 32, at)
	}
	child := func(k *facts, parent trace.Addr, addr, ch uint64, at int64) {
		alloc(k, addr, at)
		context(k, addr, ch, at+1)
		write(k, parent, addr, at+2)
	}
	const known = "9000 19000 of 18000"
	for _, test := range []struct {
		name   string
		do     func(k *facts)
		before int64
		want   string
	}{
		{"alone", func(*facts) {}, 100, known},
		{"not yet", func(*facts) {}, 15, "unknown"},
		{"the function is another one", func(k *facts) { alloc(k, f, 40) }, 100, "unknown"},
		{"and was not yet", func(k *facts) { alloc(k, f, 40) }, 30, known},
		{"the context is freed", func(k *facts) { alloc(k, ctx, 40) }, 100, "unknown"},
		{"the memory of the context has another one", func(k *facts) {
			alloc(k, ctx, 40)
			context(k, ctx, chanRoot, 41)
		}, 100, "unknown"},
		{"and had not yet", func(k *facts) {
			alloc(k, ctx, 40)
			context(k, ctx, chanRoot, 41)
		}, 30, known},
		{"the memory of the parent has another context", func(k *facts) {
			alloc(k, root, 40)
			context(k, root, chanA, 41)
		}, 100, "unknown"},
		{"a child", func(k *facts) { child(k, ctx, a, chanA, 40) }, 100, known + " [a000 1a000 at 42]"},
		{"a later child", func(k *facts) { child(k, ctx, a, chanA, 120) }, 100, known},
		{"two children", func(k *facts) {
			child(k, ctx, a, chanA, 40)
			child(k, ctx, b, chanB, 50)
		}, 100, known + " [a000 1a000 at 42] [b000 1b000 at 52]"},
		{"a grandchild", func(k *facts) {
			child(k, ctx, a, chanA, 40)
			child(k, a, b, chanB, 50)
		}, 100, known + " [a000 1a000 at 42 [b000 1b000 at 52]]"},
		{"the memory of a child has another one", func(k *facts) {
			child(k, ctx, a, chanA, 40)
			child(k, ctx, a, chanB, 50)
		}, 100, "unknown"},
		{"it has it since before the window", func(k *facts) {
			child(k, ctx, a, chanA, 22)
			child(k, ctx, a, chanB, 25)
		}, 100, known + " [a000 1b000 at 27]"},
		{"the memory of a child has one of another parent", func(k *facts) {
			child(k, ctx, a, chanA, 22)
			child(k, root, a, chanB, 25)
		}, 100, known},
		{"the channel of a child is not known", func(k *facts) { write(k, ctx, a, 40) }, 100, "unknown"},
		{"it is shown by a later call", func(k *facts) {
			write(k, ctx, a, 40)
			context(k, a, chanA, 50)
		}, 100, "unknown"},
		{"a child of what the memory of the context had before", func(k *facts) {
			alloc(k, f, 40)
			child(k, ctx, a, chanA, 42)
			alloc(k, ctx, 50)
			context(k, ctx, chanCtx+8, 51)
			write(k, f, ctx, 52)
		}, 100, "9000 19008"},
		{"and a child of that", func(k *facts) {
			alloc(k, f, 22)
			child(k, ctx, a, chanA, 23)
			alloc(k, ctx, 26)
			context(k, ctx, chanCtx+8, 27)
			write(k, f, ctx, 28)
			child(k, ctx, b, chanB, 50)
		}, 100, "9000 19008 [b000 1b000 at 52]"},
		{"too many", func(k *facts) {
			for i := range uint64(maxChildren + 1) {
				child(k, ctx, a+64*i, chanA+64*i, 40)
				alloc(k, a+64*i, 45)
			}
		}, 200, "unknown"},
		{"too many later", func(k *facts) {
			for i := range uint64(maxChildren + 1) {
				child(k, ctx, a+64*i, chanA+64*i, 140+int64(i))
			}
		}, 100, known},
	} {
		var k facts
		context(&k, root, chanRoot, 5)
		alloc(&k, ctx, 9)
		context(&k, ctx, chanCtx, 10)
		write(&k, root, ctx, 11)
		alloc(&k, f, 14)
		write(&k, f, ctx, 20)
		test.do(&k)
		got := "unknown"
		if c, ok := k.CancelAt(f, 30, test.before); ok {
			got = fmt.Sprintf("%x %x", c.Addr, c.Done)
			if c.Parent != 0 {
				got += fmt.Sprintf(" of %x", c.Parent)
			}
			got += childrenText(c.Children)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func childrenText(list []flow.Context) (s string) {
	for _, c := range list {
		s += fmt.Sprintf(" [%x %x at %d%s]", c.Addr, c.Done, c.Made, childrenText(c.Children))
	}
	return s
}
