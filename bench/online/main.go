// Command online runs small programs as they are, under -race and under the detector of presage -online, in turn, and prints the CPU time
// and the peak memory of each, the slowdowns, and their geometric means.
//
//	go run ./bench/online [-n runs] [-run regexp] [-dir scratch]
//
// CPU time is that of user and system; the median of the runs counts. Programs churn, crowd (a million goroutines) and heap (a gigabyte of live heap) are
// for growth: the first two have no -race column, which ends a program of more than 8128 living goroutines.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"

	"presage/internal/rt"
)

var programs = []string{"sort", "matrix", "mapmutex", "pipeline", "atomics", "http", "churn", "crowd", "heap"}

// modes are the builds of a program.
var modes = []string{"plain", "race", "online"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("online: ")
	n := flag.Int("n", 10, "runs of each")
	run := flag.String("run", "sort|matrix|mapmutex|pipeline|atomics|http", "programs")
	dir := flag.String("dir", "", "scratch directory")
	flag.Parse()
	if *dir == "" {
		d, err := os.MkdirTemp("", "presage-bench-")
		if err != nil {
			log.Fatal(err)
		}
		defer os.RemoveAll(d)
		*dir = d
	}
	std, err := rt.New(context.Background(), rt.Config{OutDir: filepath.Join(*dir, "overlay"), Online: true})
	if err != nil {
		log.Fatal(err)
	}
	overlay := filepath.Join(*dir, "overlay.json")
	data, err := std.JSON(nil)
	if err == nil {
		err = os.WriteFile(overlay, data, 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
	flags := map[string][]string{"race": {"-race"}, "online": append([]string{"-overlay=" + overlay}, std.BuildFlags...)}
	fmt.Printf("%-10s %10s %10s %10s %8s %8s %8s %10s %10s %10s %8s\n", "", "plain s", "race s", "online s", "race x", "online x", "ratio", "plain MB", "race MB", "online MB", "ratio")
	var times, memory []float64
	for _, p := range programs {
		if !regexp.MustCompile(*run).MatchString(p) {
			continue
		}
		for _, m := range modes {
			args := append([]string{"build", "-o", filepath.Join(*dir, p+"."+m)}, flags[m]...)
			cmd := exec.Command(std.Go, append(args, "./bench/online/programs/"+p)...)
			cmd.Env = append(os.Environ(), std.Env...)
			if out, err := cmd.CombinedOutput(); err != nil {
				log.Fatalf("%s %s: %v\n%s", p, m, err, out)
			}
		}
		var cpu, mem [3][]float64
		for range *n {
			for i, m := range modes {
				if m == "race" && (p == "churn" || p == "crowd") {
					continue
				}
				c, r := once(filepath.Join(*dir, p+"."+m))
				cpu[i], mem[i] = append(cpu[i], c), append(mem[i], r)
			}
		}
		t, r := medians(cpu), medians(mem)
		ratio, rss := (t[2]/t[0])/(t[1]/t[0]), r[2]/r[1]
		fmt.Printf("%-10s %10.2f %10.2f %10.2f %8.1f %8.1f %8.2f %10.0f %10.0f %10.0f %8.2f\n", p, t[0], t[1], t[2], t[1]/t[0], t[2]/t[0], ratio, r[0], r[1], r[2], rss)
		if p != "churn" && p != "crowd" && p != "heap" {
			times, memory = append(times, ratio), append(memory, rss)
		}
	}
	if len(times) > 0 {
		fmt.Printf("geometric mean of online to race: time %.2f, peak memory %.2f\n", mean(times), mean(memory))
	}
}

// once runs a program: CPU seconds and peak MB.
func once(bin string) (cpu, mem float64) {
	cmd := exec.Command(bin)
	if out, err := cmd.CombinedOutput(); err != nil {
		log.Fatalf("%s: %v\n%s", bin, err, out)
	}
	s := cmd.ProcessState
	used := s.SysUsage().(*syscall.Rusage)
	return float64(s.UserTime()+s.SystemTime()) / float64(time.Second), float64(used.Maxrss) / 1024
}

func medians(runs [3][]float64) (m [3]float64) {
	for i, r := range runs {
		m[i] = math.NaN()
		if slices.Sort(r); len(r) > 0 {
			m[i] = r[len(r)/2]
		}
	}
	return m
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(list)))
}
