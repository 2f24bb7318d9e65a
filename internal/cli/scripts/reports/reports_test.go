package reports

import (
	"testing"

	"github.com/presage-race/presage/internal/cli/scripts"
)

func TestMain(m *testing.M) { scripts.Main(m, scripts.Presage) }

func TestScripts(t *testing.T) { scripts.Run(t, "testdata") }
