package goversion

import "regexp"

var (
	runtimeCheck = regexp.MustCompile(`\braceenabled\b`)
	packageCheck = regexp.MustCompile(`\brace\.Enabled\b`)
)

// Check makes the checks for the race detector true in CheckedFiles. The functions that they call
// are those of package recorder. The error is a *PatchError where a file has no check.
func (f *Files) Check() error {
	for _, file := range CheckedFiles(f.version) {
		if err := f.check(file); err != nil {
			return err
		}
	}
	f.Add("runtime/race0.go", []byte("package runtime\n"))
	return nil
}

// TryCheck does this for all files, and returns an error for each one without a check.
func (f *Files) TryCheck() (all []error) {
	for _, file := range CheckedFiles(f.version) {
		if err := f.check(file); err != nil {
			all = append(all, err)
		}
	}
	return all
}

func (f *Files) check(file string) error {
	const list = "lists.txt (checked)"
	src, err := f.read(file)
	if err != nil {
		return &PatchError{GoVersion: f.version, Patch: list, File: file, Err: err}
	}
	if !runtimeCheck.Match(src) && !packageCheck.Match(src) {
		return &PatchError{GoVersion: f.version, Patch: list, File: file, Anchor: "raceenabled\n", Want: 1}
	}
	src = runtimeCheck.ReplaceAll(src, []byte("true"))
	f.Add(file, packageCheck.ReplaceAll(src, []byte("true")))
	return nil
}
