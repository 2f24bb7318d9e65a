package scripts

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Agent is a client of presage mcp, which it starts with the arguments behind the first one. That
// is a file of lines:
//
//	tools                     lists the tools
//	name {arguments}          calls a tool
//	cancel FILE name {…}      calls a tool, and cancels the call once there is a file
//	leave FILE name {…}       likewise, but the client ends instead, as if it were killed; it adds
//	                          the server to the file
//	gone FILE                 says whether the processes that the file lists come to an end
//
// Agent prints the text of each answer, or its error, and then its JSON as one line.
func Agent() {
	log.SetFlags(0)
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	if err := agent(ctx, os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func agent(ctx context.Context, script string, args []string) error {
	cmd := exec.Command("presage", append([]string{"mcp"}, args...)...)
	cmd.Stderr = os.Stderr
	session, err := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, &sdk.CommandTransport{Command: cmd, TerminateDuration: time.Minute}, nil)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		fmt.Print("> ", line)
		if err := step(ctx, session, cmd, strings.TrimSpace(line)); err != nil {
			return err
		}
	}
	return session.Close()
}

// step does what a line says.
func step(ctx context.Context, session *sdk.ClientSession, server *exec.Cmd, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "tools":
		for t, err := range session.Tools(ctx, nil) {
			if err != nil {
				return err
			}
			fmt.Printf("%s read-only=%v\n", t.Name, t.Annotations.ReadOnlyHint)
		}
		return nil
	case "gone":
		return gone(rest)
	case "cancel", "leave":
		file, line, _ := strings.Cut(rest, " ")
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			for ctx.Err() == nil {
				if data, err := os.ReadFile(file); err == nil {
					if word == "leave" {
						os.WriteFile(file, fmt.Append(data, " ", server.Process.Pid), 0o666)
						os.Exit(0)
					}
					cancel()
				}
				time.Sleep(20 * time.Millisecond)
			}
		}()
		return call(ctx, session, line)
	}
	return call(ctx, session, line)
}

// call calls a tool, and prints the answer.
func call(ctx context.Context, session *sdk.ClientSession, line string) error {
	name, arguments, _ := strings.Cut(line, " ")
	res, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	switch {
	case err != nil:
		fmt.Println("no answer:", err)
		return nil
	case res.IsError:
		fmt.Print("error: ")
	}
	for _, c := range res.Content {
		fmt.Println(c.(*sdk.TextContent).Text)
	}
	if res.StructuredContent != nil {
		data, err := json.Marshal(res.StructuredContent)
		fmt.Printf("%s\n", data)
		return err
	}
	return nil
}

// gone says whether processes end within ten seconds. One that nobody has waited for has ended.
func gone(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	pids := strings.Fields(string(data))
	if len(pids) == 0 {
		return fmt.Errorf("%s lists no process", file)
	}
	var left []string
	for begun := time.Now(); time.Since(begun) < 10*time.Second; time.Sleep(20 * time.Millisecond) {
		left = nil
		for _, pid := range pids {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			if err == nil && !strings.Contains(string(stat), ") Z ") {
				left = append(left, pid)
			}
		}
		if left == nil {
			fmt.Println("all gone")
			return nil
		}
	}
	fmt.Println("still there:", left)
	return nil
}
