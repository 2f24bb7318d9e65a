package recorder

import "embed"

//go:embed all:_gates
var gates embed.FS

// EnvGates names the environment variable that holds the schedule of a program that was built with
// gates.
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

	// Gates of outside code: what the race detector's hooks do stands behind those of
	// _gates/runtime/presage_hooks_amd64.s.
	{"runtime/race_amd64.s", "TEXT\truntime·raceread<ABIInternal>(SB)", "TEXT\truntime·presageRaceRead<ABIInternal>(SB)", 1},
	{"runtime/race_amd64.s", "TEXT\truntime·racewrite<ABIInternal>(SB)", "TEXT\truntime·presageRaceWrite<ABIInternal>(SB)", 1},
	{"runtime/race_amd64.s", "TEXT\truntime·racereadrange<ABIInternal>(SB)", "TEXT\truntime·presageRaceReadRange<ABIInternal>(SB)", 1},
	{"runtime/race_amd64.s", "TEXT\truntime·racewriterange<ABIInternal>(SB)", "TEXT\truntime·presageRaceWriteRange<ABIInternal>(SB)", 1},
	{"runtime/race_amd64.s", "TEXT\truntime·racereadpc(SB)", "TEXT\truntime·presageRaceReadPC(SB)", 1},
	{"runtime/race_amd64.s", "TEXT\truntime·racewritepc(SB)", "TEXT\truntime·presageRaceWritePC(SB)", 1},
	{"runtime/race.go", "func racereadpc(addr ", "func presageRaceReadPC(addr ", 1},
	{"runtime/race.go", "func racewritepc(addr ", "func presageRaceWritePC(addr ", 1},
	after("runtime/race.go", "func racereadrangepc(addr unsafe.Pointer, sz, callpc, pc uintptr) {\n\tgp := getg()\n", "\tif gp.presage != nil && gp.presage.watch != 0 && gtAnnounced(addr, sz, callpc, false) {\n\t\treturn\n\t}\n"),
	after("runtime/race.go", "func racewriterangepc(addr unsafe.Pointer, sz, callpc, pc uintptr) {\n\tgp := getg()\n", "\tif gp.presage != nil && gp.presage.watch != 0 && gtAnnounced(addr, sz, callpc, true) {\n\t\treturn\n\t}\n"),
	after("runtime/race.go", "func race_ReadRange(addr unsafe.Pointer, len int) {\n", "\tif s := getg().presage; s != nil && s.watch != 0 && gtAsked(addr, len, false) {\n\t\treturn\n\t}\n"),
	after("runtime/race.go", "func race_WriteRange(addr unsafe.Pointer, len int) {\n", "\tif s := getg().presage; s != nil && s.watch != 0 && gtAsked(addr, len, true) {\n\t\treturn\n\t}\n"),
	after("runtime/race.go", "func race_Read(addr unsafe.Pointer) {\n", "\tif s := getg().presage; s != nil && s.watch != 0 && gtAsked(addr, 1, false) {\n\t\treturn\n\t}\n"),
	after("runtime/race.go", "func race_Write(addr unsafe.Pointer) {\n", "\tif s := getg().presage; s != nil && s.watch != 0 && gtAsked(addr, 1, true) {\n\t\treturn\n\t}\n"),
	{"runtime/mgcmark.go", "\tisAsyncPreempt := frame.fn.valid() && frame.fn.funcID == abi.FuncID_asyncPreempt\n", "\tisAsyncPreempt := frame.fn.valid() && (frame.fn.funcID == abi.FuncID_asyncPreempt || presageHolds(frame.fn))\n", 1},

	// The choice of a select.
	after("runtime/select.go", "\tscases := cas1[:ncases:ncases]\n", "\tblock = presageChoose(scases, nsends, block)\n"),
	{"runtime/chan.go", "\treturn chansend(c, elem, false, sys.GetCallerPC())\n", "\tblock, _ := presageSingle(c)\n\treturn chansend(c, elem, block, sys.GetCallerPC())\n", 1},
	{"runtime/chan.go", "\treturn chanrecv(c, elem, false)\n", "\tblock, none := presageSingle(c)\n\tif none {\n\t\treturn false, false\n\t}\n\treturn chanrecv(c, elem, block)\n", 1},
}
