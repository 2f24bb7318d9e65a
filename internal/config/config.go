// Package config reads presage.yaml, which has flags of a project. It is in the root of the main
// module. A key is the name of a flag, those of presage vet are below vet:
//
//	level: path
//	time: 10m
//	exclude: [./internal/gen/..., example.com/dep]
//	baseline: presage/known.txt
//	vet:
//	  tier: possible
//
// Reading is strict: each unknown key and each value of a wrong form is an error with its line.
//
// # Files of others
//
// The module may come from anybody, so the file is data. No key names a command. A format has no
// file to write. The baseline is a file below the root, also where links lead. A package cannot
// look like a flag. The file is small, regular, and one document without anchors, aliases and tags,
// so that reading it takes little.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/presage-race/presage/internal/typo"
	"github.com/presage-race/presage/internal/untrusted/trust"
)

// Name is the name of the file.
const Name = "presage.yaml"

const maxSize = 64 << 10

// Key is a key that the file may have.
type Key struct {
	Name    string // of vet: with vet. before it
	Default string // for people
	list    bool   // several values
}

// Keys are all keys.
var Keys = []Key{
	{Name: "level", Default: "path"},
	{Name: "time", Default: "3 times that of the tests"},
	{Name: "confirm", Default: "on"},
	{Name: "window", Default: "10000"},
	{Name: "budget", Default: "2000"},
	{Name: "effort", Default: "3000"},
	{Name: "memory", Default: "50%"},
	{Name: "disk", Default: "50%"},
	{Name: "static", Default: "off"},
	{Name: "instrument", Default: "the main module", list: true},
	{Name: "exclude", Default: "none", list: true},
	{Name: "only", Default: "all", list: true},
	{Name: "baseline", Default: "none"},
	{Name: "ignore", Default: "none", list: true},
	{Name: "exitcode", Default: "3"},
	{Name: "format", Default: "text"},
	{Name: "vet.tier", Default: "likely"},
	{Name: "vet.baseline", Default: "none"},
}

// vetKey is the key of the keys of vet.
const vetKey = "vet"

// Value is a key with its values, of which there are several for packages.
type Value struct {
	Key    string
	Values []string // with absolute names of files and directories
	Text   string   // as in the file, for people
	Line   int
}

// File is what a file says.
type File struct {
	Root   string // of the module
	Values []Value
}

// At says where a value is, as presage.yaml:3.
func (v *Value) At() string { return fmt.Sprintf("%s:%d", Name, v.Line) }

// Read reads the file of a module, whose root is absolute. Without a file, it has no values.
func Read(root string) (*File, error) {
	f := &File{Root: root}
	name := filepath.Join(root, Name)
	st, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", name)
	case st.Size() > maxSize:
		return nil, fmt.Errorf("%s is larger than %d kB", name, maxSize>>10)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if f.Values, err = Parse(data); err != nil {
		return nil, err
	}
	return f, f.resolve()
}

// yamlError is how package yaml says where an error is.
var yamlError = regexp.MustCompile(`^yaml: line (\d+): `)

