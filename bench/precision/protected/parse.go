package protected

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

// The format of the data files. A file is a family. Lines that begin with # are comments. Each
// other line is a key and a text, separated by a space; a line that begins with a tab continues
// the text of the line before it. A key that comes twice adds lines to its text.
//
//	require golang.org/x/sync v0.24.0   before the first program: what go.mod requires
//	program NAME      begins a program
//	import "path"     an import; packages of the standard library are found by name without it
//	declare TEXT      declarations of the package
//	setup TEXT        statements, before both goroutines
//	store TEXT        the operation of the first goroutine, after x = 1
//	look TEXT         the operation of the second goroutine, which assigns to ok
//	ok EXPR           short for: look ok = EXPR
//	wait TEXT         instead of look: blocks until the store has happened; x = 2 follows
//	third TEXT        what a third goroutine does under mu, before the second one looks
//	shared EXPR       the raced variable, if it is not x
//	end TEXT          statements, after both goroutines
//	racy TEXT         why the twin races, for a program whose look cannot run before its store
//
// The names x, mu, ok, t and done belong to the frame. In look, a line "second" stands for x = 2:
// the write is made there and not after the critical section. $ID is a word that each test of each
// program has for itself.

//go:embed programs/*.txt
var files embed.FS

// program is one program of a family: a protected one and its twin.
type program struct {
	family, name string
	requires     []string          // of the family: "module version"
	text         map[string]string // by key
}

// keys are the sections of a program, in the order they are printed.
var keys = []string{"import", "declare", "setup", "store", "look", "wait", "third", "shared", "end", "racy"}

func (p *program) id() string { return p.family + "/" + p.name }

// String is the program in the format of the data files.
func (p *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %s\n", p.name)
	for _, k := range keys {
		if t := p.text[k]; t != "" {
			fmt.Fprintf(&b, "%s %s\n", k, strings.ReplaceAll(t, "\n", "\n\t"))
		}
	}
	return b.String()
}

// add adds a line to a section.
func (p *program) add(key, line string) {
	if p.text[key] != "" {
		line = p.text[key] + "\n" + line
	}
	p.text[key] = line
}

// readPrograms reads all data files.
func readPrograms() ([]*program, error) {
	names, err := files.ReadDir("programs")
	if err != nil {
		return nil, err
	}
	var all []*program
	for _, f := range names {
		text, err := files.ReadFile(path.Join("programs", f.Name()))
		if err != nil {
			return nil, err
		}
		list, err := parse(strings.TrimSuffix(f.Name(), ".txt"), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// parse reads the programs of one family.
func parse(family, text string) ([]*program, error) {
	var r reader
	r.family, r.names = family, map[string]bool{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if err := r.line(strings.TrimRight(line, " \t\n")); err != nil {
			return nil, fmt.Errorf("%s.txt:%d: %w", family, n, err)
		}
	}
	if err := r.finish(); err != nil {
		return nil, fmt.Errorf("%s.txt:%d: %w", family, n, err)
	}
	for _, p := range r.programs {
		p.requires = r.requires
	}
	return r.programs, nil
}

// reader is the state of parse.
type reader struct {
	family   string
	requires []string
	programs []*program
	names    map[string]bool
	key      string // of the line before
}

func (r *reader) current() *program {
	if len(r.programs) == 0 {
		return nil
	}
	return r.programs[len(r.programs)-1]
}

func (r *reader) line(line string) error {
	if line == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	if rest, continues := strings.CutPrefix(line, "\t"); continues {
		if r.key == "" || r.current() == nil {
			return fmt.Errorf("a line that continues nothing")
		}
		r.current().add(r.key, rest)
		return nil
	}
	key, text, _ := strings.Cut(line, " ")
	r.key = ""
	switch {
	case key == "require" && r.current() == nil:
		r.requires = append(r.requires, text)
		return nil
	case key == "program":
		return r.begin(text)
	case r.current() == nil:
		return fmt.Errorf("%q before the first program", key)
	case key == "ok":
		key, text = "look", "ok = "+text
	}
	for _, k := range keys {
		if k == key {
			r.key = key
			r.current().add(key, text)
			return nil
		}
	}
	return fmt.Errorf("unknown key %q", key)
}

// begin begins a program.
func (r *reader) begin(name string) error {
	if err := r.finish(); err != nil {
		return err
	}
	if name == "" || strings.ContainsAny(name, " /_.") || r.names[name] {
		return fmt.Errorf("%q is no name, or there twice", name)
	}
	r.names[name] = true
	r.programs = append(r.programs, &program{family: r.family, name: name, text: map[string]string{}})
	return nil
}

// finish checks the last program.
func (r *reader) finish() error {
	p := r.current()
	if p == nil {
		return nil
	}
	if p.text["store"] == "" || (p.text["look"] == "") == (p.text["wait"] == "") {
		return fmt.Errorf("program %s needs a store, and a look or a wait", p.name)
	}
	return nil
}
