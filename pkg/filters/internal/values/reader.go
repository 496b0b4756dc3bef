package values

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Special is a value of a kind that JSON does not have. Each is a struct of one pointer, as
// Ref is. What it points to is immutable: the constants of a program are shared.
type Special interface {
	typeName() string
	// Text returns the value as a text.
	Text() string
}

// IsSpecial reports whether a value is of a kind that JSON does not have.
func IsSpecial(x any) bool {
	switch x.(type) {
	case Special, time.Duration:
		return true
	}
	return false
}

// Reader is a function that reads a text as a value: quantity(…) and the like.
type Reader uint8

const (
	Quantities Reader = iota
	Durations
	Versions
	Addresses
	Networks
	Images
	ReaderCount
)

type readerWords struct {
	Name    string
	Example string
	Parse   func(text string) any // nil if the text is not valid
	Max     int                   // the bytes of the longest valid text
	Cost    int                   // steps
	Fields  []string
}

var Readers = [ReaderCount]readerWords{
	Quantities: {"quantity", `"500m" or "1Gi"`, ParseQuantity, maxQuantity, 4, nil},
	Durations:  {"duration", `"90s", "10m" or "7d"`, parseDuration, 64, 2, nil},
	Versions:   {"semver", `"1.28.3" or "v1.28"`, parseVersion, 256, 20, versionFields},
	Addresses:  {"ip", `"10.0.0.1" or "fd00::1"`, parseAddress, 128, 2, nil},
	Networks:   {"cidr", `"10.0.0.0/8" or "fd00::/8"`, parseNetwork, 128, 2, nil},
	Images: {"image", `"nginx:1.27" or "registry.example.com/shop/web@sha256:…"`,
		ParseImage, maxImage, 60, imageFields},
}

// ReaderOf returns the reader of that name.
func ReaderOf(name string) (Reader, bool) {
	for p := range ReaderCount {
		if Readers[p].Name == name {
			return p, true
		}
	}
	return 0, false
}

// inBytes are sizes as they are not written in Kubernetes: 512MB, 1 GiB.
var inBytes = regexp.MustCompile(`^([0-9.]+) ?([kKmMgGtTpP])i?[bB]$`)

// Refusal returns the message for a text that the reader does not accept.
func (w readerWords) Refusal(text string) string {
	if len(text) > 80 {
		text = strings.ToValidUTF8(text[:80], "") + "…"
	}
	example := w.Example
	if m := inBytes.FindStringSubmatch(text); m != nil && w.Name == "quantity" {
		unit := strings.ToUpper(m[2])
		example = strconv.Quote(m[1]+unit+"i") + ", or " + strconv.Quote(m[1]+
			strings.Replace(unit, "K", "k", 1)) + " for powers of 1000"
	}
	return fmt.Sprintf("%q is not a valid %s; write it as %s", text, w.Name, example)
}
