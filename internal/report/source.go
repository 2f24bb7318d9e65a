package report

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"github.com/presage-race/presage/internal/trace"
)

// SourceFunc returns a line of a source file as it was recorded, or "".
type SourceFunc func(file string, line int) string

// FileSource returns a SourceFunc that reads the files of a trace, checked against
// the hashes they had when they were recorded: a line of a file that has changed
// would mislead. A file without a hash is not shown.
func FileSource(files []trace.File) SourceFunc {
	hash := make(map[string]string)
	for _, f := range files {
		hash[f.Name] = f.Hash
	}
	lines := make(map[string][]string)
	return func(file string, line int) string {
		ls, ok := lines[file]
		if !ok {
			if data, err := os.ReadFile(file); err == nil && hash[file] != "" && hash[file] == sum(data) {
				ls = strings.Split(string(data), "\n")
			}
			lines[file] = ls
		}
		if line < 1 || line > len(ls) {
			return ""
		}
		return strings.TrimSpace(ls[line-1])
	}
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
