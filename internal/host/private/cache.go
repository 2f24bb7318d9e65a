package private

import (
	"fmt"
	"os"
	"path/filepath"
)

// CacheDir is the directory of everything that presage keeps. PRESAGE_CACHE overrides the user's
// cache directory. One that somebody else can change is refused: programs in it are run.
func CacheDir() (string, error) {
	dir, err := cacheDir()
	if err != nil {
		return "", fmt.Errorf("finding a place for recordings (set PRESAGE_CACHE): %w", err)
	}
	if err := CheckTree(dir); err != nil {
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
