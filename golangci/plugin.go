package golangci

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/presage-race/presage/internal/static/tier"
)

// name is the name of the linter, and of the analyzer that reports. If the two differed,
// golangci-lint would write the analyzer's name before each issue.
const name = "presage"

func init() { register.Plugin(name, New) }

// settings are those of linters.settings.custom.presage.settings in .golangci.yml.
type settings struct {
	Tier   string   `json:"tier"`       // likely, possible, unlikely or all; "" is likely
	Tests  *bool    `json:"tests"`      // with the packages' tests; nil is true
	Ignore []string `json:"ignore"`     // regular expressions of files, functions and memory
	Both   bool     `json:"both-sides"` // each warning is an issue at both of its accesses
}

// linter is the plugin, with what its settings say.
type linter struct {
	tier   tier.Tier
	tests  bool
	ignore []*regexp.Regexp
	both   bool

	mu      sync.Mutex // guards modules
	modules map[string]*module
}

// New makes the linter of settings. golangci-lint calls it when it reads its configuration.
func New(conf any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[settings](conf)
	if err != nil {
		return nil, err
	}
	l := &linter{tier: tier.Likely, tests: s.Tests == nil || *s.Tests, both: s.Both, modules: map[string]*module{}}
	switch {
	case s.Tier == "all":
		l.tier = tier.Unlikely
	case slices.Contains([]tier.Tier{tier.Likely, tier.Possible, tier.Unlikely}, tier.Tier(s.Tier)):
		l.tier = tier.Tier(s.Tier)
	case s.Tier != "":
		return nil, fmt.Errorf("setting tier: %q is none of likely, possible, unlikely, all", s.Tier)
	}
	for _, text := range s.Ignore {
		re, err := regexp.Compile(text)
		switch {
		case err != nil:
			return nil, fmt.Errorf("setting ignore: %w", err)
		case re.MatchString(""):
			return nil, fmt.Errorf("setting ignore: %q matches everything", text)
		}
		l.ignore = append(l.ignore, re)
	}
	return l, nil
}

// BuildAnalyzers returns the analyzer that reports, and the one that is part of golangci-lint's key
// (package doc).
func (l *linter) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{
		{
			Name: name,
			Doc:  "warn of accesses that may race in some run, from the source alone",
			Run:  l.run,
			// functions without errors are analysed
			RunDespiteErrors: true,
		},
		{
			Name: name + "_" + state(),
			Doc:  "report nothing: the name has a digest of the sources of the module",
			Run:  func(*analysis.Pass) (any, error) { return nil, nil },
			// nor does it fail
			RunDespiteErrors: true,
		},
	}, nil
}

// GetLoadMode says what golangci-lint loads. Only the path of the package needs types, and
// golangci-lint has them anyway, for its linter typecheck, which cannot be disabled.
func (l *linter) GetLoadMode() string { return register.LoadModeTypesInfo }
