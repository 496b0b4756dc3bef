package object

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan/scantest"
)

// choices are what a generator decides by: the bytes of a fuzzer as long as there are some, so that
// a small change of them is a small change of the result, and then numbers that depend on all of
// these bytes.
type choices struct {
	data []byte
	rest *rand.Rand
}

func newChoices(data []byte) *choices {
	h := fnv.New64a()
	h.Write(data)
	return &choices{data, rand.New(rand.NewPCG(h.Sum64(), 1))}
}

func (c *choices) intN(n int) int {
	if n <= 256 && len(c.data) > 0 {
		b := c.data[0]
		c.data = c.data[1:]
		return int(b) % n
	}
	return c.rest.IntN(n)
}

func (c *choices) one(in int) bool { return c.intN(in) == 0 }

func pick[T any](c *choices, of ...T) T { return of[c.intN(len(of))] }

// generator generates texts of objects that resemble each other, valid and invalid ones. They use
// few names, so that much is alike and some names are duplicates.
type generator struct{ *choices }

// hidden is in what a Secret hides, and nowhere else.
const hidden = "hunter2"

var generatedNames = []string{
	"a", "b", "c", "x", "ab", "name", "kind", "labels", "data", "spec", "status", "annotations",
	"metadata", "x-long-name-1", "x-long-name-2",
	`k:{\"a\":1}`, `k:{\"a\":2}`, "kkkkkkkk-1-kkkkkkkk", "kkkkkkkk-2-kkkkkkkk", "é€😀-name", "",
}

// generatedSpellings are those of spellings, in an order that does not change.
var generatedSpellings = func() (all []string) {
	for _, forms := range scantest.Spellings {
		all = append(all, forms...)
	}
	slices.Sort(all)
	return all
}()

func (g generator) name() string {
	switch {
	case g.one(4):
		return generatedSpellings[g.intN(len(generatedSpellings))]
	case g.one(20):
		return strings.Repeat("n", g.intN(200)) + strconv.Itoa(g.intN(3))
	}
	return generatedNames[g.intN(len(generatedNames))]
}

func (g generator) space() string {
	if g.one(16) {
		return pick(g.choices, " ", "\n", "  ", "\t ", "\r\n", strings.Repeat(" ", 40))
	}
	return ""
}

func (g generator) scalar() string {
	switch g.intN(6) {
	case 0:
		return strconv.Itoa(g.intN(2000) - 10)
	case 1:
		return pick(g.choices, "true", "false", "null", "1.5", "-0", "1e3", "10", "1", "0", "1e400",
			"9223372036854775808", "0.10000000000000000555", "-1E-7", strings.Repeat("9", 300))
	case 2:
		return `"` + strings.Repeat(pick(g.choices, "é", "€", "😀", "éa", "x€", "\x7f"), g.intN(6)) +
			strings.Repeat("y", g.intN(20)) + `"`
	}
	return `"` + strings.Repeat(pick(g.choices, "v", "val", "é", `\n`, `\u00e9`, "}", ",", `\"`,
		`\\`, `\ud83d\ude00`, `\ud800`, "{", `\u0000`, "x:"), g.intN(6)) + strconv.Itoa(g.intN(
		20)) + `"`
}

func (g generator) value(depth int) string {
	n := g.intN(12)
	switch {
	case depth > 0 && n < 4:
		return g.object(depth - 1)
	case depth > 0 && n < 6:
		var items []string
		for range g.intN(5) {
			items = append(items, g.space()+g.value(depth-1)+g.space())
		}
		return "[" + strings.Join(items, ",") + "]"
	case n == 6:
		return pick(g.choices, "{}", "[]", "null", "{ }", `""`)
	case n == 7 && g.one(30):
		return g.deep()
	}
	return g.scalar()
}

// deep returns a value that is nested about as deep as a base may be, or a text.
func (g generator) deep() string {
	n := pick(g.choices, 40, align.MaxBaseDepth-4, align.MaxBaseDepth-2, align.MaxBaseDepth+20)
	if g.one(20) {
		n = scan.MaxDepth - 4 + g.intN(6)
	}
	if g.one(2) {
		return strings.Repeat("[", n) + g.scalar() + strings.Repeat("]", n)
	}
	return strings.Repeat(`{"a":`, n) + g.scalar() + strings.Repeat("}", n)
}

func (g generator) member(depth int) string {
	return g.space() + `"` + g.name() + `"` + g.space() + ":" + g.space() + g.value(depth) +
		g.space()
}

