package merge

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// siteTable gives sites to the program counters of outside code.
type siteTable struct {
	meta      *trace.Meta
	places    map[uint32]pcPlace    // by program counter, as recorded
	sites     map[uint32]trace.Site // by program counter; 0: emitted code
	announced map[uint32]trace.Site // of accesses of the runtime on behalf of emitted code
	files     map[string]int32
	funcs     map[pcPlace]trace.FuncID
	emitted   map[string][]emittedFunc // by name of the file, ascending by line
	named     map[string]emittedFunc   // by name of the function
}

// pcPlace is the function and the source line of a program counter.
type pcPlace struct {
	name, file string
	line       int32
}

// emittedFunc is a function of a file of emitted code.
type emittedFunc struct {
	line   int32
	opaque bool // it was left as written
}

// announcedOf returns the site of a program counter of emitted code, for an access that the runtime
// makes on its behalf.
func (t *siteTable) announcedOf(pc uint32) trace.Site {
	s, ok := t.announced[pc]
	if !ok {
		if t.announced == nil {
			t.announced = make(map[uint32]trace.Site)
		}
		s = t.add(t.places[pc])
		t.announced[pc] = s
	}
	return s
}

// site returns the site of a program counter of outside code, and 0 for emitted code (ME9). Sites
// are numbered in the order of the first use.
func (t *siteTable) site(pc uint32) trace.Site {
	if s, ok := t.sites[pc]; ok {
		return s
	}
	if t.sites == nil {
		t.prepare()
	}
	at, known := t.places[pc]
	if !known {
		at = pcPlace{name: "code of which the place was not recorded"}
	}
	if t.emits(at) {
		t.sites[pc] = 0
		return 0
	}
	s := t.add(at)
	t.sites[pc] = s
	return s
}

// add makes a site.
func (t *siteTable) add(at pcPlace) trace.Site {
	s := trace.Site(len(t.meta.Sites))
	t.meta.Sites = append(t.meta.Sites, trace.SiteInfo{Func: t.function(at), Block: -1, Instr: -1, File: t.file(at.file), Line: at.line})
	return s
}

// prepare makes the indices. The tables of the meta are shared by all processes of the program, so
// what is added goes into copies.
func (t *siteTable) prepare() {
	t.sites, t.files, t.funcs = make(map[uint32]trace.Site), make(map[string]int32), make(map[pcPlace]trace.FuncID)
	t.emitted, t.named = make(map[string][]emittedFunc), make(map[string]emittedFunc)
	for i, f := range t.meta.Files {
		t.emitted[f.Name] = nil
		t.files[f.Name] = int32(i)
	}
	for _, f := range t.meta.Funcs {
		u := emittedFunc{line: f.Line, opaque: f.Opaque != ""}
		t.named[f.Name] = u
		if f.File >= 0 && int(f.File) < len(t.meta.Files) {
			name := t.meta.Files[f.File].Name
			t.emitted[name] = append(t.emitted[name], u)
		}
	}
	for _, list := range t.emitted {
		slices.SortStableFunc(list, func(a, b emittedFunc) int { return cmp.Compare(a.line, b.line) })
	}
	if len(t.meta.Sites) == 0 {
		t.meta.Sites = make([]trace.SiteInfo, 1)
	}
	t.meta.Outside = &trace.Outside{Files: len(t.meta.Files), Funcs: len(t.meta.Funcs), Sites: len(t.meta.Sites)}
	t.meta.Sites = t.meta.Sites[:len(t.meta.Sites):len(t.meta.Sites)]
	t.meta.Files = t.meta.Files[:len(t.meta.Files):len(t.meta.Files)]
	t.meta.Funcs = t.meta.Funcs[:len(t.meta.Funcs):len(t.meta.Funcs)]
}

// emits reports whether there is emitted code at a place (ME9).
func (t *siteTable) emits(at pcPlace) bool {
	if u, ok := t.named[at.name]; ok {
		return !u.opaque
	}
	units, ok := t.emitted[at.file]
	if !ok {
		return false
	}
	i, _ := slices.BinarySearchFunc(units, at.line+1, func(u emittedFunc, line int32) int { return cmp.Compare(u.line, line) })
	if i == 0 {
		return true
	}
	for line := units[i-1].line; i > 0 && units[i-1].line == line; i-- {
		if !units[i-1].opaque {
			return true
		}
	}
	return false
}

func (t *siteTable) file(name string) int32 {
	if name == "" {
		return -1
	}
	i, ok := t.files[name]
	if !ok {
		i = int32(len(t.meta.Files))
		t.meta.Files = append(t.meta.Files, trace.File{Name: name})
		t.files[name] = i
	}
	return i
}

func (t *siteTable) function(at pcPlace) trace.FuncID {
	key := pcPlace{name: at.name, file: at.file}
	f, ok := t.funcs[key]
	if !ok {
		f = trace.FuncID(len(t.meta.Funcs))
		t.meta.Funcs = append(t.meta.Funcs, trace.Func{Name: at.name, Pkg: packageOf(at.name), File: t.file(at.file), Line: at.line})
		t.funcs[key] = f
	}
	return f
}

// packageOf returns the import path in the name of a function.
func packageOf(name string) string {
	slash := 0
	for i := 0; i < len(name) && name[i] != '[' && name[i] != '('; i++ {
		if name[i] == '/' {
			slash = i
		}
	}
	for i := slash; i < len(name); i++ {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return name
}
