package relay

import (
	"go/token"
	"path/filepath"
	"strings"

	"presage/internal/relay/summary"
)

// Side is one access of a warning as a reader sees it.
type Side struct {
	Pos     token.Position
	Kind    string
	Expr    string // as the function has it that accesses
	Frame   string // the same memory, as the function has it in which both goroutines are known
	Func    string
	Locks   []Lock
	Held    []string // locks that the function's callers hold, in its terms (path.Node.Key)
	Thread  int      // 0: the goroutine that calls the frame
	Root    string   // of a warning between two roots: the function that the goroutine begins with
	Many    bool
	Started token.Position // its go statement
	Calls   []Frame        // from the frame or the go statement to the access, innermost first
}

// Lock is a lock that is held.
type Lock struct{ Name, Mode string }

// Frame is one call.
type Frame struct {
	Func string
	Pos  token.Position
}

// Object names the memory of a warning.
func (w *Warning) Object() string { return w.A.Loc.Place(w.Frame.Names) }

// Sides describes the two accesses.
func (r *Result) Sides(w *Warning) [2]Side {
	if w.Other == nil {
		return [2]Side{r.side(w, w.A), r.side(w, w.B)}
	}
	a := r.side(w, w.A)
	other := *w
	inner := *w.Warning
	inner.Frame = w.Other
	other.Warning = &inner
	b := r.side(&other, w.B)
	a.Root, b.Root, a.Held, b.Held = Short(w.RootA), Short(w.RootB), w.HeldA, w.HeldB
	return [2]Side{a, b}
}

func (r *Result) side(w *Warning, a *summary.Access) Side {
	s := Side{Pos: r.Position(a.Pos), Kind: a.Kind.String(), Expr: a.At.Place(r.Names(a.Func)), Frame: a.Loc.Place(w.Frame.Names), Func: Short(a.Func), Thread: a.Thread}
	for _, l := range a.Locks.Plus.Sorted() {
		s.Locks = append(s.Locks, Lock{strings.TrimPrefix(l.Expr(w.Frame.Names), "&"), a.Locks.Plus[l].String()})
	}
	if a.Thread > 0 {
		sp := w.Frame.Spawns[a.Thread-1]
		s.Started, s.Many = r.Position(sp.Pos), sp.Many
	}
	caller := Short(w.Frame.Key)
	for c := a.Via; c != nil; c = c.Next {
		s.Calls = append([]Frame{{caller, r.Position(c.Pos)}}, s.Calls...)
		caller = Short(c.Func)
	}
	return s
}

// Short drops the directories of the import paths in a function's key.
func Short(key string) string {
	star := ""
	k := strings.TrimLeft(key, "(*")
	star = key[:len(key)-len(k)]
	if i := strings.LastIndexByte(k, '/'); i >= 0 {
		k = k[i+1:]
	}
	return star + k
}

// Relative is the position with its file name relative to dir, if it is below it.
func Relative(p token.Position, dir string) token.Position {
	if rel, err := filepath.Rel(dir, p.Filename); err == nil && !strings.HasPrefix(rel, "..") {
		p.Filename = rel
	}
	return p
}
