package modules

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed modules.txt unseen.txt std.txt
var lists embed.FS

// module is an entry of a list.
type module struct {
	path, version string
	std           []string   // packages of the standard library to be copied; no path and version
	suite         []string   // compared
	walk          [][]string // walked and analysed; nil: the suite is
	reason        string     // why not the suite
}

var defaultSuite = []string{"-short", "-timeout=15m", "./..."}

// name returns what a row is called.
func (m *module) name() string {
	if m.std != nil {
		return strings.Join(m.std, ", ")
	}
	return m.path + " " + m.version
}

// tags returns the build tags of the suite.
func (m *module) tags() []string {
	for _, arg := range m.suite {
		if tags, ok := strings.CutPrefix(arg, "-tags="); ok {
			return strings.Split(tags, ",")
		}
	}
	return nil
}

// read reads a list by its name, without .txt.
func read(name string) ([]*module, error) {
	text, err := lists.ReadFile(name + ".txt")
	if err != nil {
		return nil, err
	}
	all, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s.txt: %w", name, err)
	}
	return all, nil
}

// parse reads the text of a list.
func parse(text string) ([]*module, error) {
	var all []*module
	for line := range strings.Lines(text) {
		what, reason, _ := strings.Cut(line, "#")
		f := strings.Fields(what)
		switch {
		case len(f) == 0:
		case line[0] != '\t' && len(f) > 1 && f[0] == "std":
			all = append(all, &module{std: f[1:], suite: defaultSuite})
		case line[0] != '\t' && len(f) == 2:
			all = append(all, &module{path: f[0], version: f[1], suite: defaultSuite})
		case line[0] == '\t' && len(all) > 0 && f[0] == "suite":
			all[len(all)-1].suite = f[1:]
		case line[0] == '\t' && len(all) > 0 && f[0] == "walk":
			m := all[len(all)-1]
			m.walk = append(m.walk, f[1:])
			if m.reason == "" {
				m.reason = strings.TrimSpace(reason)
			}
		default:
			return nil, fmt.Errorf("%q", line)
		}
	}
	return all, nil
}
