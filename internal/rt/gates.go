package rt

import "embed"

//go:embed all:_gates
var gates embed.FS

// EnvGates names the environment variable that holds the schedule of a program that was built with gates.
const EnvGates = "PRESAGE_GATES"

// gateVersionPatches come after gatePatches, for one version only.
var gateVersionPatches = map[string][]patch{
	"go1.25": {{"sync/waitgroup.go", "\t\tdefer wg.Done()\n\t\tf()\n", "\t\tdefer func() {\n\t\t\tpresageGateAt(site)\n\t\t\twg.Done()\n\t\t\tpresageGateDone(site)\n\t\t}()\n\t\tf()\n", 1}},
	"go1.26": {{"sync/waitgroup.go", "\t\t\twg.Done()\n\t\t}()\n\t\tf()\n", "\t\t\tpresageGateAt(site)\n\t\t\twg.Done()\n\t\t\tpresageGateDone(site)\n\t\t}()\n\t\tf()\n", 1}},
}

// gatePatches take the place of patches in an overlay of gates. Synchronisation stays as it is: the
// race detector, which the program is built with, must see all of it, and of the gates nothing.
var gatePatches = []patch{
	after("runtime/runtime2.go", "\tgoid         uint64\n", "\tpresage      *presageGate\n\tpresageRands uint64\n"),
	after("runtime/proc.go", "\tgoenvs()\n\tsecure()\n\tcheckfds()\n", "\tpresageInit()\n"),
	before("runtime/proc.go", "\treleasem(mp)\n\n\treturn newg\n}\n", "\tpresageGo(callergp, newg)\n"),
	after("runtime/proc.go", "func goexit1() {\n", "\tpresageEnd()\n"),
	after("runtime/proc.go", "func runExitHooks(code int) {\n", "\tpresageExit()\n"),
	before("sync/cond.go", "\tc.L.Lock()\n}\n", "\tpresageWoken()\n"),
	after("runtime/coro.go", "func coroexit(c *coro) {\n", "\tpresageEnd()\n"),

	// The Done of WaitGroup.Go has the site of its call, in the goroutine that it starts.
	{"sync/waitgroup.go", "\twg.Add(1)\n\tgo func() {\n", "\tsite := presageStarting()\n\twg.Add(1)\n\tgo func() {\n", 1},

	// The choice of a select.
	after("runtime/select.go", "\tscases := cas1[:ncases:ncases]\n", "\tblock = presageChoose(scases, nsends, block)\n"),
	{"runtime/chan.go", "\treturn chansend(c, elem, false, sys.GetCallerPC())\n", "\tblock, _ := presageSingle(c)\n\treturn chansend(c, elem, block, sys.GetCallerPC())\n", 1},
	{"runtime/chan.go", "\treturn chanrecv(c, elem, false)\n", "\tblock, none := presageSingle(c)\n\tif none {\n\t\treturn false, false\n\t}\n\treturn chanrecv(c, elem, block)\n", 1},
}
