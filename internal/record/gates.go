package record

// ToolID identifies this build of presage, for what others keep in its cache.
func ToolID() string { return toolID() }
