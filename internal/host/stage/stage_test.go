package stage

import (
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"
)

// spin uses CPU time of the calling thread.
func spin(d time.Duration) {
	for begun := time.Now(); time.Since(begun) < d; {
	}
}

// Stages add up when they begin again, parts follow their stage, and a child that was waited
// for counts.
func TestList(t *testing.T) {
	var l List
	l.Begin("a")
	spin(20 * time.Millisecond)
	l.Begin("b")
	l.Begin("a")
	if s := Current(); s != "a" {
		t.Errorf("in stage %q", s)
	}
	if err := exec.Command("sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done").Run(); err != nil {
		t.Skip(err)
	}
	l.End()
	l.End()
	p := &Parts{}
	m := p.Meter("x")
	m.Stop()
	l.Split("a", p)
	all := l.All()
	if len(all) != 3 || all[0].Name != "a" || all[1].Name != "x" || all[1].Of != "a" || all[2].Name != "b" {
		t.Fatalf("%+v", all)
	}
	if all[0].Wall < 20*time.Millisecond {
		t.Errorf("wall time %v", all[0].Wall)
	}
	if runtime.GOOS == "linux" && (all[0].CPU <= 0 || all[0].Peak < 1<<20) {
		t.Errorf("CPU time %v, %d bytes", all[0].CPU, all[0].Peak)
	}
}

// Two goroutines side by side have the CPU time of their own threads, and none while they wait.
func TestMeter(t *testing.T) {
	p := &Parts{}
	var wg sync.WaitGroup
	for _, name := range []string{"x", "y"} {
		wg.Go(func() {
			m := p.Meter(name)
			defer m.Stop()
			spin(20 * time.Millisecond)
			if left := m.Enter(Idle); left != name {
				t.Errorf("left %q, not %q", left, name)
			}
			time.Sleep(50 * time.Millisecond)
			m.Enter("both")
			spin(20 * time.Millisecond)
			m.Enter(name)
		})
	}
	wg.Wait()
	all := p.all()
	if len(all) != 3 {
		t.Fatalf("%+v", all)
	}
	for _, x := range all {
		if runtime.GOOS == "linux" && (x.CPU <= 0 || x.CPU > x.Wall+20*time.Millisecond) {
			t.Errorf("%+v", x)
		}
	}
}

// Nothing is measured without a request.
func TestNil(t *testing.T) {
	var l *List
	l.Begin("a")
	l.End()
	var p *Parts
	l.Split("a", p)
	m := p.Meter("x")
	m.Enter("y")
	m.Stop()
	if l.All() != nil || p.all() != nil || m != nil {
		t.Error("something was measured")
	}
}

// What processes used that ran beside a stage is not that stage's.
func TestBeside(t *testing.T) {
	var l List
	l.Begin("a")
	begun := processCPU()
	if err := exec.Command("sh", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done").Run(); err != nil {
		t.Skip(err)
	}
	used := processCPU() - begun
	l.Beside("b", "part", used)
	l.Add("b", "part", time.Second)
	l.Begin("b")
	l.Beside("b", "part", time.Hour) // it is open: this is counted already
	l.End()
	all := l.All()
	if len(all) != 3 || all[0].Name != "b" || all[1].Name != "part" || all[1].Of != "b" || all[2].Name != "a" {
		t.Fatalf("%+v", all)
	}
	if all[2].CPU > used/2 || all[0].CPU < used || all[0].CPU > used+time.Minute || all[1].CPU != used {
		t.Errorf("CPU time %v, of it beside: %+v", used, all)
	}
	if all[0].Wall > 500*time.Millisecond || all[1].Wall != time.Second {
		t.Errorf("wall time: %+v", all)
	}
}
