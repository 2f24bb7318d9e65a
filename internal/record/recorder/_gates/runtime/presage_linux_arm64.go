package runtime

// Numbers of system calls.
const (
	gtSysLseek  = 62
	gtSysGetpid = 172
	gtSysPrctl  = 167
	gtSysOpenat = 56
)
