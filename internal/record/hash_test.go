package record

import "testing"

// TestGoEnv: what is built depends on the level of the processor.
func TestGoEnv(t *testing.T) {
	for arch, levels := range map[string][2]string{"amd64": {"v1", "v2"}, "arm64": {"v8.0", "v9.0"}} {
		t.Run(arch, func(t *testing.T) {
			t.Setenv("GOARCH", arch)
			var texts [2]string
			for i, level := range levels {
				t.Setenv("GO"+map[string]string{"amd64": "AMD64", "arm64": "ARM64"}[arch], level)
				_, text, err := goEnv(t.Context(), t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				texts[i] = text
			}
			if texts[0] == texts[1] {
				t.Errorf("the same build for %v: %s", levels, texts[0])
			}
		})
	}
}
