// Package footprint says which memory a call of code that was not instrumented may
// touch, and whether two such calls, or a call and a traced access, may meet.
//
// It is the set D of RDIT's BarrierPairs (Rajagopalan, thesis ch. 4, §4.3) with types in place of
// addresses, and with what the traced program shows of the other side: code outside can have a pointer
// only if some traced instruction made its value one that leaves (E1, E2). An opaque call
// gets what its arguments hold. Through an argument of type *T it can reach a T, the values
// inside a T, and what they point to; so the types reachable from the argument
// types over-approximate the memory, whatever the addresses are.
//
// # What code outside can have
//
//	(E1) Memory of a traced type only if a value that leads there is converted to an interface or unsafe.Pointer, is an
//	     argument of a call outside, or its type is a type argument. Other packages do not know of traced types: their variables,
//	     parameters and results have them inside interfaces and type parameters only. (Where packages that are not instrumented may import
//	     traced ones, as with -instrument, neither (E1) nor (E2) excludes anything.)
//	(E2) A variable, or a field as such, only if its address is a value: more than the address of a load or
//	     store, the start of a path to a part, or a captured variable of a closure that does no more with it.
//	     A field can also be had through the struct.
//	     Everything else is *hidden*: only Anything meets it, the footprint of traced packages' functions that stay as written.
//
// # Rules
//
//	(F1) Of a call: the types reachable from its arguments, receiver included.
//	(F2) Of an access: the type of the value accessed, and the struct or array
//	     type that it is a part of. Through a pointer of unknown origin it may be a
//	     part of anything that has a part of its type. Types that (E1) excludes are dropped, and the type of the value if (E2) does.
//	(F3) An interface holds what its dynamic type holds where the SSA shows it
//	     (MakeInterface); otherwise all that is shared (E1). Where a function of the standard library wants an interface
//	     with methods, it calls these: of a traced type they are traced, of another they touch what is foreign (F8).
//	(F4) A function value reaches nothing: its captured variables are accessed by
//	     its own code, which is traced or has a footprint of its own (F7, F16).
//	(F5) Strings are immutable and reach nothing.
//	(F6) table.txt narrows the effect of functions of the standard library: none, read
//	     (what the arguments reach is only read), args (read and written), recv (the receiver only), direct (what the
//	     arguments point to). Any other
//	     function also has hidden state: that of its package in the standard library,
//	     one common state in other modules; what it keeps there leads to what is foreign. So have all functions of package regexp, if a traced
//	     function changes a Regexp (Longest), and testing.Short and Verbose, if one sets flags.
//	(F7) A call of which the callee is not known is a call of any function: of any that traced code took as a value of that
//	     signature, if no value of the signature comes from outside; of traced ones only, if the interface has a method
//	     with a traced type in its signature. In the run it may turn out to be a traced function (package window).
//	(F8) An interface inside a value of a type of a package that is not instrumented: what such a package keeps it stores,
//	     returns, or calls methods of. Methods of traced types are traced, those of others touch memory that can be written
//	     without traced types: that is *foreign*. An empty interface or unsafe pointer there reaches nothing, except in arguments of
//	     functions that look into them by reflection (fmt, encoding, templates, slog, sql: the list is in table.go).
//	(F9) A function of another module may look by reflection into what any of them was ever given in an interface.
//	(F10) Where a call is not static, a *wrapper* that the compiler has made may stand before the method: of a value that is reached through a pointer,
//	     or promoted from an embedded pointer or interface; so may one of a method expression or a method value of an interface. It
//	     loads the receiver without a record. What it may load (Loads), it only reads: the types that values lead to (E1; an argument of a method
//	     expression does so too) have such methods, and a call of a method's name, or of a function value that can be one of these, has what all
//	     of that name or signature load. So has the entry of a method of that name by a caller that has no record.
//	(F11) A function of the standard library that is given a function value which may be of code that is left out, or what it calls methods of, may run such
//	     code, which writes to what is foreign; to everything where (E1) does not hold. What a sync.Once runs is a call of its own (package instrument).
//	     So does one that is given an error or a context, or is a method of one, if a type that is left out is such and its methods write, call what is not known, or read what some code writes to.
//	(F12) What a function synchronises with inside is its own affair if it has no hidden state (F6), is inward by table.txt, and is given nothing that may synchronise
//	     for the caller: it does not make others wait for what they do, and neither what it returns nor what it leaves in memory depends on who came first. What it prints is
//	     the environment's.
//	(F13) A call through an interface of a method without parameters that the run finds to be Helper or Name of a testing.T or B touches nothing, as if it were called by name (FlagSilent).
//	(F14) What table.txt and (F8) take as constant may be changed by traced code all the same. Functions of the table also read the variables of the standard library that
//	     traced code assigns to, or has the addresses of, and what it changes of that to which these lead, by the variable's name (time.Local = l, unicode.Categories[k] = v), but for those of packages that the function's own does not import; and what it has changed
//	     of types that are constant (*re = *other), unless nobody else can have the variable yet. Those that are given an error or a context.Context, or are a method of one, read besides what traced code changes of the types that such a value
//	     may be of, of code outside, and of what they lead to; and all that these lead to, if it is given, as what it is, to code outside that may write.
//	(F15) Some functions see how many goroutines there are, or what each of them does (lines number and stacks of table.txt): a call keeps its order with what changes that (L1 and L2 of package window).
//	(F16) A call of a function value (F7) that code outside has made touches, besides, what the function that returned it was given, or the receiver of the method value leads to, with what function
//	     values among that touch; by signature. Code outside that is given a function value, or comes to one by what it is given, may call it: if it may be of code outside, the call is one of that as
//	     well. In a field of a type of code outside it is one that traced code has given to such code. Where the SSA shows a function of the standard library without hidden state, it does what table.txt says
//	     of it, to its receiver. The end of a test calls what any test gave to Cleanup.
//	(G1) Types that are identical have one name: aliases, any, byte and the names of parameters are resolved.
//	(G2) A type parameter stands for the type arguments that traced packages name for its function, type or alias: list by list, those in other generic
//	     code with what its type parameters stand for. No other package knows of a traced generic type or function.
//	(G3) Names and signatures with a type parameter are replaced by those of all that it stands for, in accesses, calls, what is shared, and loads. So an access
//	     in a method of box[T] is one of box[int]. What a value of the type of a type parameter leads to is all that is shared, as for an interface (F3).
//	(G4) An access or call that would have more than 256 names from type parameters touches all that is shared; so does generic code where packages that are not
//	     instrumented may import traced ones.
//	(M1) Two calls meet if they share hidden state, or if their types meet and not
//	     both only read.
//	(M2) A call and an access meet if their types meet and one of them writes. Loads meet what writes.
//
// # Masks
//
// A call of a missing method (package barrier) has a D of addresses, which the recorder finds by following all that the call is given. What the method's code
// can touch of that is its Mask, where the code can be read:
//
//	(D1) D is what is reached, of which the mask has something. Types are those of the run, so a mask and the memory it is held against speak of the same: Go gives
//	     memory one type, but for (D8). What is reached without a type (behind unsafe pointers, in closures) is touched as a whole.
//	(D2) A field is touched if its address is taken, for more than a call whose accesses are recorded; of a struct or an array in a field, what other lines have. An element of an array, of
//	     which the number is a constant, by its number. Of a field whose address some code of the program has as a value, with what leads to it in the structs around it:
//	     whatever touches its type or kind. Such an address may come while the code runs, from a callback, by a channel, or because another stores it; then the recorder comes to the struct alone.
//	(D3) A load or store of a whole struct touches it as a whole; of anything else, all variables and elements of its kind that are no fields.
//	(D4) append, copy, clear and conversions of slices, also to arrays, touch elements of the kind; operations of maps touch maps. What an interface holds, a string, a function's code never change.
//	(D5) A function of the standard library touches what its arguments lead to by types, F3 and F6; if that is more than what types name, the mask is everything. It may call what it is
//	     given, or finds: function values, and methods of the types that code makes interfaces of, or that reflection comes to. So may sync.Once, sync.WaitGroup and sync.Pool;
//	     and package errors the methods Is, As and Unwrap. Reflection has addresses: methods of pointers to the types that it comes to are called too. Of an error or a context that it comes to, a function may
//	     call the methods (Error, Timeout, Unwrap, String; Done, Err, Value) of any type that is left out and is one, if some of those vary (F11); reflection also touches what these lead to.
//	     A package that keeps what others give it (flag, log, log/slog, image, expvar; all but such as keep files and the like) may come to anything: D is everything, not only what is reached.
//	(D6) Code that the function calls by name or takes as a value, and that is not traced, is part of it. What is traced records itself. A function value or interface that the recorder
//	     comes to, or traced code, may be called: if the recorder finds one whose code is not traced (by where the code is, and wrappers are nobody's but a method value of a declared method of traced code; by the type, if that has all methods of the interface; those of a sync.Mutex or RWMutex hooks record, also of one that is embedded, if no pointer is on the way; what an embedded interface holds is asked by its own type), the mask is everything.
//	     An embedded field that may have such an interface in it, or lead to one, is read by such code, for wrappers load it, and followed. One
//	     that is made in the call, by other code than traced: everything, unless its type says that it is none of what is called (that of a type parameter of which only methods are known does if no method of its values is called, for the recorder has looked into them by their own types; that of an interface does if the code has no type assertion: then no other methods are called than it has). Where others may have stored one since the call began (code that is called back, or synchronises), it may be
//	     any of the code that is left out, of that signature or of a method of that name. A function that a call is given by name is part of it. A function value that it gives to traced code is called by that.
//	     A call of a method of a value whose type is a type parameter: everything, for the recorder asks nothing of the methods of what is no interface. One of an interface whose methods the table has (error, context.Context) may be that of any type that is left out.
//	(D7) Memory that the function makes is in no D: nobody had it before. (What becomes of it is B12 of package barrier.) So it is until others may have changed it: it has been stored, captured or given to a call,
//	     and since then the function has called something or waited. From there on it is memory as any other. What has gone through a channel or an atomic operation no walk may find: if traced code may have been called since, the mask is everything.
//	     A field of the type of a type parameter that is loaded or stored is touched with all that it has.
//	(D8) unsafe, conversions of pointers between structs, of type parameters, other memory of their types, code that is not written in Go or not known: everything.
//	(D9) What code gets while it runs joins D then (presage_late.go of the recorder): what traced code that it has called returns, panics with, or has stored where the code can reach it, what it is sent, what
//	     others have stored when it has waited for them. The mask is the same.
//	(D10) What the code only reads is told apart: fields whose address it uses for loads alone; kinds, elements and structs that it loads; what is ranged over, looked up, appended, copied
//	     from, made a string of, or measured; what functions of the standard library with effect read lead to. The rest may be written: what is stored to, appended to (there may be room), copied to, cleared,
//	     deleted from, or given to other functions of the standard library; slices that become arrays; fields whose address is handed on, kept, captured, compared. A line is written if anything writes there. A store
//	     through a pointer is one to all variables and elements of its kind, and to the fields of that kind that (D2) adds. A field that is a struct or an array is a way to its parts.
//	(D11) Code may go no further than some levels of memory from what it is given: what that points to is of the first, what this points to of the second. The distance of a pointer is 0 if it is given, a
//	     variable's address, or returned by traced code; one more than that of the pointer by which it is loaded; that of what the code itself stores of its type, if this is more. Loops and recursion that follow
//	     pointers, calls of which the callee is not known, go statements, recover, and functions of the standard library that are given pointers: any level. So if others may store meanwhile
//	     what the code finds (it calls traced code, or waits), and it goes further than the first level. The recorder's walk goes as far.
//	     A key or an element of a map that is too large to stand in it is no level of its own.
//	(D12) Of a call through an interface of which only the run tells that it goes to code that is left out, the mask is that of all such code that may be called: methods of the name, and what they call in
//	     the same way, with what wrappers load on the way: embedded pointers, copies of receivers. An interface that the recorder comes to may hold a type that is declared there; the methods are looked at. Of a call of a
//	     function value it is everything: what that has captured has no types.
//
//	(D13) A captured variable that nobody assigns to after it was captured is a value, and its loads touch no memory (R13 of package plan; of traced code, of which that is known).
//	(D14) What a sync.Pool keeps code has by the pool's methods alone: if it calls none, D has nothing of that.
//	(D15) What an atomic.Pointer[T] points to is a T, for only by unsafe is it anything else (D8), so it is followed as any pointer is; but of packages internal/sync and unique, whose tries have nodes of two types behind one.
//	     What code loads by an atomic operation joins D as an object of which the type is not known (D9).
//	(D16) What a field of a struct leads to is reached if the mask has the field, or the code loads it from memory that it has made, which is in no D (D7), or from a captured variable that is a value (D13): the mask names such a field as a
//	     way. So it is for structs that traced packages declare, and such that are left out; all other places are followed.
//
// That what the code writes is in D as written follows from the other rules: leave out its loads, and what is left of its mask is that of code that only stores. A word that the recorder comes to in two ways,
// as a field and by a pointer, say, has what both lines say of it, and is written if one does.
//
// That (D11) leaves nothing out: each pointer that the code has was, when the call began, as many loads away from what it was given as its distance says, or fewer, or is of memory that it has made. By
// induction over what it does: a word that nobody has written since holds a pointer that is one load further than the one to the word; of what the code has written, the distance of what it stored is known. If others
// write meanwhile, the code has called them, or waited for them; or they race with it, which (presage_late.go) says of all walks.
//
// That (D16) leaves nothing out: to have what a field leads to, the code loads the field. If the memory is shared, D has it already, as read (D2, D3), so the mask has the field or the struct; if the code has made it, it is a way.
// What a callback or an operation of synchronisation has loaded for it, it is told (D9). Code of the standard library that is given a pointer has lines for what that leads to (D5), but for what
// synchronises, and what has no effect: therefore the fields of its own structs are followed, and so are channels and unsafe pointers. Of a copy (in an interface, a map, a channel) nobody loads fields by their addresses: all are followed.
//
// Synchronisation has no part in it: hooks of the runtime record it, and the memory of its objects is touched by nothing else.
//
// # Whose synchronisation
//
// What code that is left out does with locks and channels is recorded by the runtime's hooks, which do not tell whose code it was. It is the code's own, and D has all that it touches (FlagOwn, B13 of package barrier), if of all the
// code that the mask is of
//
//	(W1) what it calls of the standard library has no hidden state (F6), and is given nothing that leads to functions, interfaces or channels. (time and runtime, with numbers and times alone.)
//	(W2) what it calls back, traced code or function values that the recorder finds to be such, is given no pointers and returns none. It names no functions but such code and its own.
//	(W3) no pointers go through channels and atomics; of package sync it uses Mutex, RWMutex, WaitGroup and Once alone; it does not ask for the length of a channel, which nobody records.
//	(W4) a go statement is in the function that is called itself; afterwards that touches nothing that it has made, but to synchronise, and calls nothing but that.
//	(W5) the mask is not everything (D8).
//	(W6) D is all whatever others do (FlagFixed) if it loads no pointers but from variables of its own, and stores none: then all addresses are what it was given, or of what nobody else has.
//	     Else it is as long as others leave alone what D holds.
//
// # Soundness
//
// An opaque call behaves as recorded if what it reads is as recorded; it reads only what it can have a pointer to. Its
// arguments are pinned, traced memory it can reach by (F1) to (F9) keeps its order, its synchronisation keeps its order with
// everything on the same object (but F12), and its environment (time, randomness, files) is an input. By the same argument memory that is allocated after the
// call, or that its allocator has shown nobody yet, needs no order with it (package window).
//
// A goroutine that runs only code outside has no call that brackets it, and needs but a beginning, the Go: in a program that has no race there, each of
// its accesses is ordered with every conflicting traced access by the go statement, or by synchronisation of which its side is not instrumented, and that keeps
// its order. What it wrote and a traced read returned is also seen by the value.
//
// What may be written decides also what is known of a value (I4 of package window): a call that ran since a location was last accessed
// may have changed it, and a goroutine that code outside has started may do so at any time later. A deferred call
// of code outside has no records of its own; the Exit of its function stands for it, with the footprints on that function's site. A go statement that calls code outside
// is a call under way from there on. So the Exit keeps its order as the end of a call does: a call after it may read what the deferred one wrote.
//
// What a deferred call reads has no records either, and nobody can tell what became of it before it comes back: it enters a traced function, sends on a
// channel, or writes (which a traced read sees by the value). So the Enter and the send keep their order as the end of a call does, with the footprints on the site
// of the function that defers, and an Enter with those of the wrappers (F10) besides. What happened in between needs no edge of its own: if a write to what was read is
// ordered after the read, this is by synchronisation of the deferred call, before which the read stands.
//
// Whether a deferred function value or interface's method is of traced code (F7), nothing tells: it keeps its order as one of code outside, unless it can be no other
// than traced. So does what a go statement calls; that it is traced the name tells that the goroutine has been started with, if there are no arguments.
// The goroutine of WaitGroup.Go does what it is given, and counts, which the runtime side records: where that is a function of traced code by
// its name, a literal or a method value, it touches nothing.
//
// Missed: memory of a traced type that the standard library was given in an interface in one call and looks into by reflection in
// another that gets neither it nor what keeps it (a registry, expvar); results of traced callbacks, as far as other modules keep them in interfaces;
// conversions by unsafe or between struct types with the same fields, which give memory a second name; what an error of code outside has in slices and maps of types without
// a name, and what is stored by reflection in a variable of the standard library or a regexp.Regexp (F14). The results of functions whose effect is
// none or read are taken as inputs from outside where they depend on time,
// randomness or the environment.
//
// # Names
//
//	T a type, as spelling writes it, with full package paths; after ! if a traced type is in it
//	m a method; w a wrapper of it
//	s a Set: the footprint of a call or an access
package footprint
