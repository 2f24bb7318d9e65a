package static

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"math/big"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/callgraph"
	"github.com/presage-race/presage/internal/static/evidence/promise"
	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/pairs"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/store"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/symbolic"
	"github.com/presage-race/presage/internal/static/unmodelled"
)

// unit is all that is kept of a package. It is what is written to disk.
type unit struct {
	Path      string
	Declared  [sha256.Size]byte   // digest of what the package declares, without function bodies
	Functions []*summary.Function // by key
	Found     []found
	Stats     Stats
	Promises  *promise.Package
}

// found is a warning of one frame.
type found struct {
	Frame string
	A, B  *summary.Access
	Codes []string
}

// key says what the summary of a package depends on.
func (r *run) key(p *load.Package) store.Key {
	k := store.NewKeyer()
	k.Add(string(r.program[:]), runtime.Version(), p.Version, fmt.Sprint(p.Word), p.Path)
	if p.Target {
		k.Add("target")
	}
	for _, s := range p.Sources {
		k.Add(s.Name, string(s.Sum[:]))
	}
	for _, name := range p.Ignored {
		k.Add(filepath.Base(name))
	}
	k.Add(r.cfg.Tags...)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range p.Imports {
		d := r.digests[id]
		// the go command has several names for variants
		k.Add(load.WithoutVariant(id), string(d[:]))
	}
	return k.Key()
}

// known finds the unit of a package in the directory.
func (r *run) known(p *load.Package) (load.State, error) {
	if r.dir == nil || !p.Bodies || len(p.Errors) > 0 && !r.cfg.Link {
		return load.Unknown, nil
	}
	key := r.key(p)
	data, err := r.dir.Get(key)
	if err != nil {
		return load.Unknown, err
	}
	if data != nil {
		if r.accept(p, data) == nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.result.Stats.Store.Found++
			return load.Known, nil
		}
		r.mu.Lock()
		r.result.Stats.Store.Damaged++
		r.mu.Unlock()
	}
	if r.cfg.Link {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.missing = append(r.missing, p.ID)
		return load.Known, nil
	}
	if r.cfg.Share {
		mine, err := r.dir.Claim(key)
		if err != nil {
			return load.Unknown, err
		}
		if !mine {
			return load.Busy, nil
		}
	}
	return load.Unknown, nil
}

// accept takes an encoded unit.
func (r *run) accept(p *load.Package, data []byte) error {
	u := &unit{}
	digest, err := store.Decode(data, u, path.NewTable())
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Stats.Packages++
	r.units[p.ID] = u
	r.digest(p, digest[:])
	for _, f := range u.Functions {
		v := compiled{f, p.ID}
		at, _ := slices.BinarySearchFunc(r.versions[f.Key], v, compiled.compare)
		r.versions[f.Key] = slices.Insert(r.versions[f.Key], at, v)
	}
	return nil
}

// compiled is the summary of a function in one package. Several packages have a function with the
// same key if they are variants of one package, or if they refer to the same method value.
type compiled struct {
	*summary.Function
	pkg string // ID
}

