package static

import (
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// Side is one access of a warning as a reader sees it.
type Side struct {
	Pos     token.Position
	Kind    string
	Expr    string // as the function has it that accesses
	Func    string
	Locks   []Lock
	Root    string // the function that the goroutine begins with, "" if it is not known
	Origin  string // what makes it a root: main, init, test, parallel, exported, goroutine
	Many    bool   // there may be several goroutines
	Starter bool   // it is the goroutine that starts the other's
	Stack   []Frame
	Created []Frame // its go statement, and the calls that lead there
}

// Lock is a lock that is held.
type Lock struct{ Name, Mode string }

// Frame is one call: a function, and where it stands. Stacks are innermost first.
type Frame struct {
	Func string
	Pos  token.Position
	Key  string // of the function
}

func (r *Result) frame(key string, pos summary.Pos) Frame {
	return Frame{FuncName(key), r.Position(pos), summary.General(key)}
}

// Callers are the functions by which a caller from outside may come to the access: those that lead
// to it, then those that lead to the go statement of its goroutine; innermost first.
func (s *Side) Callers() (keys []string) {
	for _, f := range slices.Concat(s.Stack, s.Created) {
		keys = append(keys, f.Key)
	}
	return keys
}

// Object names the memory of a warning.
func (w *Warning) Object() string { return w.A.Loc.Place(w.Frame.Names) }

// Sides describes the two accesses.
func (r *Result) Sides(w *Warning) [2]Side {
	if w.Other == nil {
		a, b := r.inFrame(w.Frame, w.A), r.inFrame(w.Frame, w.B)
		a.Starter, b.Starter = w.A.Thread == 0, w.B.Thread == 0
		return [2]Side{a, b}
	}
	return [2]Side{r.fromRoot(w.Frame, w.A, w.RootA, w.HeldA), r.fromRoot(w.Other, w.B, w.RootB, w.HeldB)}
}

// side is what is said of an access wherever it is found.
func (r *Result) side(fn *summary.Function, a *summary.Access) Side {
	s := Side{Pos: r.Position(a.Pos), Kind: a.Kind.String(), Expr: a.At.Place(r.Names(a.Func)), Func: FuncName(a.Func)}
	for _, l := range a.Locks.Plus.Sorted() {
		s.Locks = append(s.Locks, Lock{strings.TrimPrefix(l.Expr(fn.Names), "&"), a.Locks.Plus[l].String()})
	}
	s.Stack = []Frame{r.frame(a.Func, a.Pos)}
	return s
}

// inFrame describes an access of a warning whose two goroutines are known in one frame.
func (r *Result) inFrame(frame *summary.Function, a *summary.Access) Side {
	s := r.side(frame, a)
	var inside, before []Frame // the calls behind the go statement and before it, outermost first
	var start *summary.Spawn
	if a.Thread > 0 {
		start = frame.Spawns[a.Thread-1]
		s.Many = start.Many
	}
	started := start == nil
	for c := a.Via; c != nil; c = c.Next {
		f := r.frame(c.Pos.Func, c.Pos)
		switch {
		case started:
			inside = append(inside, f)
		case c.Pos == start.Pos:
			started = true
		default:
			before = append(before, f)
		}
	}
	if !started { // through a call that the frame has filled in
		inside, before = before, nil
	}
	s.Stack = append(s.Stack, reversed(inside)...)
	calls, root := r.chain(frame.Key, "", nil)
	outer := r.frames(calls)
	if start == nil {
		s.Stack, s.Root, s.Origin = append(s.Stack, outer...), FuncName(root), r.roots[root]
		return s
	}
	s.Root, s.Origin = FuncName(start.Func), "goroutine"
	if start.Late != nil {
		s.Origin = "parallel"
	}
	s.Created = append(append([]Frame{r.frame(start.Pos.Func, start.Pos)}, reversed(before)...), outer...)
	return s
}

// fromRoot describes an access of a warning between two roots.
func (r *Result) fromRoot(fn *summary.Function, a *summary.Access, root string, held []lockset.Held) Side {
	s := r.side(fn, a)
	locks := classes(a.Locks.Plus)
	for _, h := range held {
		locks = append(locks, class(h.Key))
		s.Locks = append(s.Locks, Lock{heldName(h.Key, fn.Names), h.Mode.String()})
	}
	calls, _ := r.chain(fn.Key, root, locks)
	s.Stack = append(s.Stack, r.frames(calls)...)
	s.Root, s.Origin = FuncName(root), r.roots[root]
	if at, ok := r.starts[root]; ok && (s.Origin == "goroutine" || s.Origin == "parallel") {
		s.Many = at.Many
		s.Created = []Frame{r.frame(at.Pos.Func, at.Pos)}
		calls, _ := r.chain(at.Pos.Func, "", nil)
		s.Created = append(s.Created, r.frames(calls)...)
	}
	return s
}

func (r *Result) frames(calls []caller) []Frame {
	var out []Frame
	for _, c := range calls {
		out = append(out, r.frame(c.fn, c.pos))
	}
	return out
}

func reversed(list []Frame) []Frame {
	var out []Frame
	for i := len(list) - 1; i >= 0; i-- {
		out = append(out, list[i])
	}
	return out
}

// heldName writes the key of a lock's path with the names of the function's parameters.
func heldName(key string, names *path.Names) string {
	steps := key
	var b strings.Builder
	switch key[0] {
	case '$', '^':
		list := names.Params
		if key[0] == '^' {
			list = names.Free
		}
		i, n := 0, 1
		for ; n < len(key) && key[n] >= '0' && key[n] <= '9'; n++ {
			i = 10*i + int(key[n]-'0')
		}
		if i < len(list) {
			b.WriteString(list[i])
		}
		steps = key[n:]
	case '@':
		end := strings.IndexAny(key, "![*")
		if end < 0 {
			end = len(key)
		}
		b.WriteString(Short(key[1:end]))
		steps = key[end:]
	default: // of an object that is not known: the field with its type
		if i := strings.LastIndexByte(key, '!'); i >= 0 {
			return Short(key[i+1:])
		}
		return Short(strings.TrimLeft(key, "?"))
	}
	for _, s := range strings.Split(strings.ReplaceAll(strings.ReplaceAll(steps, "*", ""), "[]", "[…]"), "!") {
		if i := strings.LastIndexByte(s, '.'); i >= 0 {
			s = s[i:]
		}
		b.WriteString(s)
	}
	return b.String()
}

// Short drops the directories of the import path in a function's key; of a major version, the one
// before it stays.
func Short(key string) string {
	k := strings.TrimLeft(key, "(*")
	star := key[:len(key)-len(k)]
	if i := strings.LastIndexByte(k, '/'); i >= 0 {
		if version.MatchString(k[i+1:]) {
			i = strings.LastIndexByte(k[:i], '/')
		}
		k = k[i+1:]
	}
	return star + k
}

// FuncName returns the name of a function as stacks have it, from the function's key: those of
// go/ssa are (*p.T).M and p.f$1$2 for p.(*T).M and p.f.func1.2.
func FuncName(key string) string {
	name := Short(summary.General(key))
	if typ, method, ok := strings.Cut(name, ")."); ok && strings.HasPrefix(name, "(") {
		star := strings.HasPrefix(typ, "(*")
		pkg, t, _ := strings.Cut(strings.TrimLeft(typ, "(*"), ".")
		if star {
			t = "(*" + t + ")"
		}
		name = pkg + "." + t + "." + method
	}
	outer, literals, inside := strings.Cut(name, "$")
	if !inside {
		return name
	}
	if literals == "bound" { // a method value
		return outer + "-fm"
	}
	return outer + ".func" + strings.ReplaceAll(literals, "$", ".")
}

var version = regexp.MustCompile(`^v[0-9]+\.`)