func (g generator) object(depth int, members ...string) string {
	for range g.intN(6) {
		members = append(members, g.member(depth))
	}
	if depth > 1 && g.one(300) {
		for i := range 1500 {
			members = append(members, `"many`+strconv.Itoa(i)+`":{"x":`+g.scalar()+`}`)
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (g generator) shuffled(members []string, in int) []string {
	if g.one(in) {
		for i := len(members) - 1; i > 0; i-- {
			j := g.intN(i + 1)
			members[i], members[j] = members[j], members[i]
		}
	}
	return members
}

// whole returns an object. Items of lists have no apiVersion and kind.
func (g generator) whole(items bool) string {
	meta := []string{`"name":"n` + strconv.Itoa(g.intN(3)) + `"`, `"namespace":"shop"`,
		`"uid":"u` + strconv.Itoa(g.intN(3)) + `"`, `"resourceVersion":"` +
			strconv.Itoa(g.intN(200)) + `"`}
	for _, m := range []string{`"generateName":"n-"`, `"labels":` + g.object(0),
		`"generation":` + strconv.Itoa(g.intN(30)), `"annotations":` + g.annotations(),
		`"managedFields":` + g.value(3), `"deletionTimestamp":"2026-01-02T03:04:05Z"`,
		`"generation":null`, `"labels":null`} {
		if g.one(3) {
			meta = append(meta, m)
		}
	}
	var top []string
	if !items || !g.one(3) {
		top = append(top, `"apiVersion":"`+pick(g.choices, "v1", "v1", "example.com/v1")+`"`,
			`"kind":"`+pick(g.choices, "Pod", "ConfigMap", "Secret", `\u0053ecret`)+`"`)
	}
	top = append(top, `"metadata":`+g.object(2, g.shuffled(meta, 3)...), `"spec":`+g.value(4),
		`"status":`+g.value(4))
	if g.one(2) {
		top = append(top, `"data":`+g.secretData(), `"stringData":`+g.secretData())
	}
	return "{" + strings.Join(g.shuffled(top, 6), ",") + "}"
}

func (g generator) annotations() string {
	return pick(g.choices, `{}`, `null`, `[]`, `1`, `{"a":"b"}`,
		`{"kubectl.kubernetes.io/last-applied-configuration":"`+hidden+`"}`,
		`{"kapp.k14s.io/original":"`+hidden+`","meta.helm.sh/release-name":"b","c":null}`,
		`{"kubectl.kubernetes.io\/last-applied-configuration":"`+hidden+`","a":"c"}`,
		`{"a":"b","kubectl.kubernetes.io/last-applied-configuration":{"data":"`+hidden+`"}}`)
}

func (g generator) secretData() string {
	return pick(g.choices, `{}`, `null`, `"`+hidden+`"`, `["`+hidden+`"]`,
		`{"password":"`+hidden+`"}`, `{"password":{"deep":"`+hidden+`"},"other":null}`,
		`{"password":"`+hidden+strconv.Itoa(g.intN(5))+`"}`)
}

// spots returns the places where something can be changed: after the opening brackets of
// containers, and where values begin.
func spots(s, after string) (at []int) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case strings.IndexByte(after, c) >= 0:
			at = append(at, i+1)
		case c == '"':
			i = jsontext.StringEnd(s, i)
			continue
		}
		i++
	}
	return at
}

// split returns the members or items of the container at i, and its end.
func split(s string, i int) (parts []string, end int) {
	end = min(jsontext.ValueEnd(s, i), len(s))
	for i++; i < end-1; {
		from := i
		i = jsontext.SkipSpace(s, i)
		if i = jsontext.ValueEnd(s, i); jsontext.SkipSpace(s, i) < end &&
			s[jsontext.SkipSpace(s, i)] == ':' {
			i = jsontext.ValueEnd(s, jsontext.NextToken(s, i))
		}
		i = min(jsontext.SkipSpace(s, i), end-1)
		parts = append(parts, s[from:i])
		if i < end-1 && s[i] == ',' {
			i++
		} else if i == from {
			break
		}
	}
	return parts, end
}

