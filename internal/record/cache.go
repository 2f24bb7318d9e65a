package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/presage-race/presage/internal/host/cache"
	"github.com/presage-race/presage/internal/host/private"
)

// CacheDir is the directory of everything that presage keeps. PRESAGE_CACHE overrides the user's
// cache directory. One that somebody else can change is refused: programs in it are run.
func CacheDir() (string, error) {
	dir, err := cacheDir()
	if err != nil {
		return "", fmt.Errorf("finding a place for recordings (set PRESAGE_CACHE): %w", err)
	}
	if err := private.CheckTree(dir); err != nil {
		return "", fmt.Errorf("cache of presage: %w", err)
	}
	return dir, nil
}

func cacheDir() (string, error) {
	if dir := os.Getenv("PRESAGE_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "presage"), err
}

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
