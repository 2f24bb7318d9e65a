package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

func newVersion(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of presage", Args: exactArgs(0),
		RunE: func(*cobra.Command, []string) error {
			visible.Fprintf(env.Stdout, "%s\n", versionLine())
			return nil
		},
	}
}

// versionLine is what presage version and presage --version print.
func versionLine() string {
	return fmt.Sprintf("presage %s, report protocol %s, built with %s for %s/%s",
		version(), report.ProtocolVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is that of the module, or the revision it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
