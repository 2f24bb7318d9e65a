package reach

import (
	"encoding/binary"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// counting says whether instructions are counted, and if not, why.
func counting() string {
	fd, err := counter(unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS)
	if err != nil {
		return "not counted here (perf_event_open: " + err.Error() + ")"
	}
	unix.Close(fd)
	return "counted in user mode"
}

// counter opens a counter of what the calling thread, and the processes that it starts, do in user
// mode from now on.
func counter(kind uint32, config uint64) (fd int, err error) {
	attr := unix.PerfEventAttr{Type: kind, Config: config, Bits: unix.PerfBitInherit | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}
	attr.Size = uint32(unsafe.Sizeof(attr))
	return unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
}

// counted calls f, which starts a process and waits for it, and returns the number of instructions
// of that process; 0 if the machine does not count.
func counted(f func() error) (n float64, err error) {
	return countedAs(unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS, f)
}

func countedAs(kind uint32, config uint64, f func() error) (n float64, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	fd, err := counter(kind, config)
	if err != nil {
		return 0, f()
	}
	defer unix.Close(fd)
	if err := f(); err != nil {
		return 0, err
	}
	var b [8]byte
	if _, err := unix.Read(fd, b[:]); err != nil {
		return 0, err
	}
	return float64(binary.NativeEndian.Uint64(b[:])), nil
}
