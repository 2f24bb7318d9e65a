package sync

import _ "unsafe" // for linkname

// presageWoken stands between the waking of a Cond.Wait and its Lock.
//
//go:linkname presageWoken
func presageWoken()
