package cli

import "github.com/spf13/cobra"

func newTest(env *Env) *cobra.Command {
	return &cobra.Command{Use: "test [go test flags] [packages]", Short: "Record the tests' run and predict its races", DisableFlagParsing: true, ValidArgsFunction: completeGo,
		RunE: func(cmd *cobra.Command, args []string) error { return runGo(cmd.Context(), env, args, true) }}
}
