package cli

import (
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/presage-race/presage/internal/report"
)

// The texts of presage help: one file for each command, presage.txt for the command itself, and
// developer.txt for the flags that only presage's own tests and measurements need.
//
//go:embed help
var helpTexts embed.FS

// helpText returns the text of a topic, "" if there is none.
func helpText(topic string) string {
	text, err := helpTexts.ReadFile("help/" + topic + ".txt")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.Replace(string(text), "FORMATS\n", formats(), 1), "\n")
}

// formats are the lines on the formats of a report, which a text has where it says FORMATS.
func formats() (lines string) {
	for _, f := range report.Formats {
		lines += fmt.Sprintf("%17s%-5s %s\n", "", f.Name, f.About)
	}
	return lines
}

// topic is the topic that a command belongs to: its subcommands share one.
func topic(cmd *cobra.Command) string {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	return cmd.Name()
}

// printHelp prints the text of a topic.
func printHelp(env *Env, topic string) error {
	text := helpText(topic)
	if text == "" {
		return usagef("there is no help on %q", topic)
	}
	_, err := fmt.Fprintln(env.Stdout, text)
	return err
}

func newHelp(env *Env) *cobra.Command {
	return &cobra.Command{Use: "help [command]", Short: "Explain presage, or one of its commands",
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return printHelp(env, "presage")
			case args[0] == "analyse":
				args[0] = "analyze"
			}
			return printHelp(env, args[0])
		}}
}
