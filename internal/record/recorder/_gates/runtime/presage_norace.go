//go:build !race

package runtime

import "unsafe"

// A replay without the race detector: what assembly reads is not needed, and outside code has no
// gates.

func presageHooks() {}

func presageHolds(f funcInfo) bool { return false }

//go:linkname race_ReadBytes internal/race.ReadBytes
func race_ReadBytes(b []byte) {}

//go:linkname race_WriteBytes internal/race.WriteBytes
func race_WriteBytes(b []byte) {}

//go:linkname race_ReadFound internal/race.ReadFound
func race_ReadFound(b []byte, i, n int) {}

// Without the race detector nothing takes what the runtime accesses for its callers.

func presageReads(p unsafe.Pointer, n uintptr) {}

func presageWrites(p unsafe.Pointer, n uintptr) {}
