package report

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// sarifHandler writes a log of SARIF 2.1.0, for code scanning. A race has a code flow with a thread
// flow for each of its two goroutines: the steps of its witness, in one order of execution.
type sarifHandler struct{ gathered }

// NewSARIF returns a Handler that writes a SARIF log. Names of files are relative to the directory
// of the report. The partial fingerprint is the ID of the finding, which survives edits (RT3).
func NewSARIF(w io.Writer, o TextOptions) Handler { return &sarifHandler{gathered{w: w, o: o}} }

// sarifSteps bounds the steps of a thread flow: code scanning shows no more.
const sarifSteps = 50

// sarifRules are the kinds of findings, with their levels.
var sarifRules = []struct{ id, level, about string }{
	{"race", "error", "Two accesses to one memory location, at least one of them a write, that no synchronisation orders in an execution which the recorded code can have."},
	{"candidate", "note", "Two accesses that a detector of one pass reports, without a witness."},
	{"warning", "warning", "Two accesses that may race in some run, from the source alone."},
}

// Summary writes all of the report.
func (h *sarifHandler) Summary(m *Summary) error {
	tool := sarif.NewToolComponent().WithName("presage").WithVersion(h.config.Version).WithInformationURI("https://github.com/presage-race/presage")
	run := sarif.NewRun().WithTool(sarif.NewTool().WithDriver(tool))
	for _, r := range sarifRules {
		run.AddRule(r.id).WithShortDescription(sarif.NewMultiformatMessageString().WithText(r.about)).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(r.level))
	}
	call := sarif.NewInvocation().WithExecutionSuccessful(m.ExitCode != 1).WithWorkingDirectory(sarif.NewSimpleArtifactLocation(fileURI(h.config.Dir)))
	call.AddToolExecutionNotification(sarif.NewNotification().WithLevel("note").WithMessage(sarif.NewTextMessage(h.outcome(m))))
	for _, w := range h.warnings {
		call.AddToolExecutionNotification(sarif.NewNotification().WithLevel("warning").WithMessage(sarif.NewTextMessage(w.Text)).
			WithDescriptor(sarif.NewReportingDescriptorReference().WithID(w.Code)))
	}
	run.AddInvocation(call)
	for _, f := range h.findings {
		run.AddResult(h.result(f))
	}
	for _, m := range h.suppressed {
		kind := "external"
		if m.By == ByComment {
			kind = "inSource"
		}
		run.AddResult(h.result(m.Race.finding()).AddSuppression(sarif.NewSuppression().WithKind(kind).WithJustification(m.why(h.place))))
	}
	if err := sarif.NewReport().AddRun(run).Write(h.w); err != nil {
		return err
	}
	_, err := io.WriteString(h.w, "\n")
	return err
}

// result is one finding.
func (h *sarifHandler) result(f *finding) *sarif.Result {
	rule := sarifRules[0]
	switch f.Tier {
	case tierCandidate:
		rule = sarifRules[1]
	case tierWarning:
		rule = sarifRules[2]
	}
	r := sarif.NewRuleResult(rule.id).WithLevel(rule.level).WithMessage(sarif.NewTextMessage(h.sentence(f))).
		WithLocations([]*sarif.Location{h.location(f.A.Position, f.A.Kind+" "+f.A.Expr)}).
		AddRelatedLocation(h.location(f.B.Position, "the other access: "+f.B.Kind+" "+f.B.Expr).WithID(1)).
		WithPartialFingerprints(map[string]string{"presage/v1": f.ID})
	if f.Witness != nil {
		r.AddCodeFlow(h.flow(f))
	}
	return r
}

// flow is the witness, by the two goroutines of the accesses.
func (h *sarifHandler) flow(f *finding) *sarif.CodeFlow {
	flow := sarif.NewCodeFlow().WithMessage(sarif.NewTextMessage("a schedule that exposes the race"))
	for _, a := range []*Access{&f.A, &f.B} {
		var steps []*sarif.ThreadFlowLocation
		for i := range f.Witness.Steps {
			s := &f.Witness.Steps[i]
			if s.Goroutine != a.Goroutine.ID || s.File == "" {
				continue
			}
			at := sarif.NewThreadFlowLocation().WithLocation(h.location(s.Position, s.Text)).WithExecutionOrder(i + 1)
			if s.Event == a.Event {
				at.WithImportance("essential")
			}
			steps = append(steps, at)
		}
		if len(steps) == 0 { // the access alone
			steps = []*sarif.ThreadFlowLocation{sarif.NewThreadFlowLocation().WithLocation(h.location(a.Position, a.Kind+" "+a.Expr))}
		}
		steps = steps[max(0, len(steps)-sarifSteps):]
		flow.AddThreadFlow(sarif.NewThreadFlow().WithLocations(steps).WithMessage(sarif.NewTextMessage("goroutine of " + a.Goroutine.Func)))
	}
	return flow
}

// location is a place in the source, with what is there.
func (h *sarifHandler) location(p Position, text string) *sarif.Location {
	at := sarif.NewSimpleArtifactLocation(fileURI(p.File))
	if name, ok := h.relative(p.File); ok {
		at = sarif.NewSimpleArtifactLocation((&url.URL{Path: name}).String()).WithURIBaseID("%SRCROOT%")
	}
	place := sarif.NewPhysicalLocation().WithArtifactLocation(at)
	if p.Line > 0 {
		region := sarif.NewRegion().WithStartLine(p.Line)
		if p.Col > 0 {
			region.WithStartColumn(p.Col)
		}
		place.WithRegion(region)
	}
	return sarif.NewLocationWithPhysicalLocation(place).WithMessage(sarif.NewTextMessage(text))
}

// fileURI is the URI of a file with an absolute name; of another file, its name. On Windows the
// path begins with the volume (RFC 8089, appendix E.2).
func fileURI(name string) string {
	abs := filepath.IsAbs(name)
	name = filepath.ToSlash(name)
	if !abs {
		return (&url.URL{Path: name}).String()
	}
	if !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}
