package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/trace"
)

// A pattern is an argument of -instrument, -exclude or -only. Import paths are compared with those
// of the build, by the rules of the go command. The go command is not asked: to expand a pattern it
// loads all modules, and that can fail where the build does not.
type pattern struct {
	text  string
	path  *regexp.Regexp  // of import paths; nil if the go command has expanded the pattern:
	named map[string]bool // what it names, true for a package of the standard library
	dir   string          // absolute, if the text is a directory where go list finds no package,
	tree  bool            // and everything below it
}

// match reports whether the pattern names p. A directory that belongs to another module, which a
// replace directive selects, is named by its path: go list does not find it there.
func (n *pattern) match(p *listed) bool {
	if n.matchPath(p.ImportPath) {
		return true
	}
	return n.dir != "" && (p.Dir == n.dir || n.tree && beneath(p.Dir, n.dir))
}

func (n *pattern) matchPath(path string) bool {
	if n.path != nil {
		return n.path.MatchString(path) && (n.text == path || !strings.HasPrefix(path, "vendor/"))
	}
	_, ok := n.named[path]
	return ok
}

type patterns []pattern

func (list patterns) match(p *listed) bool {
	return slices.ContainsFunc(list, func(n pattern) bool { return n.match(p) })
}

// A finder asks the go command which packages a pattern names.
type finder struct {
	dir   string   // in which the go command is called
	flags []string // for go list
}

// metaPatterns are names of sets of packages.
var metaPatterns = []string{"all", "cmd", "std", "tool", "work"}

// patterns makes patterns of the arguments of a flag.
func (f *finder) patterns(ctx context.Context, flag string, texts []string) (list patterns, err error) {
	for _, text := range texts {
		n := pattern{text: text}
		first, _, _ := strings.Cut(filepath.ToSlash(text), "/")
		if filepath.IsAbs(text) || first == "." || first == ".." {
			dir, tree := strings.CutSuffix(text, "/...")
			if n.tree = tree; !filepath.IsAbs(dir) {
				dir = filepath.Join(in(f.dir), dir)
			}
			n.dir = filepath.Clean(dir)
		}
		if n.dir == "" && !slices.Contains(metaPatterns, text) {
			n.path = compilePattern(text)
		} else if n.named, err = f.named(ctx, text); err != nil {
			return nil, fmt.Errorf("finding the packages of %s %s: %w", flag, text, err)
		}
		if len(n.named) > 0 { // not other modules and vendored packages below the directory
			n.dir = ""
		}
		list = append(list, n)
	}
	return list, nil
}

// compilePattern returns what the import paths of a pattern match: "..." is any text, and a
// "/..." at the end may be empty.
func compilePattern(text string) *regexp.Regexp {
	re := strings.ReplaceAll(regexp.QuoteMeta(text), `\.\.\.`, `.*`)
	if rest, ok := strings.CutSuffix(re, `/.*`); ok {
		re = rest + `(/.*)?`
	}
	return regexp.MustCompile(`^` + re + `$`)
}

// named lists the packages that a pattern names, whether the program has them or not.
func (f *finder) named(ctx context.Context, text string) (map[string]bool, error) {
	args := append([]string{"list", "-e", "-json=ImportPath,Standard,Error"}, f.flags...)
	env, _, err := goEnv(ctx, f.dir)
	if err != nil {
		return nil, err
	}
	if mod, _ := flagValue(env.allFlags(f.flags), "mod"); mod == "mod" {
		// Else go list looks for a module that has the package, and adds it to the go.mod.
		args = append(args, "-mod=readonly")
	}
	cmd := goCommand(ctx, append(args, "--", text)...)
	cmd.Dir = f.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	found := make(map[string]bool)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the output of go list: %w", err)
		}
		if p.Error == nil {
			found[p.ImportPath] = p.Standard
		}
	}
}

// warnUnmatched says which patterns of -instrument name no package that can be instrumented, or
// packages of the standard library.
func (o *chosen) warnUnmatched(ctx context.Context, list patterns) (out []trace.Warning) {
	for _, n := range list {
		var std []string
		for _, path := range o.std {
			if n.matchPath(path) {
				std = append(std, path)
			}
		}
		if len(std) > 0 {
			out = append(out, trace.Warning{
				Code: "instrument-std", Count: len(std), Text: textStd(n.text, std)})
			continue
		}
		if !slices.ContainsFunc(o.all, func(p listed) bool { return n.match(&p) }) {
			code, text := o.unmatched(ctx, &n)
			out = append(out, trace.Warning{Code: code, Count: 1, Text: text})
		}
	}
	return out
}

// unmatched is the warning of a pattern that names no package of the build.
func (o *chosen) unmatched(ctx context.Context, n *pattern) (code, text string) {
	named := n.named
	if named == nil {
		// an error is no package: the warning is given all the same
		named, _ = o.find.named(ctx, n.text)
	}
	var outside []string
	for path, std := range named {
		if !std {
			outside = append(outside, path)
		}
	}
	slices.Sort(outside)
	switch {
	case len(outside) > 0:
		return "instrument-unmatched", fmt.Sprintf("-instrument %s names no package of this build, so it "+
			"instruments nothing: nothing that is built imports %s. Drop the pattern, or name imported "+
			"packages%s", n.text, few(outside), o.such(n.text))
	case len(named) > 0:
		return "instrument-std", fmt.Sprintf("-instrument %s names the standard library, which presage "+
			"cannot instrument. Name packages of modules", n.text)
	}
	return "instrument-unmatched", fmt.Sprintf("-instrument %s matches no package, so it instruments "+
		"nothing. Check its spelling%s", n.text, o.such(n.text))
}

// textStd is the warning of a pattern that names packages of the standard library that are in
// the build.
func textStd(pattern string, std []string) string {
	return fmt.Sprintf("{{n}} package{{|s}} of the standard library, which presage cannot instrument, "+
		"match{{es|}} -instrument %s (%s). Accesses inside are not recorded. Name packages of modules",
		pattern, few(std))
}

// such names packages like a pattern, if there are any.
func (o *chosen) such(text string) string {
	if near := o.near(text); len(near) > 0 {
		return "; the most similar packages of the build are: " + strings.Join(near, ", ")
	}
	return ""
}

// few lists the first names.
func few(names []string) string {
	const most = 3
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "…")
	}
	return strings.Join(names, ", ")
}
