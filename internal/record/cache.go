package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"presage/internal/private"
)

// KeepRuns is the number of runs whose traces stay in the cache.
const KeepRuns = 3

// CacheDir is the directory of everything that presage keeps. PRESAGE_CACHE
// overrides the user's cache directory. One that somebody else can change is refused: programs in it
// are run.
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

// newRun makes the directory of a run, and removes those of older ones.
func newRun(cache string, now time.Time) (string, error) {
	runs := filepath.Join(cache, "runs")
	dir := filepath.Join(runs, fmt.Sprintf("%s-%d", now.UTC().Format("20060102T150405.000"), os.Getpid()))
	if err := private.MkdirAll(dir); err != nil {
		return "", fmt.Errorf("making a directory for the recording: %w", err)
	}
	prune(runs)
	return dir, nil
}

// prune removes all runs but the last ones. Runs of presage processes that still live stay.
func prune(runs string) {
	entries, _ := os.ReadDir(runs)
	slices.Reverse(entries) // by name, which is by time
	kept := 0
	for _, e := range entries {
		if kept++; kept > KeepRuns && !alive(e.Name()) {
			os.RemoveAll(filepath.Join(runs, e.Name()))
		}
	}
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
		lock, err := lockDir(dir)
		if err != nil {
			continue
		}
		if lock.alone() {
			os.RemoveAll(dir)
			os.Remove(dir + ".lock")
		}
		lock.release()
	}
}

// LastRun is the directory of the last run that has a report.
func LastRun() (string, error) {
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	entries, _ := os.ReadDir(filepath.Join(cache, "runs"))
	for _, e := range slices.Backward(entries) {
		dir := filepath.Join(cache, "runs", e.Name())
		if _, err := os.Stat(filepath.Join(dir, ReportFile)); err == nil {
			return dir, private.Check(dir)
		}
	}
	return "", fmt.Errorf("no run is kept in %s: use presage test or presage run first", cache)
}

// ReportFile is the name of the report, in its JSON form, in the directory of a run.
const ReportFile = "report.jsonl"
