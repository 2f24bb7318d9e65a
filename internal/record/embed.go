package record

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/presage-race/presage/internal/source/instrument"
)

// embed sets b.Toolexec where the program embeds source files that were instrumented.
func (c *Config) embed(ctx context.Context, b *build, res *instrument.Result, dir string) error {
	env, _, err := goEnv(ctx, c.Dir)
	if err != nil {
		return err
	}
	// The user's flag counts, and then there is none in b.Compile (compiler).
	inner, _ := flagValue(slices.Concat(b.Compile, env.allFlags(c.loadFlags())), "toolexec")
	with, err := res.Toolexec(dir, inner, b.in.embedded...)
	if with != inner {
		b.Toolexec = with
	}
	return err
}

// embed collects the source files that a package embeds.
func (in *inputs) embed(p *listed) {
	for _, name := range slices.Concat(p.EmbedFiles, p.TestEmbedFiles, p.XTestEmbedFiles) {
		if filepath.Ext(name) == ".go" {
			in.embedded = append(in.embedded, filepath.Join(p.Dir, name))
		}
	}
}
