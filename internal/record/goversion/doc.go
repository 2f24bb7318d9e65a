// Package goversion holds everything that depends on the version of Go: patches of the standard
// library and of the compiler, lists of their files, and the versions that presage supports.
// Nothing of GOROOT is changed: the patched files go into an overlay of the build.
//
// To support another version of Go only this package should change; docs/porting.md says how.
// Command try applies all patches to a GOROOT, and names those that do not fit.
//
// # Patches
//
// The files patches/*.diff are written as diff -u writes them, without line numbers:
//
//	--- runtime/chan.go
//	@@ since go1.26
//	 	lock(&c.lock)
//	-	c.closed = 1
//	+	presageChanClose(c)
//	+	c.closed = 1
//
// A line that begins with --- names a file below GOROOT/src. A line that begins with @@ begins a
// hunk. The lines with a space or a minus in front are its anchor, those with a space or a plus its
// text. The anchor must occur as whole lines, exactly once, and is replaced by the text. An empty
// line stands for an empty line of the anchor and of the text, but for those at the end of a hunk.
// A line that begins with # is a comment.
//
// After @@ stand conditions, in this order; each may be missing:
//
//	new          the hunk adds its text to the end of a file that GOROOT does not have
//	N times      the anchor occurs N times, and each occurrence is replaced
//	within       the anchor is a part of a line
//	since goX.Y  only for this version and later ones
//	until goX.Y  only for this version and earlier ones
//
// A later hunk sees what the earlier ones made. Table setFiles says which files make up the patches
// of a build, and in which order.
//
// # Lists
//
// The file lists.txt holds the supported versions and the lists of files, packages and words that
// differ between versions. Its lines end in the same conditions.
package goversion
