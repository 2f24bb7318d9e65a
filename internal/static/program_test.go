package static_test

import (
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/static/tier"
)

// TestPrograms analyses modules of several packages: what is a pair depends on what their commands
// reach.
func TestPrograms(t *testing.T) {
	const fake = `package fake
import "sync"
type T struct {
	mu sync.Mutex
	n  int
}
func (t *T) Add() { t.mu.Lock(); t.n++; t.mu.Unlock() }
func (t *T) Sub() { t.n-- }
`
	const lib = `package lib
type T struct{ n int }
var Shared int
func Write() { Shared = 1 }
func Read() int { return Shared }
func (t *T) Loop(c chan int) { go func() { for range c { t.n++ } }() }
func (t *T) Set(n int) { t.n = n }
`
	const box = `package box
// Box is safe for concurrent use by multiple goroutines.
type Box struct{ n int }
func (b *Box) Put() { b.n++ }
`
	user := func(text string) string {
		return "package user\nimport (\n\"m/internal/box\"\n\"sync\"\n)\ntype User struct {\nmu sync.Mutex\nb *box.Box\n}\nfunc (u *User) Use() {" + text + "}\nfunc (u *User) Lock() { u.mu.Lock(); u.mu.Unlock() }\n"
	}
	main := func(text string) string { return "package main\nimport \"m/lib\"\nfunc main() {\n" + text + "}\n" }
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string // the functions of each likely pair
	}{
		{"one process", map[string]string{"a/main.go": main("go lib.Write()\ngo func() { println(lib.Read()) }()\nnew(lib.T).Loop(nil)\n")}, "Write-Read"},
		// (LI6) What only different commands do is never done at once.
		{"two processes", map[string]string{"a/main.go": main("go lib.Write()\n"), "b/main.go": main("go func() { println(lib.Read()) }()\nnew(lib.T).Loop(nil)\n")}, ""},
		// (LI6) Nothing calls Set but a caller outside of a program that uses most of the package
		// itself.
		{"closed", map[string]string{"a/main.go": main("new(lib.T).Loop(nil)\nlib.Write()\nprintln(lib.Read())\n")}, ""},
		// What no command uses shows by its locks that it expects such calls.
		{"closed, for others", map[string]string{"a/main.go": main("new(lib.T).Loop(nil)\nlib.Write()\nprintln(lib.Read())\n"), "fake/fake.go": fake,
			"more/more.go": "package more\nfunc A() {}\nfunc B() {}\nfunc C() {}\n",
			"b/main.go":    "package main\nimport \"m/more\"\nfunc main() { more.A(); more.B(); more.C() }\n"}, "Add-Sub"},
		// (LI1) Who may call a function of an internal package is known once another package does.
		{"internal, called under a lock", map[string]string{"internal/box/box.go": box, "user/user.go": user("u.mu.Lock(); u.b.Put(); u.mu.Unlock()")}, "Loop$1-Set"},
		{"internal, called without", map[string]string{"internal/box/box.go": box, "user/user.go": user("go u.b.Put(); u.b.Put()")}, "Put-Put Loop$1-Set"},
		{"internal, shown by an alias", map[string]string{"internal/box/box.go": box, "user/user.go": "package user\nimport \"m/internal/box\"\ntype Box = box.Box\nfunc New() *Box { b := new(box.Box); b.Put(); return b }\n"}, "Put-Put Loop$1-Set"},
		{"internal, shown by an embedded field", map[string]string{"internal/box/box.go": box, "user/user.go": "package user\nimport \"m/internal/box\"\ntype User struct{ *box.Box }\nfunc New() User { b := new(box.Box); b.Put(); return User{b} }\n"}, "Put-Put Loop$1-Set"},
		{"internal, called by nobody", map[string]string{"internal/box/box.go": box}, "Put-Put Loop$1-Set"},
		{"internal, called by its tests", map[string]string{"internal/box/box.go": box,
			"internal/box/box_test.go": "package box_test\nimport (\n\"m/internal/box\"\n\"testing\"\n)\nfunc TestPut(*testing.T) { new(box.Box).Put() }\n"}, "Put-Put Loop$1-Set"},
		// A command that uses a small part does not make a program of a library.
		{"open", map[string]string{"a/main.go": main("lib.Write()\n")}, "Loop$1-Set"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "go.mod", "module m\n\ngo 1.25\n")
			write(t, dir, "lib/lib.go", lib)
			for name, text := range test.files {
				write(t, dir, name, text)
			}
			var got []string
			name := func(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }
			for _, w := range analyse(t, dir, "").Pairs {
				if w.Tier == tier.Likely {
					got = append(got, name(w.A.Func)+"-"+name(w.B.Func))
				}
			}
			if pairs := strings.Join(got, " "); pairs != test.want {
				t.Errorf("likely pairs %q, want %q", pairs, test.want)
			}
		})
	}
}
