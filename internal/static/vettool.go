package static

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/store"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/symbolic"
)

// vetx is what the go command keeps of a package for the tool: where its summary is, and those of
// its imports.
type vetx struct {
	ID, Path string
	Digest   store.Digest // of the package and all that it imports
	Key      store.Key    // zero: it has no summary
	Imports  map[string]store.Key
}

// Vettool summarises the one package of which the go command has written cfgFile, into the
// directory dir. What other packages need to know goes through the go command, which calls for each
// package once, imports first, and keeps the answers.
func Vettool(cfgFile, dir string) error {
	cfg, err := load.ReadVetConfig(cfgFile)
	if err != nil {
		return err
	}
	r := newRun(Config{Store: dir})
	if r.dir, err = store.Open(dir); err != nil {
		return err
	}
	if r.program, err = store.Executable(); err != nil {
		return err
	}
	p := cfg.Package()
	out := vetx{ID: p.ID, Path: p.Path, Imports: map[string]store.Key{}}
	im := &imported{sums: map[string]*summary.Function{}, dir: r.dir, keys: map[string]store.Key{}, tried: map[string]bool{}}
	for _, id := range p.Imports {
		v, err := readVetx(cfg.PackageVetx[id])
		if err != nil {
			return fmt.Errorf("what the go command keeps of %s: %w", id, err)
		}
		r.digests[id] = v.Digest
		if v.Key != (store.Key{}) {
			out.Imports[id] = v.Key
			im.next = append(im.next, v.Path)
			im.keys[v.Path] = v.Key
		}
	}
	if p.Bodies {
		out.Key = r.key(p)
	}
	state, err := r.known(p)
	if err == nil && state == load.Unknown {
		r.imported = im
		if p.Bodies {
			err = cfg.Load(p)
		}
		if err == nil {
			err = r.visit(p)
		}
	}
	if err != nil {
		return err
	}
	if len(p.Errors) > 0 && !cfg.SucceedOnTypecheckFailure {
		return fmt.Errorf("%s", p.Errors[0])
	}
	if len(p.Errors) > 0 {
		out.Key = store.Key{} // what has errors is not kept
	}
	if out.Key != (store.Key{}) {
		if err := putImports(r.dir, out.Key, out.Imports); err != nil {
			return err
		}
	}
	out.Digest = r.digests[p.ID]
	data, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return os.WriteFile(cfg.VetxOutput, data, 0o600)
}

func readVetx(file string) (*vetx, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	v := new(vetx)
	return v, json.Unmarshal(data, v)
}

// importsKey is where the imports of the package with a key are listed.
func importsKey(key store.Key) store.Key {
	k := store.NewKeyer()
	k.Add("imports", string(key[:]))
	return k.Key()
}

func putImports(dir *store.Dir, key store.Key, imports map[string]store.Key) error {
	data, err := json.Marshal(imports)
	if err != nil {
		return err
	}
	return dir.Put(importsKey(key), data)
}

// imported finds summaries of the packages that are imported, directly or not; it reads them when
// they are wanted.
type imported struct {
	sums map[string]*summary.Function
	dir  *store.Dir
	// packages that were removed from the directory behind the go command's back
	gone  []string
	keys  map[string]store.Key // by package path
	tried map[string]bool      // packages that were read
	next  []string             // packages whose imports were not looked at, nearest first
}

func (im *imported) lookup(key string) *summary.Function {
	pkg := symbolic.PackageOf(key)
	for !im.tried[pkg] {
		if k, ok := im.keys[pkg]; ok {
			im.tried[pkg] = true
			im.read(pkg, k)
			break
		}
		if !im.widen() {
			im.tried[pkg] = true
		}
	}
	return im.sums[key]
}

// read decodes the summaries of a package.
func (im *imported) read(pkg string, k store.Key) {
	data, err := im.dir.Get(k)
	if err != nil || data == nil {
		im.gone = append(im.gone, pkg)
		return
	}
	u := &unit{}
	if _, err := store.Decode(data, u, path.NewTable()); err != nil {
		im.gone = append(im.gone, pkg)
		return
	}
	for _, f := range u.Functions {
		im.sums[f.Key] = f
	}
}

// widen looks at the imports of one more package; false if there is none.
func (im *imported) widen() bool {
	if len(im.next) == 0 {
		return false
	}
	pkg := im.next[0]
	im.next = im.next[1:]
	data, err := im.dir.Get(importsKey(im.keys[pkg]))
	var list map[string]store.Key
	if err != nil || json.Unmarshal(data, &list) != nil {
		return true
	}
	var ids []string
	for id := range list {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		p := load.WithoutVariant(id)
		if _, ok := im.keys[p]; !ok {
			im.keys[p] = list[id]
			im.next = append(im.next, p)
		}
	}
	return true
}
