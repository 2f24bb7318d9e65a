// Files makes files and directories, archives them, and runs a process, from several goroutines.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
)

func main() {
	dir, err := os.MkdirTemp("", "files")
	if err != nil {
		log.Fatal(err)
	}
	logger := slog.New(slog.NewJSONHandler(io.Discard, nil))
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			sub := filepath.Join(dir, strconv.Itoa(i))
			err := errors.Join(files(sub), archives(sub), process(), numbers(uint64(i)))
			logger.Info("done", "dir", sub, "err", err)
			if err != nil {
				log.Fatal(err)
			}
		})
	}
	wg.Wait()
	if err := os.RemoveAll(dir); err != nil {
		log.Fatal(err)
	}
}

func files(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o777); err != nil {
		return err
	}
	for i := range 5 {
		if err := os.WriteFile(filepath.Join(dir, "sub", fmt.Sprint("file", i)), bytes.Repeat([]byte("text\n"), 2000), 0o666); err != nil {
			return err
		}
	}
	if err := os.Symlink("sub", filepath.Join(dir, "link")); err != nil {
		return err
	}
	if _, err := filepath.EvalSymlinks(filepath.Join(dir, "link")); err != nil {
		return err
	}
	_, err := os.Getwd()
	return err
}

func archives(dir string) error {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.AddFS(os.DirFS(dir)); err != nil && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	r := tar.NewReader(&b)
	for {
		if _, err := r.Next(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return err
		}
	}
	b.Reset()
	z := zip.NewWriter(&b)
	if err := z.AddFS(os.DirFS(filepath.Join(dir, "sub"))); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	in, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return err
	}
	_, err = fs.ReadFile(in, "file0")
	return err
}

func process() error {
	cmd := exec.Command("cat")
	cmd.Stdin = bytes.NewReader(bytes.Repeat([]byte("x"), 20000))
	out, err := cmd.Output()
	if err == nil && len(out) != 20000 {
		err = fmt.Errorf("%d bytes", len(out))
	}
	return err
}

func numbers(seed uint64) error {
	r := rand.New(rand.NewChaCha8([32]byte{byte(seed)}))
	x := big.NewInt(r.Int64())
	for range 5 {
		x.Mul(x, big.NewInt(r.Int64()))
	}
	y, ok := new(big.Int).SetString(x.String(), 10)
	if !ok || x.Cmp(y) != 0 {
		return fmt.Errorf("%v is not %v", x, y)
	}
	return nil
}
