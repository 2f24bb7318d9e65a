package record

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"

	"presage/internal/disk"
)

// execGo is exec of a go command that builds. It is an error if the disk was full: what the go command says then stands on its standard error, which
// the tests that it runs do not have.
func (c *Config) execGo(ctx context.Context, cmd *exec.Cmd) (int, error) {
	d, heard := *c, &listener{w: cmp.Or(c.Stderr, io.Discard)}
	if _, file := c.Stdout.(*os.File); !file && c.Stdout == c.Stderr { // not to be written to by two
		d.Stdout = heard
	}
	d.Stderr = heard
	code, err := d.exec(ctx, cmd)
	if err == nil && code != 0 {
		err = disk.GoSaid(ctx, heard.said)
	}
	return code, err
}

// A listener passes on what a command prints, and keeps the first line that says that a disk is full.
type listener struct {
	w    io.Writer
	line []byte // that has not ended
	said string
}

func (l *listener) Write(p []byte) (int, error) {
	if l.said == "" {
		l.line = append(l.line, p...)
	}
	for l.said == "" {
		line, rest, ended := bytes.Cut(l.line, []byte("\n"))
		if !ended {
			break
		}
		if disk.Said(string(line)) != nil {
			l.said = string(line)
		}
		l.line = rest
	}
	return l.w.Write(p)
}
