package instrument

import (
	"fmt"
	"strings"
)

// emittedColumn is the column in the //line comments of emitted code. The compiler of package compiler knows emitted code
// by it: there is no other mark that each position has, also when its function is inlined or instantiated elsewhere.
const emittedColumn = 900100

// lines is generated text (E8) whose lines say, by //line comments, which line of the user's
// source they stand for, and that they are emitted.
type lines struct {
	text []string
	file string // that the next line would have without a comment
	line int    // the same; 0: unknown
	want struct {
		file string
		line int
	}
}

// at sets the source line of the text that follows.
func (l *lines) at(file string, line int) { l.want.file, l.want.line = file, line }

// put adds one statement. Text that contains line breaks brings its own comments.
func (l *lines) put(text string) int {
	if l.want.line > 0 && (l.line != l.want.line || l.file != l.want.file) {
		l.text = append(l.text, fmt.Sprintf("//line %s:%d:%d", l.want.file, l.want.line, emittedColumn))
		l.file, l.line = l.want.file, l.want.line
	}
	l.text = append(l.text, text)
	if strings.Contains(text, "\n") {
		l.line = 0
	} else if l.line > 0 {
		l.line++
	}
	return len(l.text) - 1
}

// comment is one that says, within a statement, which line of the source the text behind it stands for.
func (l *lines) comment() string {
	return fmt.Sprintf("/*line %s:%d:%d*/", l.want.file, l.want.line, emittedColumn)
}

func (l *lines) putf(format string, args ...any) int { return l.put(fmt.Sprintf(format, args...)) }

func (l *lines) String() string { return strings.Join(l.text, "\n") + "\n" }
