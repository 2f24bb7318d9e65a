package points

import (
	"maps"
	"slices"
)

// world is what has got outside.
type world struct {
	made    map[int32][]object // objects by type
	wild    []int32            // types of them that may be other types
	holders map[int32][]int32  // by type: types that have parts of it
	parts   []int32            // types in holders that may be other types
	memo    map[int32][]object
}

// escaped finds what gets outside, and which types have parts of which. Types do not count on the way, nor calls (N4).
func (l *Linker) escaped() *world {
	w := &world{made: map[int32][]object{}, holders: map[int32][]int32{}, memo: map[int32][]object{}}
	seen := make([]bool, len(l.into))
	out := l.find(l.out)
	seen[out] = true
	for work := []int32{out}; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, f := range l.into[n] {
			switch {
			case f.step == made:
				if w.made[f.ToKey] == nil && (f.ToKey == 0 || l.wild[f.ToKey]) {
					w.wild = append(w.wild, f.ToKey)
				}
				w.made[f.ToKey] = append(w.made[f.ToKey], object{site: f.FromKey})
			case !seen[f.From]:
				seen[f.From] = true
				work = append(work, f.From)
			}
		}
	}
	type pair struct{ part, holder int32 }
	known := map[pair]bool{}
	for _, in := range l.into {
		for _, f := range in {
			if p := (pair{f.ToKey, f.FromKey}); f.step == part && !known[p] {
				known[p] = true
				if w.holders[p.part] == nil && (p.part == 0 || l.wild[p.part]) {
					w.parts = append(w.parts, p.part)
				}
				w.holders[p.part] = append(w.holders[p.part], p.holder)
			}
		}
	}
	return w
}

// outside lists the objects of a type that are outside, or have a part of that type and are.
func (l *Linker) outside(key int32) []object {
	if l.escapes == nil {
		l.escapes = l.escaped()
	}
	w := l.escapes
	if out, ok := w.memo[key]; ok {
		return out
	}
	var out []object
	seen := map[int32]bool{key: true}
	for work := []int32{key}; len(work) > 0; {
		k := work[len(work)-1]
		work = work[:len(work)-1]
		if l.makes[k] {
			out = append(out, outsider)
		}
		if k == 0 { // of any type
			for _, made := range w.made {
				out = append(out, made...)
			}
			break
		}
		for _, x := range matching(l, k, w.made, w.wild) {
			out = append(out, w.made[x]...)
		}
		for _, x := range matching(l, k, w.holders, w.parts) {
			for _, h := range w.holders[x] {
				if !seen[h] {
					seen[h] = true
					work = append(work, h)
				}
			}
		}
	}
	slices.SortFunc(out, object.compare)
	out = slices.Compact(out)
	w.memo[key] = out
	return out
}

// matching lists the types of a table that may be k; wild are those of them that may be more than one.
func matching[V any](l *Linker, k int32, table map[int32]V, wild []int32) []int32 {
	out := []int32{k}
	if l.wild[k] {
		wild = slices.Collect(maps.Keys(table))
	}
	for _, x := range wild {
		if x != k && l.matches(x, k) {
			out = append(out, x)
		}
	}
	return out
}
