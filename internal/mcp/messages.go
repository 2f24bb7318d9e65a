package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxMessage bounds a message, in bytes.
const maxMessage = 1 << 20

// messages returns the lines of in that are messages. All others get an error of JSON-RPC on out:
// the server would end the session. The result ends with in or with ctx.
func messages(ctx context.Context, in io.Reader, out io.Writer) io.ReadCloser {
	r, w := io.Pipe()
	stop := context.AfterFunc(ctx, func() { w.Close() })
	go func() {
		defer stop()
		defer w.Close()
		for lines := bufio.NewReader(in); ; {
			line, long, err := readLine(lines)
			switch message := bytes.TrimSpace(line); {
			case long:
				err = refuse(out, message, jsonrpc.CodeInvalidRequest, "the message is longer than 1 MB")
			case len(message) == 0:
			case !json.Valid(message):
				err = refuse(out, message, jsonrpc.CodeParseError, "the line is not JSON: each message is one line")
			case message[0] == '[':
				err = refuse(out, message, jsonrpc.CodeInvalidRequest, "batches of messages are not supported: send each message as a line of its own")
			default:
				if _, wrong := jsonrpc.DecodeMessage(message); wrong != nil {
					err = refuse(out, message, jsonrpc.CodeInvalidRequest, "the line is no message of JSON-RPC 2.0: "+wrong.Error())
				} else if _, closed := w.Write(append(message, '\n')); closed != nil {
					err = closed
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return r
}

// readLine returns the next line. Of a line that is too long, it returns the beginning.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if keep := maxMessage - len(line); len(part) > keep {
			part, long = part[:keep], true
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, long, err
		}
	}
}

// refuse answers a line that is no message.
func refuse(out io.Writer, line []byte, code int64, text string) error {
	var of struct {
		ID json.RawMessage `json:"id"`
	}
	var id any
	if json.Unmarshal(line, &of) == nil && json.Unmarshal(of.ID, &id) == nil {
		switch id.(type) {
		case string, float64:
		default:
			of.ID = nil
		}
	}
	if id == nil || of.ID == nil {
		of.ID = json.RawMessage("null")
	}
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": of.ID, "error": map[string]any{"code": code, "message": text}})
	if err == nil {
		_, err = out.Write(append(data, '\n'))
	}
	return err
}

// locked writes whole messages, one after the other.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes a message.
func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// Close does nothing: the output may have another writer afterwards.
func (l *locked) Close() error { return nil }
