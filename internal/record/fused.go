package record

import (
	"context"
	"slices"
)

// unfused is the highest GOAMD64 for which the compiler makes no fused multiply-adds.
const unfused = "v2"

// roundProducts builds for GOAMD64=v2 where the user's is v3 or v4, and returns that one; "" if it
// changes nothing. With v3 the compiler may round x*y + z once, and it does where its registers
// happen to allow it. The language permits either result, and the walk, the judge and the explorer
// round twice. A branch that compares such a sum could go one way in the program and the other way
// in the analysis, which would be a false race. On arm64 a flag of the compiler does the same
// (recorder.UnfusedFlags).
func (c *Config) roundProducts(ctx context.Context, b *build) (level string, err error) {
	env, _, err := goEnv(ctx, c.Dir)
	if err != nil || !slices.Contains([]string{"v3", "v4"}, env.GOAMD64) {
		return "", err
	}
	b.LoadEnv = append(b.LoadEnv, "GOAMD64="+unfused)
	return env.GOAMD64, nil
}
