package walk

import (
	"go/types"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
)

// learntType is the type that a word stands for.
type learntType struct {
	goval.Dynamic
	from int64 // the event that showed it
}

// dynamics are the type words that are known: the trace has them where walked code makes an
// interface. The runtime never changes the type word of a type, nor of a pair of an interface type
// and a type. Alternatives look type words up while the walk continues.
type dynamics struct {
	mu    sync.Mutex
	types map[uint64]learntType
	words map[[2]string]word
}

type word struct {
	bits uint64
	from int64
}

func (d *dynamics) addType(i, t types.Type, prog *ssa.Program, bits uint64, event int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.types == nil {
		d.types, d.words = map[uint64]learntType{}, map[[2]string]word{}
	}
	if _, ok := d.types[bits]; !ok {
		d.types[bits] = learntType{Dynamic: goval.Dynamic{Type: t, Prog: prog}, from: event}
	}
	if k := [2]string{goval.TypeKey(i), goval.TypeKey(t)}; k[0] != "" && k[1] != "" {
		if _, ok := d.words[k]; !ok {
			d.words[k] = word{bits, event}
		}
	}
}

// TypeOf returns the type that a type word stands for, if an event before the given one has shown
// it.
func (d *dynamics) TypeOf(bits uint64, event int64) (goval.Dynamic, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.types[bits]
	return t.Dynamic, ok && t.from < event
}

// TypeWord returns the type word of an interface of type i that holds a t.
func (d *dynamics) TypeWord(i, t types.Type, event int64) (uint64, bool) {
	k := [2]string{goval.TypeKey(i), goval.TypeKey(t)}
	if k[0] == "" || k[1] == "" {
		return 0, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	w, ok := d.words[k]
	return w.bits, ok && w.from < event
}
