package wasmbin

import (
	"fmt"
	"strings"
)

// PageSize is the unit in which memories grow, in bytes.
const PageSize = 64 << 10

// MiB returns a number of bytes as a text for people, such as 1.5 MiB.
func MiB(bytes int64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(bytes)/(1<<20)), ".0") + " MiB"
}
