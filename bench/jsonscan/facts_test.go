package jsonscan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/informerd/informerd/bench/objects"
)

// TestFacts prints what each contender does with input that is malformed, ambiguous or unusual. It
// asserts nothing: the behaviour is the libraries', and the table helps to choose between them.
func TestFacts(t *testing.T) {
	if testing.Short() {
		t.Skip("it asserts nothing")
	}
	t.Logf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	report(t, "Header", headerProbes, func(c contender) func([]byte) (Header, error) {
		return c.header
	})
	report(t, "Field", fieldProbes, func(c contender) func([]byte) (Fields, error) {
		return c.fields
	})
}

func report[A any](t *testing.T, job string, probes []probe[A],
	of func(contender) func([]byte) (A, error)) {
	var table strings.Builder
	fmt.Fprintf(&table, "%-17s", job)
	for _, p := range probes {
		t.Logf("%s %s: %s", job, p.name, p.about)
		fmt.Fprintf(&table, " %-12s", p.name)
	}
	for _, c := range contenders {
		if of(c) == nil || !c.works() {
			continue
		}
		fmt.Fprintf(&table, "\n%-17s", c.name)
		for _, p := range probes {
			fmt.Fprintf(&table, " %-12s", observe(p, of(c)))
		}
	}
	t.Log("\n" + table.String())
}

// probe is one input for the contenders of a job whose answers have type A.
type probe[A any] struct {
	name, about string
	input       string
	see         func(answer A) string
}

var headerProbes = []probe[Header]{
	{"badvalue", "a value inside a skipped part is not JSON",
		`{"kind":"Pod","metadata":{"name":"a"},"spec":{"x":nope}}`, accepted[Header]},
	{"badcomma", "a skipped part lacks a comma",
		`{"kind":"Pod","metadata":{"name":"a"},"spec":{"x":1 "y":2}}`, accepted[Header]},
	{"badutf8", "a skipped string is not UTF-8",
		"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"x\":\"\xff\"}}",
		accepted[Header]},
	{"control", "a skipped string holds a raw newline",
		"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"x\":\"\n\"}}",
		accepted[Header]},
	{"trailing", "more data follows the object", `{"kind":"Pod","metadata":{"name":"a"}} {`,
		accepted[Header]},
	{"dupname", "a duplicate name: which value",
		`{"kind":"Pod","metadata":{"name":"first","name":"second"}}`, name},
	{"dupcut", "duplicate managedFields: are both cut",
		`{"metadata":{"managedFields":[1],"name":"a","managedFields":[2]}}`, cut},
	{"escname", "an escaped key is found", `{"metadata":{"n\u0061me":"a"}}`, name},
	{"esccut", "managedFields with an escaped key is cut",
		`{"metadata":{"name":"a","managed\u0046ields":[1]}}`, cut},
	{"escvalue", "an escaped value is decoded", `{"metadata":{"name":"\u0061\n"}}`,
		func(h Header) string { return fmt.Sprintf("%q", h.Name) }},
	{"case", "a key in another case is accepted", `{"metadata":{"Name":"a"}}`,
		name},
	{"number", "a number keeps its text", `{"metadata":{"name":"a"},"x":12345678901234567890.10}`,
		verbatim("12345678901234567890.10")},
	{"escapes", "strings keep their text", `{"metadata":{"name":"a"},"x":"\u003c\u00fc</a"}`,
		verbatim(`"\u003c\u00fc</a"`)},
	{"deep", "100,000 nested arrays in a skipped part", `{"metadata":{"name":"a"},"x":` +
		strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, accepted[Header]},
	// Without input: every prefix of a pod is tried.
	{"truncated", "truncated pods that are accepted", "", nil},
}

var fieldProbes = []probe[Fields]{
	{"badvalue", "a value before the fields is not JSON",
		`{"metadata":{"x":nope},"spec":{"containers":[{"image":"i"}]},"status":{"phase":"p"}}`,
		accepted[Fields]},
	{"badcomma", "a comma before the fields is missing",
		`{"metadata":{"x":1 "y":2},"spec":{"containers":[{"image":"i"}]},"status":{"phase":"p"}}`,
		accepted[Fields]},
	{"badafter", "a value after the fields is not JSON",
		`{"spec":{"containers":[{"image":"i"}]},"status":{"phase":"p"},"x":nope}`,
		accepted[Fields]},
	{"dupname", "a duplicate field: which value",
		`{"spec":{"containers":[{"image":"i"}]},"status":{"phase":"first","phase":"second"}}`,
		phase},
	{"escname", "an escaped key is found",
		`{"spec":{"containers":[{"image":"i"}]},"status":{"ph\u0061se":"p"}}`, phase},
	{"escvalue", "an escaped value is decoded",
		`{"spec":{"containers":[{"image":"i"}]},"status":{"phase":"\u0061\n"}}`,
		func(f Fields) string { return fmt.Sprintf("%q", f.Phase) }},
	{"absent", "the phase is missing", `{"spec":{"containers":[{"image":"i"}]},"status":{}}`,
		phase},
	{"truncated", "truncated pods that are accepted", "", nil},
}

func phase(f Fields) string { return orMissed(f.Phase) }

func name(h Header) string { return orMissed(h.Name) }

func orMissed(value string) string {
	if value == "" {
		return "missed"
	}
	return value
}

func accepted[A any](A) string { return "accepted" }

func cut(h Header) string {
	var object struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	switch err := json.Unmarshal(h.Raw, &object); {
	case err != nil:
		return "broken copy"
	case object.Metadata["managedFields"] != nil:
		return "kept"
	}
	return "cut"
}

func verbatim(part string) func(h Header) string {
	return func(h Header) string {
		if bytes.Contains(h.Raw, []byte(part)) {
			return "kept"
		}
		return "rewritten"
	}
}

func observe[A any](p probe[A], job func([]byte) (A, error)) string {
	if p.input != "" {
		return attempt(p, job, []byte(p.input))
	}
	pod := objects.Pod(1, objects.Small)
	p.see = accepted[A]
	counts := map[string]int{}
	for n := 1; n < len(pod); n++ {
		counts[attempt(p, job, bytes.Clone(pod[:n]))]++
	}
	return fmt.Sprintf("%d%%,%d panic", counts["accepted"]*100/len(pod), counts["panics"])
}

func attempt[A any](p probe[A], job func([]byte) (A, error), input []byte) (seen string) {
	defer func() {
		if recover() != nil {
			seen = "panics"
		}
	}()
	answer, err := job(input)
	if err != nil {
		return "rejected"
	}
	return p.see(answer)
}
