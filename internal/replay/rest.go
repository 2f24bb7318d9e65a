package replay

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// rest says how long a program has done nothing. A program whose goroutines all wait for each
// other, with none of them at a gate, does not end, and nothing in it notices.
type rest struct {
	stat, schedule string // files
	cpu, moved     uint64
	at             time.Time
	looked         time.Time
}

func restOf(pid int, schedule string) *rest {
	now := time.Now()
	return &rest{stat: "/proc/" + strconv.Itoa(pid) + "/stat", schedule: schedule, at: now, looked: now}
}

// since is how long no step was made, and next to no time of a processor used. Where the system
// does not say what a process uses it is 0.
func (r *rest) since() time.Duration {
	now := time.Now()
	if now.Sub(r.looked) > restLooks {
		r.looked = now
		cpu, ok := ticksOf(r.stat)
		moved := headerWord(r.schedule, hdrMoved)
		if !ok || cpu > r.cpu+restTicks || moved != r.moved {
			r.cpu, r.moved, r.at = cpu, moved, now
		}
	}
	return r.looked.Sub(r.at)
}

const (
	restLooks = 100 * time.Millisecond
	restTicks = 5 // of 10 ms, since the last step or since there were so many
)

// ticksOf is the time that a process has used of processors, in ticks, by its stat file in /proc
// (proc(5)).
func ticksOf(file string) (n uint64, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	_, text, ok = bytes.Cut(text, []byte(") "))
	fields := strings.Fields(string(text))
	if !ok || len(fields) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseUint(fields[11], 10, 64)
	system, err2 := strconv.ParseUint(fields[12], 10, 64)
	return user + system, err1 == nil && err2 == nil
}
