package runtime

// pgCallsArm64 are the system calls of linux/arm64 that the tables know: the number, and that of
// amd64, which the tables have.
var pgCallsArm64 = [...][2]uint16{
	{5, 188}, {6, 189}, {7, 190}, {8, 191}, // setxattr lsetxattr fsetxattr getxattr
	{9, 192}, {10, 193}, {11, 194}, {12, 195}, // lgetxattr fgetxattr listxattr llistxattr
	{13, 196}, {14, 197}, {15, 198}, // flistxattr removexattr lremovexattr
	{16, 199}, {17, 79}, {19, 290}, {20, 291}, // fremovexattr getcwd eventfd2 epoll_create1
	{21, 233}, {22, 281}, {23, 32}, {24, 292}, // epoll_ctl epoll_pwait dup dup3
	{25, 72}, {26, 294}, {27, 254}, // fcntl inotify_init1 inotify_add_watch
	{28, 255}, {32, 73}, {33, 259}, {34, 258}, // inotify_rm_watch flock mknodat mkdirat
	{35, 263}, {36, 266}, {37, 265}, {38, 264}, // unlinkat symlinkat linkat renameat
	{39, 166}, {41, 155}, {43, 137}, {44, 138}, // umount2 pivot_root statfs fstatfs
	{45, 76}, {46, 77}, {47, 285}, {48, 269}, // truncate ftruncate fallocate faccessat
	{49, 80}, {50, 81}, {51, 161}, {52, 91}, // chdir fchdir chroot fchmod
	{53, 268}, {54, 260}, {55, 93}, {56, 257}, // fchmodat fchownat fchown openat
	{57, 3}, {58, 153}, {59, 293}, {61, 217}, // close vhangup pipe2 getdents64
	{62, 8}, {63, 0}, {64, 1}, {67, 17}, // lseek read write pread64
	{68, 18}, {71, 40}, {72, 270}, {73, 271}, // pwrite64 sendfile pselect6 ppoll
	{74, 289}, {76, 275}, {77, 276}, {78, 267}, // signalfd4 splice tee readlinkat
	{79, 262}, {80, 5}, {81, 162}, {82, 74}, // newfstatat fstat sync fsync
	{83, 75}, {84, 277}, {85, 283}, // fdatasync sync_file_range timerfd_create
	{86, 286}, {87, 287}, {88, 280}, // timerfd_settime timerfd_gettime utimensat
	{89, 163}, {93, 60}, {94, 231}, {95, 247}, // acct exit exit_group waitid
	{97, 272}, {101, 35}, {102, 36}, {103, 38}, // unshare nanosleep getitimer setitimer
	{112, 227}, {113, 228}, {114, 229}, // clock_settime clock_gettime clock_getres
	{115, 230}, {118, 142}, {119, 144}, // clock_nanosleep sched_setparam sched_setscheduler
	{120, 145}, {121, 143}, // sched_getscheduler sched_getparam
	{122, 203}, {123, 204}, {124, 24}, // sched_setaffinity sched_getaffinity sched_yield
	{125, 146}, {126, 147}, // sched_get_priority_max sched_get_priority_min
	{127, 148}, {128, 219}, {129, 62}, // sched_rr_get_interval restart_syscall kill
	{130, 200}, {131, 234}, {132, 131}, // tkill tgkill sigaltstack
	{135, 14}, {139, 15}, {140, 141}, // rt_sigprocmask rt_sigreturn setpriority
	{141, 140}, {143, 114}, {144, 106}, {145, 113}, // getpriority setregid setgid setreuid
	{146, 105}, {147, 117}, {148, 118}, {149, 119}, // setuid setresuid getresuid setresgid
	{150, 120}, {151, 122}, {152, 123}, {153, 100}, // getresgid setfsuid setfsgid times
	{154, 109}, {155, 121}, {156, 124}, {157, 112}, // setpgid getpgid getsid setsid
	{158, 115}, {159, 116}, {160, 63}, {161, 170}, // getgroups setgroups uname sethostname
	{162, 171}, {163, 97}, {164, 160}, // setdomainname getrlimit setrlimit
	{165, 98}, {166, 95}, {168, 309}, {169, 96}, // getrusage umask getcpu gettimeofday
	{170, 164}, {171, 159}, {172, 39}, {173, 110}, // settimeofday adjtimex getpid getppid
	{174, 102}, {175, 107}, {176, 104}, {177, 108}, // getuid geteuid getgid getegid
	{178, 186}, {179, 99}, {198, 41}, {199, 53}, // gettid sysinfo socket socketpair
	{200, 49}, {201, 50}, {202, 43}, {203, 42}, // bind listen accept connect
	{204, 51}, {205, 52}, {208, 54}, // getsockname getpeername setsockopt
	{209, 55}, {210, 48}, {213, 187}, {214, 12}, // getsockopt shutdown readahead brk
	{216, 25}, {220, 56}, {221, 59}, {222, 9}, // mremap clone execve mmap
	{223, 221}, {226, 10}, {228, 149}, {229, 150}, // fadvise64 mprotect mlock munlock
	{230, 151}, {231, 152}, {233, 28}, {242, 288}, // mlockall munlockall madvise accept4
	{260, 61}, {261, 302}, {267, 306}, {276, 316}, // wait4 prlimit64 syncfs renameat2
	{278, 318}, {279, 319}, {281, 322}, // getrandom memfd_create execveat
	{283, 324}, {284, 325}, {285, 326}, // membarrier mlock2 copy_file_range
	{291, 332}, {434, 434}, {435, 435}, {436, 436}, // statx pidfd_open clone3 close_range
	{437, 437}, {439, 439}, {452, 452}, // openat2 faccessat2 fchmodat2
}

// pgCallNumbers is, by the number of a system call, that of the tables, +1; 0: it is in none.
var pgCallNumbers [512]uint16

func pgNumbersInit() {
	for _, c := range pgCallsArm64 {
		pgCallNumbers[c[0]] = c[1] + 1
	}
}

// pgCallNumber returns the number of a system call in the tables, and one that is in none if it is
// not there.
//
//go:nosplit
func pgCallNumber(trap uintptr) uintptr {
	if trap >= uintptr(len(pgCallNumbers)) || pgCallNumbers[trap] == 0 {
		return uintptr(len(pgCallTable))
	}
	return uintptr(pgCallNumbers[trap] - 1)
}