// Parse reads the text of a file. Its errors have the lines.
func Parse(data []byte) ([]Value, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if err == io.EOF {
		return nil, nil
	}
	if err == nil {
		if err = dec.Decode(&more); err == io.EOF {
			err = nil
		} else if err == nil {
			return nil, at(more.Line, "a second document")
		}
	}
	if err != nil {
		if m := yamlError.FindStringSubmatch(err.Error()); m != nil {
			return nil, fmt.Errorf("%s:%s: %s", Name, m[1], strings.TrimPrefix(err.Error(), m[0]))
		}
		return nil, fmt.Errorf("%s: %s", Name, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) != 1 {
		return nil, at(1, "it is no document")
	}
	p := parser{seen: map[string]bool{}}
	p.mapping(doc.Content[0], "")
	slices.SortStableFunc(p.errs, func(a, b lineError) int { return a.line - b.line })
	var errs []error
	for _, e := range p.errs {
		errs = append(errs, at(e.line, "%s", e.text))
	}
	return p.values, errors.Join(errs...)
}

func at(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", Name, line, fmt.Sprintf(format, args...))
}

type lineError struct {
	line int
	text string
}

type parser struct {
	values []Value
	seen   map[string]bool
	errs   []lineError
}

func (p *parser) fail(n *yaml.Node, format string, args ...any) {
	p.errs = append(p.errs, lineError{n.Line, fmt.Sprintf(format, args...)})
}

// mapping reads the keys of the file, or of a key with a prefix.
func (p *parser) mapping(n *yaml.Node, prefix string) {
	if n.Kind == yaml.ScalarNode && n.Value == "" && prefix == "" { // comments alone
		return
	}
	if n.Kind != yaml.MappingNode {
		p.fail(n, "it is no list of keys with values, as level: path")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		name := prefix + k.Value
		known := slices.IndexFunc(Keys, func(key Key) bool { return key.Name == name })
		switch {
		case k.Kind != yaml.ScalarNode || !plain(k):
			p.fail(k, "a key is a word")
		case known < 0 && name != vetKey:
			p.fail(k, "unknown key %q%s", name, suggestion(name))
		case p.seen[name]:
			p.fail(k, "%s is there twice", name)
		case name == vetKey:
			p.seen[name] = true
			p.mapping(v, vetKey+".")
		default:
			p.seen[name] = true
			p.value(&Keys[known], v)
		}
	}
}

// plain reports whether a node is without anchor, alias and tag.
func plain(n *yaml.Node) bool {
	return n.Anchor == "" && n.Alias == nil && n.Kind != yaml.AliasNode && n.Style&yaml.TaggedStyle == 0
}

// value reads the value of a key: a word, or a list of words where several are allowed.
func (p *parser) value(k *Key, n *yaml.Node) {
	list := []*yaml.Node{n}
	switch {
	case !plain(n):
		p.fail(n, "%s: anchors, aliases and tags are not allowed", k.Name)
		return
	case n.Kind == yaml.SequenceNode && k.list:
		list = n.Content
	case n.Kind != yaml.ScalarNode:
		p.fail(n, "%s takes one value", k.Name)
		return
	}
	v := Value{Key: k.Name, Line: n.Line}
	for _, x := range list {
		switch {
		case x.Kind != yaml.ScalarNode || !plain(x):
			p.fail(x, "%s: a value is a word", k.Name)
		case x.Value == "" || x.Tag == "!!null":
			p.fail(x, "%s has no value", k.Name)
		case strings.ContainsFunc(x.Value, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
			p.fail(x, "%s: a value has no control characters", k.Name)
		default:
			if why := allowed(k, x.Value); why != "" {
				p.fail(x, "%s: %q %s", k.Name, x.Value, why)
			}
			v.Values = append(v.Values, x.Value)
		}
	}
	v.Text = strings.Join(v.Values, " ")
	p.values = append(p.values, v)
}

// allowed says why a value is not allowed in the file, although it is for the flag; "" if it is.
func allowed(k *Key, value string) string {
	switch {
	case k.Name == "ignore": // regular expressions
	case k.list:
		if path := strings.TrimSuffix(value, "/..."); path != "." && path != "..." && !trust.Package(path) {
			return "is no package below the module and no import path"
		}
	case strings.HasSuffix(k.Name, "baseline"):
		if !trust.Local(value) || strings.HasPrefix(value, "-") {
			return "is no file below the root of the module"
		}
	case k.Name == "format":
		if strings.ContainsAny(value, "=,") {
			return "names more than a form: files are for the command line"
		}
	}
	return ""
}

// resolve makes names of files and directories absolute.
func (f *File) resolve() error {
	for i := range f.Values {
		v := &f.Values[i]
		switch {
		case strings.HasSuffix(v.Key, "baseline"):
			name := filepath.Join(f.Root, filepath.FromSlash(v.Values[0]))
			if !below(name, f.Root) {
				return fmt.Errorf("%s: %s: %q leads out of the module", v.At(), v.Key, v.Values[0])
			}
			v.Values = []string{name}
		case v.Key == "instrument" || v.Key == "exclude" || v.Key == "only":
			for j, p := range v.Values {
				if p == "." || strings.HasPrefix(p, "./") {
					dir, tree := strings.CutSuffix(p, "/...")
					v.Values[j] = filepath.Join(f.Root, filepath.FromSlash(dir))
					if tree {
						v.Values[j] += "/..."
					}
				}
			}
		}
	}
	return nil
}

// below reports whether a file, which need not exist, is below a directory wherever links lead.
func below(name, root string) bool {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	for at := name; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err != nil && at != filepath.Dir(at) {
			continue // it does not exist: neither do links in it
		}
		real, err := filepath.EvalSymlinks(at)
		if err != nil {
			return false
		}
		rel, err := filepath.Rel(root, real)
		return err == nil && filepath.IsLocal(rel)
	}
}

// maxTypo is how many bytes of a word are compared with the keys, which are shorter.
const maxTypo = 40

// suggestion is the key that may be meant.
func suggestion(name string) string {
	best, least := "", 3
	for _, k := range append([]Key{{Name: vetKey}}, Keys...) {
		if d := typo.Distance(name[:min(len(name), maxTypo)], k.Name); d < least && d < len(k.Name) {
			best, least = k.Name, d
		}
	}
	if best == "" {
		return " (presage config lists the keys)"
	}
	return "; did you mean " + best + "?"
}