// changed returns the text with one change, which mostly leaves it valid.
func (g generator) changed(s string, drops []Path) string {
	switch g.intN(15) {
	case 14: // another kind, and all else as it is
		kinds := []string{`"Pod"`, `"ConfigMap"`, `"Secret"`}
		for i, kind := range kinds {
			if strings.Contains(s, kind) {
				return strings.Replace(s, kind, kinds[(i+1+g.intN(2))%3], 1)
			}
		}
	case 0, 1, 2, 3: // another value
		if at := spots(s, ":[,"); len(at) > 0 {
			i := jsontext.SkipSpace(s, at[g.intN(len(at))])
			return s[:i] + g.value(3) + s[max(i, min(jsontext.ValueEnd(s, i), len(s))):]
		}
	case 4: // a member more
		if at := spots(s, "{,"); len(at) > 0 {
			i := at[g.intN(len(at))]
			return s[:i] + g.member(2) + "," + s[i:]
		}
	case 5, 6, 7: // a container in another order, with less, or with more
		if at := spots(s, "{["); len(at) > 0 {
			i := at[g.intN(len(at))] - 1
			parts, end := split(s, i)
			return s[:i+1] + strings.Join(g.rearranged(parts, s[i] == '{'), ",") +
				s[max(end-1, i+1):]
		}
	// another value where something below is dropped, or is something of the reader's own
	case 8, 9:
		path := append(slices.Clone(drops), MustCompilePath("metadata.labels.a"),
			MustCompilePath("metadata.annotations.a"), MustCompilePath("status.a"),
			MustCompilePath("spec.a"))
		return g.parent(s, path[g.intN(len(path))])
	case 10: // bytes less, of which some are parts of runes
		if len(s) > 2 {
			i := g.intN(len(s))
			return s[:i] + s[min(len(s), i+1+g.intN(3)):]
		}
	case 11: // bytes of a rune
		if at := strings.IndexAny(s, "é€😀"); at >= 0 {
			at += g.intN(min(40, len(s)-at))
			return s[:at] + pick(g.choices, "", s[at:at+1], s[at:at+1]+s[at:at+1], "\xa9", "\xc3",
				"\xe2\x82", "a", "\xff") + s[at+1:]
		}
	case 12:
		const bytes = "\"{}[],: 0a\\\xc3\xa9\xff\n\x00"
		i, at := g.intN(len(s)+1), g.intN(len(bytes))
		return s[:i] + bytes[at:at+1] + s[i:]
	default:
		switch g.intN(6) {
		case 0:
			return "\ufeff" + s
		case 1:
			return s + g.scalar()
		case 2:
			return s[:g.intN(len(s)+1)]
		}
		return " " + s + "\n"
	}
	return s
}

func (g generator) rearranged(parts []string, members bool) []string {
	switch g.intN(6) {
	case 0:
		return g.shuffled(slices.Clone(parts), 1)
	case 1:
		return parts[:g.intN(len(parts)+1)]
	case 2:
		if len(parts) > 0 {
			i := g.intN(len(parts))
			return slices.Delete(slices.Clone(parts), i, i+1)
		}
	case 3: // some are duplicates
		if len(parts) > 0 {
			return slices.Insert(slices.Clone(parts), g.intN(len(parts)+1),
				parts[g.intN(len(parts))])
		}
	case 4:
		parts = slices.Clone(parts)
		for i := range pick(g.choices, 1, 3, 20, 300) {
			if members {
				parts = append(parts, `"more`+strconv.Itoa(i)+`":`+g.value(1))
			} else {
				parts = append(parts, g.value(1))
			}
		}
		return parts
	}
	return append(slices.Clone(parts[:len(parts):len(parts)]), parts[:len(parts)/2]...)
}

// parent returns the text with another value somewhere on the way to a path.
func (g generator) parent(s string, path Path) string {
	i := 0
	for n := 1 + g.intN(len(path.steps)); n > 0; n-- {
		if i = jsontext.FindMember(s, i, path.steps[0].key); i < 0 {
			return s
		}
		path.steps = path.steps[1:]
	}
	end := max(i, min(jsontext.ValueEnd(s, i), len(s)))
	value := g.value(2)
	if g.one(2) {
		value = pick(g.choices, `{}`, `null`, `1`, `""`, `[]`, `{ }`, `"x"`, `[{}]`)
	}
	for k := len(path.steps) - 1; k >= 0 && g.one(2); k-- {
		value = `{` + pick(g.choices, "", `"z":1,`, g.member(1)+",") + `"` + path.steps[k].key +
			`":` + value + pick(g.choices, "", "", `,"y":2`) + `}`
	}
	return s[:i] + value + s[end:]
}
