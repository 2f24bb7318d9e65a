package main

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed modules.txt
var list string

// module is an entry of modules.txt.
type module struct {
	path, version string
	suite         []string   // compared
	walk          [][]string // walked and analysed; nil: the suite is
	reason        string     // why not the suite
}

var defaultSuite = []string{"-short", "-timeout=15m", "./..."}

// parse reads modules.txt.
func parse(text string) ([]*module, error) {
	var all []*module
	for line := range strings.Lines(text) {
		what, reason, _ := strings.Cut(line, "#")
		f := strings.Fields(what)
		switch {
		case len(f) == 0:
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
			return nil, fmt.Errorf("modules.txt: %q", line)
		}
	}
	return all, nil
}
