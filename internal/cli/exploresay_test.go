package cli

import (
	"strings"
	"testing"
)

// TestFailure: what is shown of a deadlock are the goroutines that wait in code that is not of the
// standard library; of another failure, what begins with it.
func TestFailure(t *testing.T) {
	const deadlock = `=== RUN   TestA
fatal error: all goroutines are asleep - deadlock!

goroutine 1 [chan receive]:
testing.(*T).Run(0xc0000a8008, {0x625332, 0x10}, 0x630768)
	/usr/local/go/src/testing/testing.go:2109 +0xb5e
main.main()
	_testmain.go:48 +0x9b

goroutine 7 [sync.Mutex.Lock]:
internal/sync.runtime_SemacquireMutex(0x4a324f?, 0xa0?, 0xc0000162a0?)
	/usr/local/go/src/runtime/sema.go:95 +0x25
sync.(*Mutex).Lock(...)
	/usr/local/go/src/sync/mutex.go:46
example.com/a.(*T).wait(0xc0000a8008)
	/home/u/src/a/a_test.go:12 +0x1
example.com/a.TestA(0xc0000a8008)
	/home/u/src/a/a_test.go:20 +0x1
created by testing.(*T).Run in goroutine 1
	/usr/local/go/src/testing/testing.go:2101 +0xb2b
`
	want := "fatal error: all goroutines are asleep - deadlock!\ngoroutine 7 [sync.Mutex.Lock]:\nexample.com/a.(*T).wait(0xc0000a8008)\n\t/home/u/src/a/a_test.go:12 +0x1"
	if got := failure(deadlock); got != want {
		t.Errorf("%s", got)
	}
	for output, want := range map[string]string{
		"a\npanic: b\nc\n":        "panic: b\nc",
		"--- FAIL: TestA\nFAIL\n": "--- FAIL: TestA\nFAIL",
		"fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [select]:\n": "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [select]:",
	} {
		if got := strings.TrimSpace(failure(output)); got != want {
			t.Errorf("%q: %q", output, got)
		}
	}
}
