//go:build linux

package recorder_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestLimit (RC2): processes of one run, side by side, take no more of the disk than it may; they
// run on, and what each has recorded is an execution.
func TestLimit(t *testing.T) {
	bin := build(t, []byte(stopping))
	for _, test := range []struct {
		limit      int64
		recorded   int // processes that have records,
		unrecorded []recorder.Unrecorded
	}{
		{1 << 20, 1, []recorder.Unrecorded{{Reason: format.StopLimit, N: 2, Limit: 1 << 20}}},
		{5 << 20, 3, nil},
	} {
		dir := t.TempDir()
		if err := recorder.SetLimit(dir, test.limit); err != nil {
			t.Fatal(err)
		}
		stdin, begin, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 3 {
			cmd := exec.Command(bin, "stay", "wait")
			cmd.Env = append(os.Environ(), recorder.EnvDir+"="+dir)
			cmd.Stdin = stdin
			wg.Go(func() {
				if out, err := cmd.CombinedOutput(); err != nil || string(out) != "160000\n" {
					t.Errorf("limit %d: %v\n%.2000s", test.limit, err, out)
				}
			})
		}
		for deadline := time.Now().Add(20 * time.Second); begun(t, dir) < 3 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		begin.Close()
		wg.Wait()
		stdin.Close()
		recorded := 0
		subs, _ := filepath.Glob(filepath.Join(dir, "[0-9]*"))
		for _, sub := range subs {
			p := read(t, sub)
			if len(p.Streams) == 0 {
				continue
			}
			recorded++
			if p.Stopped != format.StopLimit || p.StopAt == 0 {
				t.Errorf("limit %d: stopped because %v at %d", test.limit, p.Stopped, p.StopAt)
			}
			if err := validate(p); err != nil {
				t.Errorf("limit %d: %v", test.limit, err)
			}
		}
		if recorded != test.recorded {
			t.Errorf("limit %d: %d processes recorded something", test.limit, recorded)
		}
		if used := onDisk(t, dir); used > test.limit {
			t.Errorf("limit %d: %d bytes on the disk", test.limit, used)
		}
		unrecorded, err := recorder.ReadUnrecorded(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.unrecorded, unrecorded); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", test.limit, diff)
		}
	}
}

// begun returns how many processes have a file to record to, or have said that they have none.
func begun(t *testing.T, dir string) (n int) {
	unrecorded, err := recorder.ReadUnrecorded(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range unrecorded {
		n += u.N
	}
	files, _ := filepath.Glob(filepath.Join(dir, "[0-9]*", "*"))
	dirs := map[string]bool{}
	for _, f := range files {
		dirs[filepath.Dir(f)] = true
	}
	return n + len(dirs)
}

// onDisk returns what the files of processes take of the disk.
func onDisk(t *testing.T, dir string) (n int64) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		n += 512 * info.Sys().(*syscall.Stat_t).Blocks
	}
	return n
}

// TestFullDisk: a program whose disk becomes full, or is full when it begins, runs on, and says so
// where that can be said. It needs a small disk.
func TestFullDisk(t *testing.T) {
	bin := build(t, []byte(stopping))
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=6m"); err != nil {
		t.Skip("a small disk cannot be mounted: ", err)
	}
	defer syscall.Unmount(disk, syscall.MNT_DETACH)
	if err := recorder.SetLimit(disk, 1<<40); err != nil {
		t.Fatal(err)
	}
	record := func() int {
		cmd := exec.Command(bin, "stay")
		cmd.Env = append(os.Environ(), recorder.EnvDir+"="+disk)
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "160000\n" {
			t.Errorf("%v\n%.2000s", err, out)
		}
		return cmd.Process.Pid
	}
	p := read(t, filepath.Join(disk, fmt.Sprint(record())))
	if p.Stopped != format.StopNoDisk {
		t.Errorf("stopped because %v", p.Stopped)
	}
	if err := validate(p); err != nil {
		t.Error(err)
	}
	fill(t, filepath.Join(disk, "rest"))
	record()
	got, err := recorder.ReadUnrecorded(disk)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]recorder.Unrecorded{{Reason: format.StopNoDisk, N: 1, Limit: 1 << 40}}, got); diff != "" {
		t.Errorf("on a full disk (-want +got):\n%s", diff)
	}
}

// fill writes a file until its disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for b := make([]byte, 4096); err == nil; {
		_, err = f.Write(b)
	}
}
