package tracetest

import (
	"math/rand/v2"

	"github.com/presage-race/presage/internal/predict/model"
)

// families are groups of operations that make sense together.
var families = map[string][numOps]int{
	"memory":     {opRead: 6, opWrite: 6},
	"atomic":     {opAtomicRead: 2, opAtomicWrite: 2, opRMW: 2},
	"mutex":      {opLock: 5, opUnlock: 5},
	"rwmutex":    {opLock: 2, opRLock: 4, opUnlock: 5},
	"try":        {opLock: 2, opTry: 3, opTryRead: 2, opRLock: 1, opUnlock: 5},
	"group":      {opAdd: 3, opDone: 4, opWaitGroup: 4},
	"once":       {opOnce: 6, opOnceEnd: 3},
	"cond":       {opLock: 3, opUnlock: 2, opWait: 4, opSignal: 3, opBroadcast: 1},
	"chan":       {opSend: 5, opRecv: 5, opClose: 1, opLen: 1},
	"select":     {opSend: 2, opRecv: 2, opSelect: 5, opPoll: 4, opClose: 1},
	"rendezvous": {opSelect: 8, opPoll: 3, opSend: 2, opRecv: 1, opClose: 1},
	"go":         {opGo: 3, opJoin: 2, opEnd: 1},
}

// Profiles lists profiles for comparisons: one for each family of primitives under each semantics
// of reads, mixtures, and some whose pairs mostly do not race.
func Profiles() []Profile {
	var ps []Profile
	add := func(name string, sem model.Semantics, change func(*Profile), names ...string) {
		p := Profile{
			Name: name + "/" + sem.String(), Semantics: sem,
			Threads: 3, Events: 14, Before: 6, Locations: 2, Channels: 2, Values: 3,
			Deps: 0.25, Where: 0.06, Strict: 0.15, Edges: 0.15,
		}
		if sem < model.NeededReads {
			p.Deps /= 2
		}
		for _, n := range append(names, "memory") {
			for o, k := range families[n] {
				p.Weights[o] += k
			}
		}
		p.Weights[opPin]++
		if change != nil {
			change(&p)
		}
		ps = append(ps, p)
	}
	guarded := func(p *Profile) { p.Guard, p.Locations, p.Events = 0.9, 1, 18 }
	for _, sem := range []model.Semantics{model.StrictReads, model.ValueReads, model.NeededReads, model.EvaluatedReads} {
		for _, f := range []string{"atomic", "mutex", "rwmutex", "try", "group", "once", "cond", "chan", "select", "go"} {
			add(f, sem, nil, f)
			add(f+"-guarded", sem, guarded, f, "mutex")
		}
		add("plain", sem, func(p *Profile) { p.Locations, p.Threads = 3, 4 })
		add("plain-atomic", sem, func(p *Profile) { p.Locations = 1; p.Values = 2 }, "atomic")
		add("locks-group-go", sem, func(p *Profile) { p.Threads = 4 }, "mutex", "group", "go")
		add("chan-select-go", sem, func(p *Profile) { p.Threads = 4; p.Events = 12 }, "chan", "select", "go")
		add("cond-chan", sem, nil, "cond", "chan")
		add("rendezvous", sem, func(p *Profile) { p.Locations, p.Channels = 1, 3 }, "rendezvous")
		add("once-try-atomic", sem, nil, "once", "try", "atomic")
		add("big-locks", sem, func(p *Profile) { guarded(p); p.Events, p.Threads, p.Locations = 26, 4, 2 }, "rwmutex", "try")
		add("big-chan", sem, func(p *Profile) { p.Events, p.Threads = 22, 4 }, "chan", "mutex", "go")
		add("big-values", sem, func(p *Profile) { p.Events, p.Locations, p.Deps = 22, 3, 0.6 }, "atomic", "mutex")
		add("many-threads", sem, func(p *Profile) { p.Events, p.Threads = 20, 6 }, "mutex", "group", "select", "go")
		add("all", sem, func(p *Profile) { p.Threads = 4; p.Events = 13 }, "atomic", "try", "group", "once", "cond", "chan", "select", "go")
	}
	return ps
}

// Random is a generated window with its profile.
type Random struct {
	*model.Window
	Profile string
}

// RandomWindow returns window number n of a seed. Equal arguments give equal windows.
func RandomWindow(seed, n uint64) Random { return ScaledWindow(seed, n, 1) }

// ScaledWindow is RandomWindow with scale times as many events.
func ScaledWindow(seed, n uint64, scale int) Random {
	ps := Profiles()
	p := ps[n%uint64(len(ps))]
	p.Events *= scale
	return Random{Generate(rand.New(rand.NewPCG(seed, n)), p), p.Name}
}
