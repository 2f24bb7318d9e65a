package sctbench

// directory has the packages of the programs, whose tests have a build tag.
const (
	directory = "programs/sctbench"
	tag       = "-tags=sctbench"
)

// A program is one of the study.
type program struct {
	name string // there
	pkg  string // below directory
	test string
	// races says that variables of the program race. Then there is another test, where they are
	// atomic.
	races bool
}

// tests are those of the programs in which a race, and a failure, is looked for. Without a race,
// there is no test for that.
func (p *program) tests() (race, failure string) {
	if p.races {
		return p.test, p.test + "Atomic"
	}
	return "", p.test
}

var programs = []program{
	{"account_bad", "account", "TestAccount", false},
	{"arithmetic_prog_bad", "arithmetic", "TestArithmeticProg", false},
	{"bluetooth_driver_bad", "bluetooth", "TestBluetoothDriver", true},
	{"carter01_bad", "carter", "TestCarter01", false},
	{"circular_buffer_bad", "circular", "TestCircularBuffer", false},
	{"deadlock01_bad", "deadlock", "TestDeadlock01", false},
	{"din_phil2_sat", "dinphil", "TestDinPhil2", false},
	{"din_phil3_sat", "dinphil", "TestDinPhil3", false},
	{"din_phil4_sat", "dinphil", "TestDinPhil4", false},
	{"din_phil5_sat", "dinphil", "TestDinPhil5", false},
	{"din_phil6_sat", "dinphil", "TestDinPhil6", false},
	{"din_phil7_sat", "dinphil", "TestDinPhil7", false},
	{"fsbench_bad", "fsbench", "TestFsbench", false},
	{"lazy01_bad", "lazy", "TestLazy01", false},
	{"phase01_bad", "phase", "TestPhase01", false},
	{"queue_bad", "queue", "TestQueue", false},
	{"reorder_3_bad", "reorder", "TestReorder3", true},
	{"reorder_4_bad", "reorder", "TestReorder4", true},
	{"reorder_5_bad", "reorder", "TestReorder5", true},
	{"reorder_10_bad", "reorder", "TestReorder10", true},
	{"reorder_20_bad", "reorder", "TestReorder20", true},
	{"stack_bad", "stack", "TestStack", false},
	{"sync01_bad", "synchronised", "TestSync01", false},
	{"sync02_bad", "synchronised", "TestSync02", false},
	{"token_ring_bad", "tokenring", "TestTokenRing", false},
	{"twostage_bad", "twostage", "TestTwostage", false},
	{"twostage_100_bad", "twostage", "TestTwostage100", true},
	{"wronglock_3_bad", "wronglock", "TestWronglock3", true},
	{"wronglock_bad", "wronglock", "TestWronglock", true},
}
