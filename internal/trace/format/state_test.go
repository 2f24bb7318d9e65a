package format

import "testing"

// TestStates: each state has a name that reads back, and which of them meet.
func TestStates(t *testing.T) {
	states := []Addr{StateGoroutines, StateProgram, StateFiles, StateC}
	for _, s := range states {
		if name := StateName(s); name == "" || StateOf(name) != s {
			t.Errorf("state %d is %q, which reads back as %d", s, name, StateOf(name))
		}
	}
	if StateName(0) != "" || StateName(StateC+1) != "" || StateOf("") != 0 || StateOf("memory") != 0 {
		t.Error("a state that is none has a name")
	}
	meet := "" // by rows
	for _, a := range states {
		for _, b := range states {
			if StatesMeet(a, b) != StatesMeet(b, a) {
				t.Errorf("%s and %s", StateName(a), StateName(b))
			}
			if StatesMeet(a, b) {
				meet += "x"
			} else {
				meet += "."
			}
		}
		meet += "\n"
	}
	if want := "xx..\nxxxx\n.xxx\n.xxx\n"; meet != want {
		t.Errorf("\n%s, want\n%s", meet, want)
	}
}

// TestObserveRecord: a raw record of an observation has three words, the last of them a stamp.
func TestObserveRecord(t *testing.T) {
	if n, stamp := RawLen(RawHeader(Observe, FlagWrite|FlagOpaque, 0, 0)); n != 3 || stamp != 2 {
		t.Errorf("%d words, stamp %d", n, stamp)
	}
}
