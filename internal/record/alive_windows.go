package record

// alive says that the process that made a run without a lock may still be there: only an earlier
// presage made such runs, and none of those ran here.
func alive(string) bool { return true }
