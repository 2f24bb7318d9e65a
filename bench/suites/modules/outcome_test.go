package modules

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

func TestOutcomes(t *testing.T) {
	const out = "\x16=== RUN   TestA\nsays --- FAIL: TestB (0.00s)\nno newline\x16--- PASS: TestA (0.00s)\n    \x16--- FAIL: TestA/x (0.10s)\nok  \ta/b\t0.1s\n" +
		"?   \ta/none\t[no test files]\n\x16--- SKIP: TestA (0.00s)\n\x16FAIL\n\x16FAIL\ta/c\t0.2s\nFAIL\ta/d [build failed]\nFAIL\n"
	want := map[key]string{
		{"a/b", "TestA"}: "PASS", {"a/b", "TestA/x"}: "FAIL", {"a/b", ""}: "PASS",
		{"a/c", "TestA"}: "SKIP", {"a/c", ""}: "FAIL", {"a/d", ""}: notBuilt,
	}
	if got := outcomes([]byte(out)); !maps.Equal(got, want) {
		t.Errorf("outcomes: %v, want %v", got, want)
	}
}

// Subtests with addresses in their names are paired by their order.
func TestAddresses(t *testing.T) {
	run := func(a, b string) map[key]string {
		return outcomes(fmt.Appendf(nil, "\x16--- PASS: T/x=%s (0.00s)\n\x16--- FAIL: T/x=%s (0.00s)\n"+
			"\x16--- PASS: T/time.Date(2026,_time.%s,_11) (0.00s)\nok  \ta/b\t0.1s\n", a, b, a))
	}
	first, second := run("0xc000012340", "0xc000012380"), run("0xc0000f2340", "0xc0000a2340")
	if len(first) != 4 || !maps.Equal(first, second) {
		t.Errorf("%v and %v", first, second)
	}
	if same := outcomes([]byte("\x16--- PASS: T (0s)\n\x16--- FAIL: T (0s)\nok  \ta/b\t0s\n")); len(same) != 2 {
		t.Errorf("a test that ran twice: %v", same)
	}
}

func TestCompare(t *testing.T) {
	plain := map[key]string{{"a", "T"}: "PASS", {"a", "U"}: "FAIL", {"b", ""}: notBuilt, {"c", "V"}: "PASS"}
	instrumented := map[key]string{{"a", "T"}: "PASS", {"a", "U"}: "PASS", {"b", "X"}: "PASS"}
	got := compare(plain, instrumented)
	want := []difference{{key{"a", "U"}, "FAIL", "PASS"}, {key{"c", "V"}, "PASS", ""}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("compare: %v, want %v", got, want)
	}
}

// A package whose outcome differs is run again as a whole, and is flaky only if outcomes meet.
func TestAgain(t *testing.T) {
	suite := []string{"-short", "./..."}
	if got, want := alone(suite, "a/b", "TestA"), []string{"-short", "-run=^TestA$", "a/b"}; !slices.Equal(got, want) {
		t.Errorf("a test: %q, want %q", got, want)
	}
	if got, want := alone(suite, "a/b", ""), []string{"-short", "a/b"}; !slices.Equal(got, want) {
		t.Errorf("a package: %q, want %q", got, want)
	}
	k := key{"a/b", ""}
	pass, fail := map[key]string{k: "PASS"}, map[key]string{k: "FAIL"}
	d := difference{k, "PASS", "FAIL"}
	if !common(d, []map[key]string{pass, pass}, []map[key]string{fail, pass}) {
		t.Error("a package that passes once when run again is not flaky")
	}
	if common(d, []map[key]string{pass, pass}, []map[key]string{fail, fail}) {
		t.Error("a package that always fails instrumented is flaky")
	}
}

func TestParse(t *testing.T) {
	for name, want := range map[string]int{"modules": 13, "unseen": 20, "std": 33} {
		if all, err := read(name); err != nil || len(all) != want {
			t.Errorf("%s: %d rows, want %d: %v", name, len(all), want, err)
		}
	}
	for _, bad := range []string{"a\n", "\twalk x\n", "a v1\n\twhat x\n", "std\n"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
