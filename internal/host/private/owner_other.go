//go:build !unix

package private

import "io/fs"

// modes says that the mode of a file does not tell who may write it.
const modes = false

// foreign refuses nothing.
func foreign(string, fs.FileInfo) error { return nil }
