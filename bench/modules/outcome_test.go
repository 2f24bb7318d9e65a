package main

import (
	"maps"
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

func TestCompare(t *testing.T) {
	plain := map[key]string{{"a", "T"}: "PASS", {"a", "U"}: "FAIL", {"b", ""}: notBuilt, {"c", "V"}: "PASS"}
	instrumented := map[key]string{{"a", "T"}: "PASS", {"a", "U"}: "PASS", {"b", "X"}: "PASS"}
	got := compare(plain, instrumented)
	want := []difference{{key{"a", "U"}, "FAIL", "PASS"}, {key{"c", "V"}, "PASS", ""}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("compare: %v, want %v", got, want)
	}
}

func TestParse(t *testing.T) {
	all, err := parse(list)
	if err != nil || len(all) != 13 {
		t.Errorf("%d modules, want the row's 13: %v", len(all), err)
	}
	for _, bad := range []string{"a\n", "\twalk x\n", "a v1\n\twhat x\n"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
