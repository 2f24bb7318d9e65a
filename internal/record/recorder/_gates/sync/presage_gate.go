package sync

import _ "unsafe" // for linkname

// presageStarting is the site of the call under way, if that starts a goroutine; 0 if it has none.
//
//go:linkname presageStarting
func presageStarting() uint32

// presageGateAt and presageGateDone are the gates of a site.
//
//go:linkname presageGateAt
func presageGateAt(site uint32)

//go:linkname presageGateDone
func presageGateDone(site uint32)

// presageWoken stands between the waking of a Cond.Wait and its Lock.
//
//go:linkname presageWoken
func presageWoken()
