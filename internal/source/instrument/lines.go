package instrument

import (
	"fmt"
	"strings"
)

// emittedColumn is the column in the //line comments of emitted code. The compiler of package
// compiler recognises emitted code by it. No other mark is part of every position, even if the
// function is inlined or instantiated elsewhere.
const emittedColumn = 900100

// lines is generated text (IN2). Its //line comments give the source line of each line, and mark it
// as emitted.
//
// The compiler keeps a base for each comment, and some of its passes visit all bases of a function
// for each block. So there are few of them: statements of one source line are on one line, and line
// breaks lead to a line that follows closely.
type lines struct {
	text  []string
	marks map[int]mark // by statement
	want  mark
}

// A mark is a line of the user's source; of line 0: unknown.
type mark struct {
	file string
	line int
}

// maxBreaks is the number of line breaks up to which they replace a //line comment.
const maxBreaks = 16

// at sets the source line of the text that follows.
func (l *lines) at(file string, line int) { l.want = mark{file, line} }

// put adds one statement. Text that contains line breaks brings its own comments.
func (l *lines) put(text string) int {
	if l.want.line > 0 {
		if l.marks == nil {
			l.marks = map[int]mark{}
		}
		l.marks[len(l.text)] = l.want
	}
	l.text = append(l.text, text)
	return len(l.text) - 1
}

// comment returns a comment that gives, within a statement, the source line of the text after it.
func (l *lines) comment() string {
	return lineComment(l.want.file, l.want.line, emittedColumn)
}

func (l *lines) putf(format string, args ...any) int { return l.put(fmt.Sprintf(format, args...)) }

func (l *lines) String() string {
	var b strings.Builder
	var now mark // of the line that is being written
	last := ""
	for i, text := range l.text {
		if text == "" {
			continue
		}
		want := l.marks[i]
		step := want.line - now.line
		switch {
		case want.line > 0 && want == now && joins(last, text):
			b.WriteString(separator(last))
		case want.line > 0 && want.file == now.file && 0 < step && step <= maxBreaks:
			b.WriteString(strings.Repeat("\n", step))
		default:
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			if want.line > 0 {
				if want.file == "" {
					b.WriteString("//line :1\n")
				}
				fmt.Fprintf(&b, "//line %s:%d:%d\n", want.file, want.line, emittedColumn)
			}
		}
		b.WriteString(text)
		now, last = want, text
		if strings.Contains(text, "\n") || strings.Contains(text, "/*line ") {
			now = mark{} // of its own comments
		}
	}
	return b.String() + "\n"
}

// joins reports whether two statements may be on one line: neither may have a comment to the end of
// the line.
func joins(last, text string) bool {
	return !strings.Contains(last, "//") && !strings.Contains(text, "//")
}

// separator returns the text between two statements on one line.
func separator(last string) string {
	if strings.HasSuffix(last, "{") || strings.HasSuffix(last, ":") {
		return " "
	}
	return "; "
}
