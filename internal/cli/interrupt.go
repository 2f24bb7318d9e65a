package cli

import (
	"context"
	"errors"

	"github.com/spf13/pflag"
)

// An interrupt ends the analysis early, and costs nothing but its time.
//
//	(I1) The report has what was found until then, also in traces that were searched side by side.
//	     A trace that was searched to its end counts as searched.
//	(I2) What was recorded is counted whole, as far as traces say how long they are.
//	(I3) The traces stay, and so does a run in the cache. A warning has the command that analyses
//	     them. It begins anew: its report is that of an analysis that was not interrupted.
//	(I4) The second interrupt ends the process.

// givenFlags are the flags that a command line has.
func givenFlags(flags *pflag.FlagSet) (given []string) {
	flags.Visit(func(f *pflag.Flag) {
		flag := "-" + f.Name
		if f.Value.Type() != "bool" {
			flag += "=" + f.Value.String()
		} else if f.Value.String() != "true" {
			return
		}
		given = append(given, flag)
	})
	return given
}

// canceled reports that an error is no more than the interrupt.
func canceled(err error) bool { return errors.Is(err, context.Canceled) }
