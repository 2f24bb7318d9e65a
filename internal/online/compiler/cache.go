package compiler

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/presage-race/presage/internal/host/cache"
	"github.com/presage-race/presage/internal/host/private"
)

// keep is the number of compilers that stay in the cache.
const keep = 4

// Cached returns the compiler for c, from dir if it is there and whole; if not, building is called,
// with what is damaged, and it is made.
func (c Config) Cached(ctx context.Context, dir string, building func(damage error)) (string, error) {
	key, err := c.Key()
	if err != nil {
		return "", err
	}
	home := filepath.Join(dir, key)
	file := filepath.Join(home, Name)
	damage := cache.Check(home)
	if damage == nil {
		if err := private.CheckTree(home); err != nil {
			return "", fmt.Errorf("the compiler in the cache: %w", err)
		}
		now := time.Now()
		os.Chtimes(home, now, now)
		return file, nil
	}
	if errors.Is(damage, cache.ErrUnsealed) {
		damage = nil
	}
	building(damage)
	if err := private.MkdirAll(dir); err != nil {
		return "", fmt.Errorf("making a directory for the compiler: %w", err)
	}
	// Made elsewhere and put there whole: another process may be at it as well.
	tmp, err := os.MkdirTemp(dir, "new-")
	if err != nil {
		return "", fmt.Errorf("making a directory for the compiler: %w", err)
	}
	defer os.RemoveAll(tmp)
	if err := c.Build(ctx, tmp); err != nil {
		return "", err
	}
	if err := put(tmp, home); err != nil {
		return "", fmt.Errorf("keeping the compiler: %w", err)
	}
	prune(dir)
	return file, nil
}

// put moves a compiler to where it is kept, in place of one that is not whole. Another process may
// have been faster.
func put(tmp, home string) error {
	lock, err := cache.LockDir(home)
	if err != nil {
		return err
	}
	defer lock.Release()
	if err := lock.Exclusive(); err != nil {
		return err
	}
	if cache.Check(home) == nil {
		return nil
	}
	return errors.Join(cache.Remove(home), cache.Seal(tmp, home, nil), os.Rename(tmp, home))
}

// prune removes the compilers that were used longest ago, and what was left half made.
func prune(dir string) {
	entries, _ := os.ReadDir(dir)
	used := make(map[string]time.Time)
	var names []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || filepath.Ext(e.Name()) != "" {
			continue
		}
		if len(e.Name()) > 4 && e.Name()[:4] == "new-" {
			if time.Since(info.ModTime()) > time.Hour {
				os.RemoveAll(filepath.Join(dir, e.Name()))
			}
			continue
		}
		names = append(names, e.Name())
		used[e.Name()] = info.ModTime()
	}
	slices.SortFunc(names, func(a, b string) int { return used[b].Compare(used[a]) })
	for _, name := range names[min(keep, len(names)):] {
		cache.Remove(filepath.Join(dir, name))
	}
}
