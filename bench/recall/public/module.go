package public

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/mod/module"
)

// driven is a module with a driver, which requires one version of a library.
type driven struct {
	dir    string
	rounds int
}

// write writes the module of a case, and asks the module proxy for what it requires.
func (b *bench) write(c *raceCase, library module.Version, driver, kind string) (*driven, error) {
	d := &driven{dir: filepath.Join(b.dir, c.name, kind), rounds: c.rounds}
	if err := os.MkdirAll(d.dir, 0o777); err != nil {
		return nil, err
	}
	files := map[string]string{
		"go.mod":         fmt.Sprintf("module driver\n\ngo 1.26.0\n\nrequire %s %s\n", library.Path, library.Version),
		"driver_test.go": driver,
		"forms_test.go":  b.forms,
		"rounds_test.go": fmt.Sprintf("package driver\n\nconst rounds = %d\n", c.rounds),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	if out, err := d.command("go", "mod", "tidy").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go mod tidy with %v: %w\n%s", library, err, out)
	}
	return d, nil
}

func (d *driven) command(name string, arg ...string) *exec.Cmd {
	cmd := exec.Command(name, arg...)
	cmd.Dir = d.dir
	return cmd
}
