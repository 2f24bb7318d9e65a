// Package kill9 kills a program under presage with SIGKILL at random moments. The trace must open,
// and must have every write that the program had announced.
//
//	go -C bench run ./recorder kill9 [-n 50] [-seed 1] [-dir scratch]
//
// The exit code is 1 if a trace does not open, or lacks an announced write.
package kill9

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Main kills n times.
func Main(args []string) int {
	flags := command.Flags("recorder kill9", "[-n kills] [-seed s] [-dir scratch]")
	dir := command.Dir(flags)
	n := flags.Int("n", 50, "kills")
	seed := flags.Uint64("seed", 1, "seed of the moments of the kills")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	ctx := context.Background()
	s, err := session.New(ctx, *dir)
	command.Check(err)
	r := rand.New(rand.NewPCG(*seed, 0))
	bad := 0
	for i := 0; i < *n; i++ {
		delay := time.Duration(r.IntN(300)) * time.Millisecond
		announced, recorded, events, err := once(ctx, s, delay)
		if errors.Is(err, fs.ErrNotExist) && announced == [4]int{} && delay < 100*time.Millisecond {
			fmt.Printf("   after %v: the process had not started yet: another moment\n", delay)
			i--
			continue
		}
		ok := err == nil
		for g := range announced {
			ok = ok && recorded[g] >= announced[g]
		}
		if !ok {
			bad++
		}
		fmt.Printf("%2d after %v: announced %v, recorded %v, %d events, ok=%v %v\n", i, delay, announced, recorded, events, ok, errText(err))
	}
	fmt.Printf("%d of %d traces opened with everything announced in them\n", *n-bad, *n)
	figures.Print("all", command.Count(*n, "kills"), command.Count(bad, "bad"))
	return command.Code(bad == 0)
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// once runs the program, kills it after delay, and reads its trace.
func once(ctx context.Context, s *session.Session, delay time.Duration) (announced, recorded [4]int, events int64, err error) {
	self, err := command.Self("kill9-run")
	if err != nil {
		return
	}
	said, name := filepath.Join(s.Dir, "said.json"), filepath.Join(s.Dir, "killed.presage")
	os.Remove(said)
	old, _ := filepath.Glob(name + "*")
	for _, f := range old {
		os.RemoveAll(f)
	}
	cmd := exec.CommandContext(ctx, s.Presage, "run", "-level", "none", "-o", name,
		"-exec", fmt.Sprintf("%s %s %s", self, delay, said), "./programs/announce")
	out, _ := cmd.CombinedOutput() // a killed program is a failed one
	data, err := os.ReadFile(said)
	if err != nil {
		return announced, recorded, 0, fmt.Errorf("the program did not run: %v\n%s", err, out)
	}
	if err = json.Unmarshal(data, &announced); err != nil {
		return
	}
	f, err := trace.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	sites := cellSites(f.Meta())
	var e trace.Event
	for {
		if err = f.Next(&e); err == io.EOF {
			return announced, recorded, events, nil
		} else if err != nil {
			return
		}
		events++
		if e.Kind == format.Write && sites[e.Site] {
			g, n := e.Val%4, int(e.Val/4)
			recorded[g] = max(recorded[g], n)
		}
	}
}

// cellSites are the sites that write to the array.
func cellSites(m *trace.Meta) map[trace.Site]bool {
	sites := map[trace.Site]bool{}
	for i, s := range m.Sites {
		if strings.HasPrefix(s.Expr, "cells[") {
			sites[trace.Site(i)] = true
		}
	}
	return sites
}

// Run is what the go command runs in place of the program: it runs the program, kills it after a
// delay, and writes what the program had announced. Its arguments are the delay, the file, and
// the program with its arguments.
func Run(args []string) int {
	delay, said, args := args[0], args[1], args[2:]
	d, err := time.ParseDuration(delay)
	if err != nil {
		log.Print(err)
		return 1
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		log.Print(err)
		return 1
	}
	time.AfterFunc(d, func() { cmd.Process.Kill() })
	var announced [4]int
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) != 2 {
			continue // cut by the kill
		}
		g, err1 := strconv.Atoi(f[0])
		n, err2 := strconv.Atoi(f[1])
		if err1 == nil && err2 == nil && g < len(announced) {
			announced[g] = n
		}
	}
	cmd.Wait()
	data, _ := json.Marshal(announced)
	if err := os.WriteFile(said, data, 0o666); err != nil {
		log.Print(err)
	}
	return 1
}
