package eval_test

import (
	"math"
	"math/big"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The values that JSON does not have, as the oracle has them.
type (
	oQuantity struct{ *big.Rat }
	oVersion  struct {
		numbers [3]int
		pre     string
	}
	oAddress struct{ netip.Addr }
	oNetwork struct{ netip.Prefix }
	oImage   struct{ parts map[string]any }
)

var (
	quantityForm = regexp.MustCompile(
		`^([+-]?)([0-9]*\.?[0-9]*)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$`)
	versionForm = regexp.MustCompile(
		`^v?(0|[1-9]\d*)(?:\.(0|[1-9]\d*))?(?:\.(0|[1-9]\d*))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$`)
	beyondAll = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil))
	nano      = big.NewInt(1_000_000_000)
)

func bounds(r *big.Rat) any {
	if new(big.Rat).Abs(r).Cmp(beyondAll) > 0 {
		return nil
	}
	return oQuantity{r}
}

// roundUp rounds to nine places, away from zero.
func roundUp(r *big.Rat) *big.Rat {
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(nano))
	q, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	q.Add(q, big.NewInt(int64(rest.Sign())))
	return new(big.Rat).SetFrac(q, nano)
}

func readQuantity(text string) any {
	m := quantityForm.FindStringSubmatch(text)
	if m == nil || !strings.ContainsAny(m[2], "0123456789") || len(text) > 64 {
		return nil
	}
	r, ok := new(big.Rat).SetString(m[1] + strings.TrimSuffix("0"+m[2], "."))
	if !ok {
		return nil
	}
	power := func(base, n int64) *big.Rat {
		p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(max(n, -n)), nil))
		if n < 0 {
			p.Inv(p)
		}
		return p
	}
	switch suffix := m[3]; {
	case suffix == "":
	case strings.HasSuffix(suffix, "i"):
		r.Mul(r, power(1024, int64(strings.Index("KMGTPE", suffix[:1])+1)))
	case len(suffix) > 1:
		n, err := strconv.ParseInt(suffix[1:], 10, 64)
		if err != nil || n > 30 || n < -30 {
			return nil
		}
		r.Mul(r, power(10, n))
	default:
		r.Mul(r, power(1000, int64(strings.Index("num kMGTPE", suffix)-3)))
	}
	return bounds(roundUp(r))
}

func quantityOfNumber(v any) any {
	if n, ok := v.(int); ok {
		return oQuantity{new(big.Rat).SetInt64(int64(n))}
	}
	f := v.(float64)
	if math.IsNaN(f) || math.Abs(f) > 1e30 {
		return nil
	}
	return readQuantity(strconv.FormatFloat(f, 'f', 9, 64))
}

var durationForm = regexp.MustCompile(
	`^([+-]?)(?:([0-9]+\.?[0-9]*|\.[0-9]+)d)?((?:[0-9.]+(?:ns|us|µs|ms|s|m|h))*)$`)

func readDuration(text string) any {
	if text == "0" || text == "+0" || text == "-0" {
		return time.Duration(0)
	}
	m := durationForm.FindStringSubmatch(text)
	if m == nil || m[2]+m[3] == "" {
		return nil
	}
	total := time.Duration(0)
	if m[2] != "" {
		days, err := strconv.ParseFloat(m[2], 64)
		if err != nil || days > 50_000 {
			return nil
		}
		total = time.Duration(days * 24 * float64(time.Hour))
	}
	if m[3] != "" {
		rest, err := time.ParseDuration(m[3])
		if err != nil {
			return nil
		}
		total += rest
	}
	if m[1] == "-" {
		total = -total
	}
	return total
}

func readVersion(text string) any {
	m := versionForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	v := oVersion{pre: m[4]}
	for i := range v.numbers {
		if m[i+1] != "" {
			v.numbers[i], _ = strconv.Atoi(m[i+1])
		}
	}
	return v
}

func (v oVersion) Field(name string) any {
	switch name {
	case "major":
		return v.numbers[0]
	case "minor":
		return v.numbers[1]
	case "patch":
		return v.numbers[2]
	case "prerelease":
		return v.pre
	}
	return nil
}

func (v oVersion) compare(other oVersion) int {
	for i, n := range v.numbers {
		if n != other.numbers[i] {
			return sign(n < other.numbers[i])
		}
	}
	if v.pre == other.pre {
		return 0
	}
	if v.pre == "" || other.pre == "" {
		return sign(v.pre != "")
	}
	panic(unsupported{"prereleases"})
}

func sign(less bool) int {
	if less {
		return -1
	}
	return 1
}

func readAddress(text string) any {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return nil
	}
	return oAddress{a.Unmap()}
}

func readNetwork(text string) any {
	p, err := netip.ParsePrefix(text)
	if err != nil || p.Addr().Is4In6() {
		if err == nil {
			panic(unsupported{"IPv4 in IPv6"})
		}
		return nil
	}
	return oNetwork{p.Masked()}
}

func (n oNetwork) holds(x any) any {
	if text, ok := x.(string); ok {
		if x = readAddress(text); x == nil {
			x = readNetwork(text)
		}
	}
	switch x := x.(type) {
	case nil:
		return false
	case oAddress:
		return n.Contains(x.Addr)
	case oNetwork:
		return n.Bits() <= x.Bits() && n.Contains(x.Prefix.Addr())
	}
	undefine("in a network")
	return nil
}

