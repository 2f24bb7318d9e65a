package protected

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The module has two packages for each group of programs: pNN has the protected forms, the
// twins and the apart forms, which presage sees; oNN has the open forms.

// writeModule writes the module of all programs that have no verdict yet.
func (j *judge) writeModule() error {
	requires := map[string]bool{}
	for i, c := range j.cases {
		c.group = i / j.options.size
		if err := j.writeCase(i, c); err != nil {
			return err
		}
		for _, r := range c.program.requires {
			requires[r] = true
		}
	}
	text := "module example.org/protected\n\ngo 1.26\n\n"
	for _, r := range slices.Sorted(maps.Keys(requires)) {
		text += "require " + r + "\n"
	}
	if err := os.WriteFile(filepath.Join(j.dir, "go.mod"), []byte(text), 0o666); err != nil {
		return err
	}
	if len(requires) == 0 {
		return nil
	}
	if out, err := j.command("go", "mod", "tidy").CombinedOutput(); err != nil {
		return fmt.Errorf("go mod tidy: %w\n%s", err, out)
	}
	return nil
}

// writeCase writes the files of one program. One that does not parse is dropped.
func (j *judge) writeCase(n int, c *judged) error {
	for _, f := range c.forms() {
		pkg := c.pkg(f)
		text, err := c.program.emit(pkg, fmt.Sprintf("%d%c", n, f[0]), f, j.options.sleep)
		if err != nil {
			j.drop(c, "does not parse: "+err.Error())
			return nil
		}
		if err := os.MkdirAll(filepath.Join(j.dir, pkg), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(j.dir, pkg, c.program.fileName(f)), text, 0o666); err != nil {
			return err
		}
		c.lines[f] = writeLines(text)
	}
	return nil
}

// forms are the forms that a program is written in.
func (c *judged) forms() []form {
	all := []form{protected, twin}
	if c.program.separable() {
		all = append(all, apart)
	}
	if c.program.text["racy"] == "" && !c.checked {
		all = append(all, open)
		if c.program.text["third"] != "" {
			all = append(all, early)
		}
	}
	return all
}

// pkg is the package of a form.
func (c *judged) pkg(f form) string {
	if f == open || f == early {
		return fmt.Sprintf("o%02d", c.group)
	}
	return fmt.Sprintf("p%02d", c.group)
}

// drop takes a program out of the module, and notes why.
func (j *judge) drop(c *judged, reason string) {
	if c.Dropped != "" {
		return
	}
	c.Dropped = reason
	for _, f := range c.forms() {
		os.Remove(filepath.Join(j.dir, c.pkg(f), c.program.fileName(f)))
	}
}

// command is a command in the module.
func (j *judge) command(name string, arg ...string) *exec.Cmd {
	cmd := exec.Command(name, arg...)
	cmd.Dir = j.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "PWD="+j.dir)
	return cmd
}

// byTest finds the case and form of a test.
func (j *judge) byTest(name string) (*judged, form) {
	for _, c := range j.cases {
		for _, f := range c.forms() {
			if c.program.testName(f) == name {
				return c, f
			}
		}
	}
	return nil, ""
}

// byFile finds the case and form of a file.
func (j *judge) byFile(name string) (*judged, form) {
	base := filepath.Base(name)
	if !strings.HasSuffix(base, "_test.go") {
		return nil, ""
	}
	for _, c := range j.cases {
		for _, f := range c.forms() {
			if c.program.fileName(f) == base {
				return c, f
			}
		}
	}
	return nil, ""
}

// packages are the packages that have programs left, those that begin with letter.
func (j *judge) packages(letter byte) []string {
	set := map[string]bool{}
	for _, c := range j.cases {
		for _, f := range c.forms() {
			if p := c.pkg(f); c.Dropped == "" && p[0] == letter {
				set[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}
