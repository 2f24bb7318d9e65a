package cli

import (
	"context"
	"errors"

	"github.com/spf13/pflag"
)

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
