package memory

import (
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// PageSize is the unit in which memories grow, in bytes.
const PageSize = 64 << 10

// Size returns how many bytes a memory has. Its own Size returns 0 for 4 GiB.
func Size(m api.Memory) int64 {
	pages, _ := m.Grow(0)
	return int64(pages) * PageSize
}

// MiB returns a number of bytes as a text for people, such as 1.5 MiB.
func MiB(bytes int64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(bytes)/(1<<20)), ".0") + " MiB"
}
