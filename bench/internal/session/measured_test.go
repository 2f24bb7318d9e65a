package session

import (
	"strings"
	"testing"
	"time"
)

// What a command starts counts; at the limit it is interrupted first, and killed if it goes on.
func TestMeasure(t *testing.T) {
	sh := func(limit, grace time.Duration, script string) *Measured {
		t.Helper()
		m, err := Measure(t.Context(), limit, grace, t.TempDir(), []string{"WORD=here"}, "sh", "-c", script)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const work = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
	if m := sh(time.Minute, 0, "sh -c '"+work+"'; echo $WORD; exit 3"); m.Late || m.Code != 3 || m.CPU <= 0 || m.Wall <= 0 || m.Stdout.String() != "here\n" {
		t.Errorf("%+v", m)
	}
	if m := sh(100*time.Millisecond, time.Second, "trap 'echo ended; exit 7' INT; while :; do sleep 0.05; done"); !m.Late || m.Code != 7 || !strings.Contains(m.Stdout.String(), "ended") {
		t.Errorf("interrupted: %+v", m)
	}
	if m := sh(100*time.Millisecond, 200*time.Millisecond, "trap '' INT; trap 'exit 8' TERM; while :; do sleep 0.05; done"); !m.Late || m.Code != 8 {
		t.Errorf("terminated: %+v", m)
	}
	for _, grace := range []time.Duration{0, 200 * time.Millisecond} {
		if m := sh(100*time.Millisecond, grace, "trap '' INT TERM; while :; do sleep 0.05; done"); !m.Late || m.Code != -1 {
			t.Errorf("killed after %v: %+v", grace, m)
		}
	}
}
