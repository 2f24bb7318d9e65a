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
	{"text", "for people: a few lines for each finding; without -format", NewText},
	{"details", "for people: all of each race, with stacks and a schedule; with -v", NewDetails},
	{"coverage", "for people: what was not recorded or not searched, and what to do", NewCoverage},
	{"json", "one object a line (docs/using/report.md)", func(w io.Writer, _ TextOptions) Handler { return NewJSON(w) }},
	{"csv", "one row for a race, a warning or the summary, for spreadsheets", NewCSV},
	{"sarif", "SARIF 2.1.0, for code scanning", NewSARIF},
	{"junit", "JUnit's XML, for CI servers", NewJUnit},
	{"github", "annotations of the source in GitHub Actions", NewGitHub},
	{"markdown", "a table and all of each finding, for a pull request or the summary of a job", NewMarkdown},
	{"gotrace", "the schedules as an execution trace: go tool trace FILE shows them", NewGoTrace},
	{"html", "a page with a picture of each race, for a browser", NewHTML},
}
