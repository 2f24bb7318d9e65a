package cli

import (
	"os"
	"path/filepath"

	"github.com/presage-race/presage/internal/record"
)

// giveModCache names a module cache where the go command finds none, because HOME and GOPATH are
// not set. Without one it builds programs that need no other module, but with no overlay: it takes
// every file for one of the module cache. The directory is not made.
func giveModCache() {
	for _, name := range []string{"HOME", "GOPATH", "GOMODCACHE"} {
		if os.Getenv(name) != "" {
			return
		}
	}
	if home, err := record.CacheDir(); err == nil {
		os.Setenv("GOMODCACHE", filepath.Join(home, "gomod"))
	}
}