// images are the texts that can be images here: what makes one complete is a table and no second
// reader.
var images = map[string][4]any{ // registry, repository, tag, digest
	"nginx": {"docker.io", "library/nginx", "latest", nil}, "nginx:latest": {
		"docker.io", "library/nginx", "latest", nil}, "a": {"docker.io", "library/a", "latest",
		nil}, "b": {"docker.io", "library/b", "latest", nil},
	"ab": {"docker.io", "library/ab", "latest", nil}, "r.example/x/y:1.2": {
		"r.example", "x/y", "1.2", nil}, "x/y:v1.2.3": {"docker.io", "x/y", "v1.2.3", nil},
	"localhost:5000/a": {"localhost:5000", "a", "latest", nil},
	"web":              {"docker.io", "library/web", "latest", nil}, "x": {
		"docker.io", "library/x", "latest", nil}, "v": {"docker.io", "library/v", "latest", nil},
}

// noImages are some that cannot.
var noImages = map[string]bool{"": true, "A": true, "é": true, "😀": true, "a b": true, "1.0:": true,
	"-": true, "UP": true}

func readImage(text string) any {
	parts, ok := images[text]
	if !ok {
		if noImages[text] {
			return nil
		}
		panic(unsupported{"image " + text})
	}
	name := parts[0].(string) + "/" + parts[1].(string)
	return oImage{map[string]any{"registry": parts[0], "repository": parts[1], "name": name,
		"tag": parts[2], "digest": parts[3], "": name + ":" + parts[2].(string)}}
}

// textOfDuration cuts what follows the seconds off Go's text, if there are minutes before them.
func textOfDuration(d time.Duration) string {
	text := d.String()
	if dot := strings.IndexByte(text, '.'); dot > 0 && strings.Contains(text, "m") &&
		!strings.HasSuffix(text, "ms") {
		text = text[:dot] + "s"
	}
	return text
}

// like reads a text, or a number, as the other value of the operation.
func like(x, other any) any {
	if text, ok := x.(string); ok {
		switch other.(type) {
		case oQuantity:
			return readQuantity(text)
		case time.Duration:
			return readDuration(text)
		case oVersion:
			return readVersion(text)
		case oAddress:
			return readAddress(text)
		case oNetwork:
			return readNetwork(text)
		case oImage:
			return readImage(text)
		}
	}
	if _, ok := other.(oQuantity); ok && isNumber(x) {
		return quantityOfNumber(x)
	}
	return x
}

func isMeant(v any) bool {
	switch v.(type) {
	case oQuantity, time.Duration, oVersion, oAddress, oNetwork, oImage:
		return true
	}
	return false
}

func equalValues(a, b any) bool {
	if isMeant(a) {
		b = like(b, a)
	} else if isMeant(b) {
		a = like(a, b)
	}
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	switch x := a.(type) {
	case int, float64:
		i, ok1 := a.(int)
		j, ok2 := b.(int)
		if ok1 && ok2 {
			return i == j
		}
		return isNumber(b) && floatOf(a) == floatOf(b)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equalValues(x[i], y[i]) {
				return false
			}
		}
		return true
	case members:
		y, ok := b.(members)
		if !ok || len(x.values) != len(y.values) {
			return false
		}
		for key, value := range x.values {
			other, found := y.values[key]
			if !found || !equalValues(value, other) {
				return false
			}
		}
		return true
	case oQuantity:
		y, ok := b.(oQuantity)
		return ok && x.Cmp(y.Rat) == 0
	case oVersion:
		y, ok := b.(oVersion)
		return ok && x.compare(y) == 0
	case oImage:
		y, ok := b.(oImage)
		return ok && x.parts[""] == y.parts[""]
	case time.Time:
		y, ok := b.(time.Time)
		return ok && x.Equal(y)
	}
	return a == b
}

func orderOf(a, b any) (c int, ok bool) {
	if a == nil || b == nil {
		return 0, false
	}
	if isMeant(a) {
		b = like(b, a)
	} else if isMeant(b) {
		a = like(a, b)
	}
	if a == nil || b == nil {
		return 0, false
	}
	switch x := a.(type) {
	case int, float64:
		if !isNumber(b) {
			break
		}
		i, ok1 := a.(int)
		j, ok2 := b.(int)
		if ok1 && ok2 {
			if i == j {
				return 0, true
			}
			return sign(i < j), true
		}
		f, g := floatOf(a), floatOf(b)
		if f == g {
			return 0, true
		}
		return sign(f < g), !math.IsNaN(f) && !math.IsNaN(g)
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), true
		}
	case time.Time:
		if y, ok := b.(time.Time); ok {
			return x.Compare(y), true
		}
	case time.Duration:
		if y, ok := b.(time.Duration); ok {
			if x == y {
				return 0, true
			}
			return sign(x < y), true
		}
	case oQuantity:
		if y, ok := b.(oQuantity); ok {
			return x.Cmp(y.Rat), true
		}
	case oVersion:
		if y, ok := b.(oVersion); ok {
			return x.compare(y), true
		}
	}
	undefine("no order")
	return 0, false
}
