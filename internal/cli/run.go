package cli

import "github.com/spf13/cobra"

func newRun(env *Env) *cobra.Command {
	return &cobra.Command{Use: "run [build flags] package [-- arguments]", Short: "Record a program's run and predict its races", DisableFlagParsing: true, ValidArgsFunction: completeGo,
		RunE: func(cmd *cobra.Command, args []string) error { return runGo(cmd.Context(), env, args, false) }}
}