// compare orders versions: those in packages that were compiled for a test come first.
func (v compiled) compare(o compiled) int {
	plain := func(id string) int {
		if load.WithoutVariant(id) != id {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(plain(v.pkg), plain(o.pkg)), strings.Compare(v.pkg, o.pkg))
}

// lookup finds the summary of a function of a package that p imports, directly or not: of that
// package as it was compiled for the same test, if it was. Other packages do not count, because
// which of them have been visited before depends on the order of the visits.
func (r *run) lookup(p *load.Package, key string) *summary.Function {
	if r.imported != nil {
		return r.imported.lookup(key)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	below := r.dependencies(p)
	for _, v := range r.versions[key] {
		if below.Bit(r.number(v.pkg)) != 0 {
			return v.Function
		}
	}
	return nil
}

// dependencies is the set of packages that p imports, directly or not, by number.
func (r *run) dependencies(p *load.Package) *big.Int {
	set, ok := r.below[p.ID]
	if !ok {
		set = new(big.Int)
		for _, id := range p.Imports {
			if r.below[id] != nil {
				set.Or(set, r.below[id])
			}
			set.SetBit(set, r.number(id), 1)
		}
		r.below[p.ID] = set
	}
	return set
}

// number is that of a package in sets of packages.
func (r *run) number(id string) int {
	n, ok := r.numbers[id]
	if !ok {
		n = len(r.numbers)
		r.numbers[id] = n
	}
	return n
}

// digest notes the digest of a package and of all that it imports.
func (r *run) digest(p *load.Package, own []byte) {
	r.dependencies(p)
	k := store.NewKeyer()
	k.Add(string(own))
	for _, id := range p.Imports {
		d := r.digests[id]
		k.Add(string(d[:]))
	}
	r.digests[p.ID] = store.Digest(k.Key())
}

// visit summarises a package and keeps the unit.
func (r *run) visit(p *load.Package) error {
	r.mu.Lock()
	if len(p.Errors) > 0 && (p.Target || len(p.Files) > 0) {
		// what has no files at all is an error of its importer
		r.result.Errors = append(r.result.Errors, PackageError{p.Path, p.Target, p.Errors})
	}
	if p.SSA == nil {
		r.result.Stats.Packages++
		k := store.NewKeyer()
		for _, s := range p.Sources {
			k.Add(string(s.Sum[:]))
		}
		own := k.Key()
		r.digest(p, own[:])
	}
	r.mu.Unlock()
	if p.SSA == nil {
		return nil
	}
	data, _ := store.Encode(r.summarise(p))
	if r.imported != nil && len(r.imported.gone) > 0 {
		return &MissingError{r.imported.gone}
	}
	if r.dir != nil {
		key := r.key(p)
		if len(p.Errors) == 0 {
			if err := r.dir.Put(key, data); err != nil {
				return err
			}
		}
		if r.cfg.Share {
			r.dir.Release(key)
		}
		r.mu.Lock()
		r.result.Stats.Store.Made++
		r.mu.Unlock()
	}
	return r.accept(p, data) // what is used is what was decoded
}

// summarise makes the unit of a package.
func (r *run) summarise(p *load.Package) *unit {
	own := map[string]*summary.Function{}
	generated := map[string]bool{}
	for _, f := range p.Files {
		if ast.IsGenerated(f) {
			generated[p.Fset.File(f.FileStart).Name()] = true
		}
	}
	c := &symbolic.Context{Generated: func(pos token.Pos) bool { return pos.IsValid() && generated[p.Fset.File(pos).Name()] },
		Table: path.NewTable(), Fset: p.Fset, Std: p.Std, Lookup: func(key string) *summary.Function {
			if s := own[key]; s != nil {
				return s
			}
			return r.lookup(p, key)
		}}
	u := &unit{Path: p.Path, Declared: p.Declared(), Promises: promise.Of(p)}
	fns := callgraph.Functions(p.SSA)
	u.Stats.Unmodelled = unmodelled.Of(p, fns, r.cfg.Tags)
	u.Stats.Cuts[summary.BoundOrder] = len(p.Unordered)
	for _, comp := range callgraph.Components(fns) {
		rounds := 1
		if len(comp) > 1 {
			rounds = 2
		}
		for round := range rounds {
			for _, fn := range comp {
				s := c.Analyse(fn)
				if round == rounds-1 {
					u.count(s, p.Target)
				}
				for _, s := range append(c.Specialised(fn, s), s) {
					s.Target = p.Target
					symbolic.Export(s)
					own[s.Key] = s
				}
			}
		}
	}
	if init := own[p.Path+".init"]; init != nil && p.Target && p.Types != nil {
		c.Offered(p.Types, init)
		init.Shows = symbolic.Shown(p.Types)
	}
	u.Functions = slices.SortedFunc(maps.Values(own), func(a, b *summary.Function) int { return strings.Compare(a.Key, b.Key) })
	for _, s := range u.Functions {
		u.Stats.Accesses += len(s.Accesses)
		u.Stats.Holes += len(s.Holes)
	}
	return u
}

// count adds what was found in a function.
func (u *unit) count(s *summary.Function, target bool) {
	if target {
		for _, w := range pairs.Find(s, &u.Stats.Pairs) {
			u.Found = append(u.Found, found{w.Frame.Key, w.A, w.B, w.Codes})
		}
	}
	u.Stats.Functions++
	u.Stats.Cuts.Add(&s.Cuts)
	u.Stats.Spawns += len(s.Spawns)
}
