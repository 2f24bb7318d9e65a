package runtime

import "unsafe"

// Random numbers that a replay can have again. What a goroutine asks for (math/rand's functions
// without a Rand, seeds of maps, where a loop over a map begins, hash/maphash, names of temporary
// files) is a function of the process's seed, the goroutine's number and how often it has asked.
// The seed is random, and stands in the header of the recording.
//
// Left alone: crypto/rand; randn, which sync.Pool asks only under the race detector; cheaprand, the
// scheduler's.

// presageSeed is the seed of the process; 0: random numbers are the runtime's own.
var presageSeed uint64

// presageMain1 is what the main goroutine counts from at main.main: package initialisation is not
// the same with the race detector.
const presageMain1 = 1 << 32

// presageMix is the finalizer of SplitMix64.
//
//go:nosplit
func presageMix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// presageSetSeed makes the seed that of the process, and the keys of hashes, before there is a map.
func presageSetSeed(seed uint64) {
	if seed == 0 {
		return
	}
	key := (*[hashRandomBytes / 8]uint64)(unsafe.Pointer(&aeskeysched))
	for i := range key {
		key[i] = presageMix(seed - uint64(i))
	}
	for i := range hashkey {
		hashkey[i] = uintptr(key[i])
	}
	presageSeed = seed
}

// presageRand is the next random number of the running goroutine, 0 if it has none of its own.
//
//go:nosplit
func presageRand() uint64 {
	gp := getg()
	if presageSeed == 0 || gp.m.curg != gp {
		return 0
	}
	id := presageNumber(gp)
	if id == 0 {
		return 0
	}
	gp.presageRands++
	return presageMix(presageMix(presageSeed^id*0x9e3779b97f4a7c15) + gp.presageRands*0x9e3779b97f4a7c15)
}

// presageArgs is a hash of the arguments of the process without its name: a replay finds a child
// process by it.
func presageArgs() uint64 {
	h := uint64(14695981039346656037)
	for i := int32(1); i < argc; i++ {
		s := gostringnocopy(argv_index(argv, i))
		for j := 0; j <= len(s); j++ {
			c := byte(0)
			if j < len(s) {
				c = s[j]
			}
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	return h
}
