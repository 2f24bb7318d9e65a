package offpath

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// context executes a call of Done or Err of a context whose code is not instrumented, as the
// contract of context.Context says (CP3): Done returns what it has returned before. Err returns nil
// where the channel of Done is open, and an error where it is closed. It reports whether in is such
// a call.
func (m *machine) context(in *ssa.Call) bool {
	f := m.frame
	method := plan.ContextMethod(&in.Call)
	if method != "Done" && method != "Err" {
		return false
	}
	v := f.val(in.Call.Value)
	if t, ok := m.env.types.of(v); ok {
		if pf, _ := m.process.in.snap.Program.MethodOf(t.typ, in.Call.Method); pf != nil {
			return false
		}
	}
	word, ok := v.word(0)
	data, ok2 := v.word(1)
	if !ok || !ok2 || data >= freshBase {
		return false
	}
	p := m.process
	done, ok := p.in.snap.Done(word, data, p.in.window.To)
	if !ok {
		return false
	}
	p.called = append(p.called, data)
	switch {
	case method == "Done":
		f.vals[in] = number(done, 8)
	case done == 0:
		f.vals[in] = zero(16)
	default:
		f.vals[in] = m.contextErr(in, done)
	}
	return true
}

// contextErr is Err of a context with a channel: the step is that of a select with this channel
// alone and a default, or the receive that finds it closed.
func (m *machine) contextErr(in *ssa.Call, done uint64) value {
	site := m.frame.at().Site
	if m.steps.ahead(site).Event.Kind != format.SelectDefault {
		m.steps.expect(format.ChanRecv, format.FlagClosed, site, &done, 0)
		return m.newError(in.Type(), errorOfFmt, unknown(16))
	}
	s := m.steps.expect(format.SelectDefault, 0, site, nil, 0)
	m.ops.casesAre(s, []channelCase{{done, false}})
	return zero(16)
}

// cancels executes a call of a function that context.WithCancel has returned: it closes the channel
// of Done, or the channel has been closed, as the next step says (CP4). Nothing else shows that a
// context is cancelled (package format). It reports whether in is such a call.
func (m *machine) cancels(in *ssa.Call) bool {
	if static(&in.Call) != nil || in.Call.IsInvoke() {
		return false
	}
	addr, ok := m.frame.callee(&in.Call).bits()
	if !ok || addr < 4096 || addr >= freshBase {
		return false
	}
	p := m.process
	done, ok := p.in.snap.Cancel(addr, p.in.window.To)
	if !ok {
		return false
	}
	p.called = append(p.called, addr)
	site := m.frame.at().Site
	if m.steps.ahead(site).Event.Kind == format.ChanRecv {
		m.steps.expect(format.ChanRecv, format.FlagClosed, site, &done, 0)
		return true
	}
	m.steps.expect(format.ChanClose, 0, site, &done, 0)
	return true
}
