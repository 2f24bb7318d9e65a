package record

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/host/killed"
)

// execGo is exec of a go command that builds. It is an error if the disk was full, or if a signal
// ended the go command or one of its tools: what the go command says then stands on its standard
// error, which the tests that it runs do not have.
func (c *Config) execGo(ctx context.Context, cmd *exec.Cmd) (int, error) {
	d, heard := *c, &listener{w: cmp.Or(c.Stderr, io.Discard)}
	if _, file := c.Stdout.(*os.File); !file && c.Stdout == c.Stderr {
		// not to be written to by two
		d.Stdout = heard
	}
	d.Stderr = heard
	code, err := d.exec(ctx, cmd)
	if err == nil && code != 0 {
		err = cmp.Or(disk.GoSaid(ctx, heard.full), killed.By(cmd), heard.killed)
	}
	return code, err
}

// outside reports whether an error is of the machine, not of the program: what was recorded before
// it is analysed.
func outside(err error) bool {
	var k *killed.Error
	return disk.Full(err) || errors.As(err, &k)
}

// A listener passes on what a command prints, and keeps the first line that says that a disk is
// full, and what the first says of a signal.
type listener struct {
	w      io.Writer
	line   []byte // that has not ended
	full   string
	killed error
}

func (l *listener) Write(p []byte) (int, error) {
	l.line = append(l.line, p...)
	for {
		text, rest, ended := bytes.Cut(l.line, []byte("\n"))
		if !ended {
			break
		}
		if l.full == "" && disk.Said(string(text)) != nil {
			l.full = string(text)
		}
		if l.killed == nil {
			l.killed = killed.Said(string(text))
		}
		l.line = rest
	}
	return l.w.Write(p)
}
