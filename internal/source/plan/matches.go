package plan

import (
	"fmt"

	"github.com/presage-race/presage/internal/trace"
)

// Matches reports how the program of p differs from the one that meta was recorded from.
func (p *Plan) Matches(meta *trace.Meta) error {
	then := map[string]string{}
	files, funcs, sites := meta.Program()
	for _, f := range files {
		then[f.Name] = f.Hash
	}
	for _, f := range p.Files {
		switch hash, ok := then[f.Name]; {
		case !ok:
			return fmt.Errorf("%s was not part of the recorded program", f.Name)
		case hash != f.Hash:
			return fmt.Errorf("%s has changed since the recording", f.Name)
		}
	}
	if len(p.Funcs) != len(funcs) || len(p.Sites) != len(sites) {
		return fmt.Errorf("functions and sites: %d and %d in the source, %d and %d in the recording",
			len(p.Funcs), len(p.Sites), len(funcs), len(sites))
	}
	return nil
}
