package merge

import (
	"fmt"

	"github.com/presage-race/presage/internal/host/disk"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// finish completes the meta of the trace and the statistics.
func (m *merger) finish() {
	m.stats.Goroutines = len(m.meta.Goroutines) - 1
	m.stats.Events, m.stats.Moves = m.out.events, m.recent.moves
	m.stats.Outside, m.stats.Late = m.outside.placed, m.contexts.placed
	m.stats.Damage = m.recording.damage
	whole := m.limit == noStamp && m.recording.Stopped == format.NotStopped
	m.meta.Variables, m.meta.VariablesAt = m.variables.contents(whole), m.out.variablesAt
	m.meta.Globals = m.variables.globals()
	m.variables.hold(m.meta)
	if whole && len(m.meta.Missing) == 0 { // else an operation on them may be missing
		m.meta.Channels = m.variables.made()
	}
	m.meta.Texts = m.readOnly.texts()
	if m.meta.Process == nil {
		m.meta.Process = &trace.Process{}
	}
	m.meta.Process.Seed, m.meta.Process.Args = m.recording.Seed, m.recording.Args
	m.warn()
}

// warn adds the warnings on what the trace does not have.
func (m *merger) warn() {
	r := m.recording
	m.calls.warn()
	m.meta.Warn("variables-large", m.variables.large, "{{n}} package-level variable{{|s}} {{was|were}} too large to record {{its initial value|their initial values}}")
	m.meta.Warn("variables-cut", m.variables.cut, "{{n}} package-level variable{{|s}} that the recorded run does not access {{has no initial value|have no initial values}} in the trace, because there are too many: paths off the recorded run that read them end there")
	m.meta.Warn("sets-lost", m.reach.lost, "{{n}} set{{|s}} of memory that excluded calls can reach {{was|were}} not recorded; each counts as all of memory")
	m.meta.Warn("unexplained-read", m.stats.Unexplained, "{{n}} read{{|s}} returned a value that no recorded write explains: code that is not recorded wrote it, or racing goroutines did; {{it returns|they return}} the same in each predicted schedule")
	if r.Stopped != format.NotStopped {
		m.meta.Warn("recording-stopped", 1, "the program ran on without being recorded: "+WhyStopped(r.Stopped, r.Limit, r.in))
	}
	if m.stopped {
		m.meta.Warn("merge-stopped", 1, fmt.Sprintf("{{n}} process{{|es}} recorded more than could be put in order in the given time; what comes after event %d is not searched (-time allows more)", m.stats.Events))
	}
	switch r.Blind {
	case 0:
	case 2:
		m.meta.Warn("outside-unrecorded", 1, "{{n}} process{{|es}} ran so long that accesses of code that is not instrumented were not recorded to the end: races in it may be missed")
	default:
		m.meta.Warn("outside-unrecorded", 1, "{{n}} process{{|es}} ran without records of the accesses of code that is not instrumented, because the system refused 2 TiB of address space: races in it are missed; look at `ulimit -v` and /proc/sys/vm/overcommit_memory (0 or 1)")
	}
	m.meta.Warn("outside-lost", r.Lost, "{{n}} access{{|es}} could not be recorded, because there was no room on the stack or the loop that made {{it|them}} was not known: a race of {{it|them}} may be missed")
	if !r.Ended && r.Stopped == format.NotStopped && m.contexts.used {
		m.meta.Warn("outside-unfinished", 1, "{{n}} process{{|es}} {{was|were}} ended by a signal, a fatal error or syscall.Exit: races between what instrumented code did after each goroutine's last synchronisation and other code may be missed")
	}
	m.meta.Warn("raw-damaged", len(r.damage), "{{n}} raw record{{|s}} could not be read: the trace ends there")
	m.meta.Warn("records-dropped", m.stats.Dropped, "{{n}} record{{|s}} after the end of the complete part of the recording {{was|were}} left out")
}

// WhyStopped says why a process was not recorded any more. The directory is that of the run; limit
// is what the run may take on the disk.
func WhyStopped(r format.StopReason, limit int64, dir string) string {
	switch r {
	case format.StopNoFile:
		return "a file could not be created"
	case format.StopNoDisk:
		return "the disk is full, or files may not have that size: " + disk.Where(dir)
	case format.StopNoMap:
		return "a file could not be mapped"
	case format.StopLimit:
		return fmt.Sprintf("the run's records have taken as much of the disk as they may, %s (flag -disk)", disk.Size(limit))
	}
	return fmt.Sprintf("reason %d", r)
}
