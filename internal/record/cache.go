package record

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/presage-race/presage/internal/host/cache"
	"github.com/presage-race/presage/internal/host/private"
)

// CacheDir is the directory of everything that presage keeps (private.CacheDir).
func CacheDir() (string, error) { return private.CacheDir() }

// keepBuilds is the number of instrumented programs that stay in the cache.
const keepBuilds = 16

// pruneBuilds removes the directories that were used longest ago, unless they are in use.
func pruneBuilds(parent string, keep int) {
	entries, _ := os.ReadDir(parent)
	used := make(map[string]time.Time)
	var dirs []string
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() {
			dirs = append(dirs, e.Name())
			used[e.Name()] = info.ModTime()
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return used[b].Compare(used[a]) })
	for _, name := range dirs[min(keep, len(dirs)):] {
		dir := filepath.Join(parent, name)
		lock, err := cache.LockDir(dir)
		if err != nil {
			continue
		}
		if lock.Alone() {
			cache.Remove(dir)
			os.Remove(dir + ".lock")
		}
		lock.Release()
	}
}
