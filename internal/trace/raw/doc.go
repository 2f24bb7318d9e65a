// Package raw reads and writes the text form of a trace: one event a line, to be
// read by people, written by hand in tests, and read back exactly. It checks the
// syntax and nothing else: a trace that no program could produce is as welcome.
//
// # Lines
//
//	g1 write 0xc000010 val=5 @12     # a.go:7:3
//	g1 lock 0xc000020 read try
//	g1 go g2
//	g2 end
//
// A line is the goroutine, the kind as package format names it, the object if the
// kind has one, and attributes. From a token that begins with # on, it is comment.
// Empty lines are skipped. Numbers are decimal or, with 0x, hexadecimal; a value may be
// negative, which stands for its two's complement.
//
//	val= aux= size=   the operands Val, Aux and Size
//	@12               Site
//	obj=              Obj, for a kind that has none by the table of package format
//	read unexplained zero all try nonblocking reads closed write more novalue opaque panic stack
//	                  the flags; read, unexplained, zero and all share a bit, and so do try,
//	                  nonblocking and reads, panic and stack
//
// What is not said is zero, but for memory accesses, where a missing size is 8 and
// a missing val means FlagNoValue (val=0 says that the value was zero).
//
// # Names
//
// g and a number is the goroutine with that number. Any other goroutine, and any
// object or site that is not a number, is a symbolic name: it gets the next free
// number when it is first seen, and Meta keeps the name. An object's name stands for
// 64 bytes that nothing else uses, and x+8 is 8 bytes into them.
//
//	main go worker
//	main write count val=1 @a
//	worker read count val=1 @b
//
// # States
//
// The object of an observe line is a state, by its name: goroutines, program, files or c (package
// format).
//
//	g1 observe files write opaque
//	g1 observe files read opaque
//
// # Excluded code
//
// A call of code of which nothing is recorded (package excluded) has a line at each end; the lines
// behind the first, of the same goroutine, are what it can reach, D: memory (val= bytes, one word
// if it is not said) or an object at that address, or a goroutine. With all, it reaches everything.
// With reads, missing code reads that memory and does nothing else there; what is also there
// without reads may be written.
//
//	main methodbegin isAlive @11
//	main reach list val=24
//	main reach names val=8 reads
//	main reachgo worker
//	main methodend isAlive
//
// What many calls can reach is listed once, as a set with a number: val= of the reach lines behind
// it are the set, and belong to this D too. Without val= it is one that was listed before.
//
//	main methodbegin isAlive @11
//	main reachset 0x1 val=2
//	main reach list val=24
//	main reach names val=8
//	main methodend isAlive
//	main methodbegin isAlive @12
//	main reachset 0x1
//
// With aux= the lines behind it make it of another set: first those with gone, which that set has
// and it has not.
//
//	main reachset 0x2 val=2 aux=1
//	main reach names val=8 reads gone
//	main reach numbers
//	main methodend isAlive
//
// # Tables
//
// A line that begins with % gives a part of Meta as JSON: the index if the table has one,
// then the entry. Names given here are those that events may use.
//
//	%meta {"source":"presage","goos":"linux"}
//	%file 0 {"name":"a.go"}
//	%func 0 {"name":"main.main","pkg":"main","file":0,"line":3}
//	%site 12 {"func":0,"block":0,"instr":3,"file":0,"line":7,"col":3}
//	%go 1 {"name":"main","parent":0}
//	%object {"addr":824633786400,"name":"mu"}
//	%warning {"code":"chunk-cut","count":1,"text":"…"}
package raw
