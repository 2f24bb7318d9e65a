package report

import "slices"

// Content is what the memory of a race holds. It decides what the race can do to the program.
type Content string

// The contents, from that with the worst effect to the mildest.
const (
	ContentMap       Content = "map"       // the entries of a map
	ContentInterface Content = "interface" // a type and a pointer
	ContentSlice     Content = "slice"     // a pointer, a length and a capacity
	ContentString    Content = "string"    // a pointer and a length
	ContentStruct    Content = "struct"    // a struct or array, copied part by part
	ContentPointer   Content = "pointer"   // also a map, channel or function as a value
	ContentCounter   Content = "counter"   // a number that is read, changed and written back
	ContentFlag      Content = "flag"      // a bool
	ContentNumber    Content = "number"
)

var contents = []Content{ContentMap, ContentInterface, ContentSlice, ContentString, ContentStruct, ContentPointer, ContentCounter, ContentFlag, ContentNumber, ""}

// rank orders contents by their effects. Unknown ones, of a later version too, come last.
func (c Content) rank() int {
	if i := slices.Index(contents, c); i >= 0 {
		return i
	}
	return len(contents)
}

// effect says in a sentence what a race on the memory can do; "" where there is nothing to add.
func (c Content) effect() string {
	switch c {
	case ContentMap:
		return "The race can end the program: a map that two goroutines use at once, one of them to write, is a fatal error."
	case ContentInterface:
		return "The race can crash the program: a reader can see the type of one value with the data of another."
	case ContentSlice:
		return "The race can crash the program: a reader can see the array of one slice with the length of another."
	case ContentString:
		return "The race can crash the program: a reader can see the bytes of one string with the length of another."
	case ContentStruct:
		return "A reader can see some fields from before the write and some from after it."
	case ContentPointer:
		return "A reader can see the new pointer before what it points to is written."
	case ContentCounter:
		return "Updates can be lost: both goroutines can read one value and write back one result."
	}
	return ""
}

// holds returns what the memory of a spec holds. A write says more than a read. Memory is a counter
// to a race that can lose an update: one access is of an update, the other is so too, or a write.
func (l *Locator) holds(s *Spec) Content {
	if l.types.Content == nil {
		return ""
	}
	var found Content
	counts := 0
	for _, i := range []int64{s.A, s.B} {
		p := l.seen[i]
		c := l.types.Content(p.event.Site)
		if c == ContentCounter || p.event.WriteLike() {
			counts++
		}
		if c != "" && (found == "" || p.event.WriteLike() && c.rank() < found.rank()) {
			found = c
		}
	}
	if found == ContentCounter && counts < 2 {
		return ContentNumber
	}
	return found
}
