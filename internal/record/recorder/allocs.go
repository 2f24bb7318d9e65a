package recorder

import (
	"encoding/json"
	"path/filepath"
)

// Counts of allocations. testing.AllocsPerRun cannot count in a program that is recorded what the
// program would allocate otherwise; it returns what it has counted in a run without records
// (_std/testing).

// EnvCount names the variable that says, in a run without records, which file the counts are added
// to.
const EnvCount = "PRESAGE_COUNT"

// Files beside the raw records of processes: the counts that testing.AllocsPerRun is to return, and
// its calls of which none was there.
const (
	CountsFile    = "allocations"
	UncountedFile = "uncounted"
)

// CountingJSON returns the content of the file for -overlay for a program that is not recorded, and
// writes down what testing.AllocsPerRun counts (EnvCount).
func (o Overlay) CountingJSON() ([]byte, error) {
	files := map[string]string{}
	for _, name := range []string{"allocs.go", "presage_allocs.go"} {
		name = filepath.Join(o.GoRoot, "src", "testing", name)
		files[name] = o.Replace[name]
	}
	return json.MarshalIndent(map[string]any{"Replace": files}, "", "\t")
}
