// Package mcp is a server of the Model Context Protocol that offers the races of kept runs to a
// coding agent, as tools: list_runs, list_races, explain_race, explain_pair, step_race,
// replay_race. The command line implements Kept, with the functions that its own commands call.
// Only replay_race runs the program under test.
//
// # Answers
//
// An answer is text for the model and, as structured content, the same as JSON. Both are bounded:
// lists come in pages, and an answer says what it leaves out. The same report gives the same
// answer.
//
// Names, source lines and outputs are text of the program under test. They come without active
// characters (package visible), also in JSON. The instructions of the server say that they are
// data.
//
// # Errors
//
// What goes wrong with a call is the result of its tool, with a sentence that says what to do. A
// line of the input that is no message gets an error of JSON-RPC, and the session goes on. A panic
// of a tool is an error of its call.
//
// # Streams
//
// Only messages of the protocol are written to the output. The end of the input, or of the context,
// ends the calls that run, with the processes that they have started.
package mcp
