package quoted

import (
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		list string
		want []string
	}{
		{"", nil},
		{" \t\r\n", nil},
		{"env", []string{"env"}},
		{" env  A=b\tc ", []string{"env", "A=b", "c"}},
		{`env 'A=b c' sh -c 'exec "$0"'`, []string{"env", "A=b c", "sh", "-c", `exec "$0"`}},
		{`"it's" ''`, []string{"it's", ""}},
		{`'a'b c`, []string{"a", "b", "c"}},
		{`a'b c' d\ e`, []string{"a'b", "c'", `d\`, "e"}},
	} {
		got, err := Split(c.list)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v; want %q", c.list, got, err, c.want)
		}
	}
	for _, list := range []string{`'`, `a "b c`, `'a"`} {
		if got, err := Split(list); err == nil {
			t.Errorf("%q: %q", list, got)
		}
	}
}

// TestWord: a list of what Word returns has the words.
func TestWord(t *testing.T) {
	words := []string{"", "a", "a b", "it's", `say "x"`, "tab\t", "-flag=a b"}
	list := ""
	for _, w := range words {
		text, err := Word(w)
		if err != nil {
			t.Fatal(err)
		}
		list += text + " "
	}
	if got, err := Split(list); err != nil || !slices.Equal(got, words) {
		t.Errorf("%s: %q, %v", list, got, err)
	}
	if text, err := Word(`'"`); err == nil {
		t.Error(text)
	}
}
