package public

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/tools/txtar"
)

// A case is a txtar archive. Its comment has keys, one a line; lines without a key go on with the
// one before.
//
//	module: github.com/a/b@v1.0.0    the version with the race
//	fixed: github.com/a/b@v1.0.1     the version after the fix
//	source: a/b pull 12              where the race was reported or fixed
//	races: what races
//	rounds: 100                      how often each side runs in the open form; 1 without it
//	-- driver_test.go --             func sides(t *testing.T) (first, second func())
//	-- fixed_test.go --              the driver of the fixed version, if fixing changed the API

// raceCase is a case: a race of a public module.
type raceCase struct {
	name          string
	module, fixed module.Version
	source, races string
	rounds        int
	driver        string
	fixedDriver   string // the driver, if the archive has no other
	hash          string // of the archive
}

// readCases reads the cases in a directory, in the order of their names.
func readCases(files fs.FS, dir string) ([]*raceCase, error) {
	names, err := fs.Glob(files, path.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no cases in %s", dir)
	}
	var all []*raceCase
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		c, err := parseCase(strings.TrimSuffix(path.Base(name), ".txtar"), text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// parseCase reads a case.
func parseCase(name string, text []byte) (*raceCase, error) {
	archive := txtar.Parse(text)
	c := &raceCase{name: name, rounds: 1, hash: fmt.Sprintf("%x", sha256.Sum256(text))[:16]}
	keys, err := parseKeys(string(archive.Comment))
	if err != nil {
		return nil, err
	}
	for key, value := range keys {
		if err := c.set(key, value); err != nil {
			return nil, err
		}
	}
	for _, f := range archive.Files {
		switch f.Name {
		case "driver_test.go":
			c.driver = string(f.Data)
		case "fixed_test.go":
			c.fixedDriver = string(f.Data)
		default:
			return nil, fmt.Errorf("file %s is neither driver_test.go nor fixed_test.go", f.Name)
		}
	}
	if c.fixedDriver == "" {
		c.fixedDriver = c.driver
	}
	if c.module.Path == "" || c.fixed.Path == "" || c.source == "" || c.races == "" || c.driver == "" {
		return nil, fmt.Errorf("module, fixed, source, races and driver_test.go are needed")
	}
	return c, nil
}

// parseKeys reads the comment of an archive.
func parseKeys(comment string) (map[string]string, error) {
	keys, last := map[string]string{}, ""
	for line := range strings.SplitSeq(comment, "\n") {
		key, value, ok := strings.Cut(line, ": ")
		switch {
		case line == "":
			last = ""
		case ok && !strings.Contains(key, " "):
			if _, twice := keys[key]; twice {
				return nil, fmt.Errorf("key %s is there twice", key)
			}
			keys[key], last = value, key
		case last != "":
			keys[last] += " " + line
		default:
			return nil, fmt.Errorf("line without a key: %q", line)
		}
	}
	return keys, nil
}

func (c *raceCase) set(key, value string) (err error) {
	switch key {
	case "module":
		c.module, err = parseVersion(value)
	case "fixed":
		c.fixed, err = parseVersion(value)
	case "source":
		c.source = value
	case "races":
		c.races = value
	case "rounds":
		c.rounds, err = strconv.Atoi(value)
		if err == nil && c.rounds < 1 {
			err = fmt.Errorf("rounds are at least 1, not %d", c.rounds)
		}
	default:
		err = fmt.Errorf("unknown key %q", key)
	}
	return err
}

// parseVersion reads path@version.
func parseVersion(text string) (module.Version, error) {
	path, version, _ := strings.Cut(text, "@")
	return module.Version{Path: path, Version: version}, module.Check(path, version)
}
