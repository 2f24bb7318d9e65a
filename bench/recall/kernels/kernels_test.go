package kernels

import "testing"

// TestRead: the words of presage explore are read, and a test without a line is an error.
func TestRead(t *testing.T) {
	const race = `{"race":{"id":"1"}}` + "\n" + `{"summary":{"races":1}}` + "\n"
	for _, x := range []struct {
		stdout, stderr string
		want           explored
	}{
		{"TestA: no race in any schedule of this test (6 runs, 3 classes)\n", "", explored{none: true, runs: 6}},
		{race, "TestA: 1 race (1 run, 1 class)\n", explored{race: true, runs: 1}},
		{"", "TestB: 1 race (2 runs)\nTestA: no race found (12 runs, stopped)\n", explored{runs: 12}},
	} {
		var e explored
		if err := e.read([]byte(x.stdout), []byte(x.stderr), "TestA"); err != nil || e != x.want {
			t.Errorf("%q and %q: %+v, %v; want %+v", x.stdout, x.stderr, e, err, x.want)
		}
	}
	if (&explored{}).read([]byte("FAIL\n"), nil, "TestA") == nil {
		t.Error("a test without a line is read")
	}
}
