package goversion

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"
)

//go:embed patches/*.diff
var patches embed.FS

// A hunk replaces lines of a file.
type hunk struct {
	name   string // where it is written: channels.diff:42
	file   string // below GOROOT/src
	span   span
	new    bool
	times  int
	within bool // the anchor is a part of a line
	anchor string
	text   string
}

// readPatch parses a file of patches.
func readPatch(name string) ([]hunk, error) {
	src, err := patches.ReadFile(path.Join("patches", name))
	if err != nil {
		return nil, err
	}
	return parsePatch(name, string(src))
}

func parsePatch(name, src string) (all []hunk, err error) {
	p := patchParser{name: name}
	for line := range strings.Lines(src) {
		p.line++
		if err := p.next(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
		}
	}
	if err := p.end(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
	}
	return p.all, nil
}

// A patchParser reads the lines of a file of patches.
type patchParser struct {
	name  string
	line  int
	file  string
	open  bool // a hunk, the last of all
	empty int  // empty lines that belong to the open hunk if another line of it follows
	all   []hunk
}

func (p *patchParser) next(line string) error {
	if file, ok := strings.CutPrefix(line, "--- "); ok {
		p.file = file
		return p.end()
	}
	if head, ok := strings.CutPrefix(line, "@@"); ok {
		if err := p.end(); err != nil {
			return err
		}
		return p.begin(head)
	}
	switch {
	case strings.HasPrefix(line, "#"):
		return p.end()
	case line == "":
		p.empty++
		return nil
	case !p.open:
		return fmt.Errorf("a line outside of a hunk")
	}
	h := &p.all[len(p.all)-1]
	blank := strings.Repeat("\n", p.empty)
	h.anchor += blank
	h.text += blank
	p.empty = 0
	rest := line[1:] + "\n"
	switch line[0] {
	case ' ':
		h.anchor += rest
		h.text += rest
	case '-':
		h.anchor += rest
	case '+':
		h.text += rest
	default:
		return fmt.Errorf("a line of a hunk begins with a space, a minus or a plus")
	}
	return nil
}

// begin begins a hunk with the conditions of its head.
func (p *patchParser) begin(head string) error {
	words, span, err := cutSpan(strings.Fields(head))
	if err != nil {
		return err
	}
	h := hunk{name: p.name + ":" + strconv.Itoa(p.line), file: p.file, span: span, times: 1}
	switch {
	case p.file == "":
		return fmt.Errorf("a hunk without a file")
	case len(words) == 0:
	case len(words) == 1 && words[0] == "new":
		h.new = true
	case len(words) == 1 && words[0] == "within":
		h.within = true
	case len(words) == 2 && words[1] == "times":
		if h.times, err = strconv.Atoi(words[0]); err != nil || h.times < 2 {
			return fmt.Errorf("%q is not a number of times", words[0])
		}
	default:
		return fmt.Errorf("unknown condition %q", strings.Join(words, " "))
	}
	p.all, p.open, p.empty = append(p.all, h), true, 0
	return nil
}

// end ends the open hunk, if there is one.
func (p *patchParser) end() error {
	if !p.open {
		return nil
	}
	p.open = false
	h := &p.all[len(p.all)-1]
	if h.within {
		h.anchor, h.text = strings.TrimSuffix(h.anchor, "\n"), strings.TrimSuffix(h.text, "\n")
	}
	switch {
	case h.within && strings.Contains(h.anchor+h.text, "\n"):
		return fmt.Errorf("%s is within a line and has several", h.name)
	case h.new && h.anchor != "":
		return fmt.Errorf("%s is new and has an anchor", h.name)
	case !h.new && h.anchor == "":
		return fmt.Errorf("%s has no anchor", h.name)
	}
	return nil
}

// Text returns the patches of a set as they are written. It identifies their state.
func Text(set Set) string {
	var b strings.Builder
	for _, name := range setFiles[set] {
		src, err := patches.ReadFile(path.Join("patches", name))
		if err != nil {
			panic(err) // the file is not embedded
		}
		b.Write(src)
	}
	return b.String()
}
