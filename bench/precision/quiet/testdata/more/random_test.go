package more

import crand "crypto/rand"

func randRead(p []byte) (int, error) { return crand.Read(p) }
