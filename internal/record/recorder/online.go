package recorder

import (
	"bytes"
	"embed"
	"io/fs"
	"strings"
)

//go:embed all:_online
var online embed.FS

// The detector itself is an ordinary package, tested against package fasttrack; here it becomes
// part of package runtime.
//
//go:embed online/*.go
var detector embed.FS

// onlineArch is the processor of the detector, whose hooks are assembly.
const onlineArch = "amd64"

// onlineFiles are those of the recorder that a program with the detector inside has as well.
var onlineFiles = map[string]bool{
	"_std/runtime/presage_sync.go": true, "_std/runtime/presage_timer.go": true,
	"_std/sync/presage.go": true, "_std/internal/sync/presage.go": true,
}

// addedOnline adds the files of the detector.
func (b *builder) addedOnline() error {
	if err := b.addedOf(both, "_both"); err != nil {
		return err
	}
	if err := b.addedOf(online, "_online"); err != nil {
		return err
	}
	err := fs.WalkDir(std, "_std", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !onlineFiles[path] {
			return err
		}
		return b.addedFile(std, "_std", path)
	})
	if err != nil {
		return err
	}
	return fs.WalkDir(detector, "online", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "online/sys") || strings.HasSuffix(path, "/doc.go") {
			return err
		}
		src, err := detector.ReadFile(path)
		if err != nil {
			return err
		}
		b.Add("runtime/presage_ft_"+strings.TrimPrefix(path, "online/"), bytes.Replace(src, []byte("package online\n"), []byte("package runtime\n"), 1))
		return nil
	})
}

// OnlineCompilerFlags is how a program with the detector inside is compiled: the compiler puts the
// hooks, as for the race detector, without the checks of unsafe.Pointer that -race has besides.
const OnlineCompilerFlags = "-race -d=checkptr=0"

// onlineInline is how sync/atomic is compiled, which has no hooks: the compiler inlines none of its
// functions where the race detector's flag is set, and others cannot inline them for that reason.
const onlineInline = "-d=checkptr=0"

// EnvHalt names the environment variable that makes a program with the detector inside end at its
// first race.
const EnvHalt = "PRESAGE_HALT"

// EnvFilter names the environment variable that leaves the filter of package tree out, if it is
// none.
const EnvFilter = "PRESAGE_FILTER"
