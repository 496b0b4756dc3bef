package filters

import (
	"fmt"
	"strings"
	"time"
)

// special is a value that JSON does not have. Each is a struct of one pointer, as ref is, and its
// value is immutable: the constants of a program are shared.
type special interface {
	typeName() string
	// text writes the value.
	text() string
	// field gives a part of the value, nil if it has none of that name.
	field(name string) any
}

func isSpecial(x any) bool {
	switch x.(type) {
	case special, time.Duration:
		return true
	}
	return false
}

// reader is a function that reads a text: quantity(…) and the like.
type reader uint8

const (
	parseQuantities reader = iota
	parseDurations
	parseVersions
	parseAddresses
	parseNetworks
	parseImages
	readerCount
)

type readerWords struct {
	name    string
	example string
	parse   func(text string) any // nil if it is none
	max     int                   // bytes of a text that can be one
	cost    int                   // steps
	fields  []string
}

var readers = [readerCount]readerWords{
	parseQuantities: {"quantity", `"500m" or "1Gi"`, parseQuantity, maxQuantity, 4, nil},
	parseDurations:  {"duration", `"90s", "10m" or "7d"`, parseDuration, 64, 2, nil},
	parseVersions:   {"semver", `"1.28.3" or "v1.28"`, parseVersion, 256, 20, versionFields},
	parseAddresses:  {"ip", `"10.0.0.1" or "fd00::1"`, parseAddress, 128, 2, nil},
	parseNetworks:   {"cidr", `"10.0.0.0/8" or "fd00::/8"`, parseNetwork, 128, 2, nil},
	parseImages: {"image", `"nginx:1.27" or "registry.example.com/shop/web@sha256:…"`,
		parseImage, maxImage, 60, imageFields},
}

func readerOf(name string) (reader, bool) {
	for p := range readerCount {
		if readers[p].name == name {
			return p, true
		}
	}
	return 0, false
}

func (w readerWords) refusal(text string) string {
	if len(text) > 80 {
		text = strings.ToValidUTF8(text[:80], "") + "…"
	}
	return fmt.Sprintf("%q cannot be read by %s; write it as %s", text, w.name, w.example)
}
