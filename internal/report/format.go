package report

import "io"

// A Format is a form that a report is printed in.
type Format struct {
	Name  string
	About string // a few words for presage help report
	New   func(w io.Writer, o TextOptions) Handler
}

// Formats are all forms. An archive of testdata may have a file with the name of each.
var Formats = []Format{
	{"text", "for people; without -format", NewText},
	{"json", "one object a line (docs/using/report.md)", func(w io.Writer, _ TextOptions) Handler { return NewJSON(w) }},
	{"csv", "one row for a race, a warning or the summary, for spreadsheets", NewCSV},
}
