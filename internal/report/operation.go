package report

import "strings"

// operations give the kind of operation that the text of a step begins with. A longer beginning
// comes before a shorter one. TestOperations compares them with the verbs of steps.
var operations = []struct{ verb, kind string }{
	{"tries and ", ""}, // what is tried comes next
	{"reads", "read"}, {"writes", "write"},
	{"atomically reads", "atomic read"}, {"atomically writes", "atomic write"}, {"atomically updates", "atomic update"},
	{"locks", "lock"}, {"read-locks", "rlock"}, {"unlocks", "unlock"}, {"read-unlocks", "runlock"}, {"finds locked", "try"},
	{"calls Done of", "done"}, {"calls Add of", "add"}, {"returns from Wait of", "wait"},
	{"begins Do of", "once"}, {"ends Do of", "once"}, {"passes Do of", "once"},
	{"waits on", "wait"}, {"wakes up on", "wake"}, {"signals", "signal"}, {"broadcasts", "signal"},
	{"sends on", "send"}, {"receives from", "receive"}, {"finds closed", "receive"}, {"closes", "close"},
	{"takes the default of a select", "select"},
	{"starts ", "go"}, {"starts", "start"}, {"ends the call of", "call"}, {"ends", "end"}, {"joins", "join"},
	{"acquires", "acquire"}, {"releases", "release"},
	{"begins a call of", "call"}, {"calls", "call"}, {"returns from", "call"},
}

// operation is the kind of operation of a step in one or two words; "" for a text that no step of
// this version has.
func operation(text string) string {
	for _, o := range operations {
		rest, ok := strings.CutPrefix(text, o.verb)
		switch {
		case !ok:
		case o.kind == "":
			return operation(rest)
		default:
			return o.kind
		}
	}
	return ""
}
