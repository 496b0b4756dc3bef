package wire

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/informerd/informerd/pkg/informer/object"
)

func TestReadListInAnyShape(t *testing.T) {
	const a = `{"metadata":{"name":"a"},"x":[1,2,{"y":"}]"}]}`
	big := `{"metadata":{"name":"big"},"x":"` + strings.Repeat("0123456789", 20_000) + `"}`
	for name, c := range map[string]struct{ in, names, version, err string }{
		"items last": {`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[` + a + `,` + big + `]}`, "a big", "5", ""},
		"items first": {` { "items" : [ ` + big + ` , ` + a +
			` ] , "metadata" : { "resourceVersion" : "5" } } `, "big a", "5", ""},
		"no items":      {`{"metadata":{"resourceVersion":"5"},"items":null}`, "", "5", ""},
		"empty":         {`{"items":[],"metadata":{"resourceVersion":"5"}}`, "", "5", ""},
		"other members": {`{"more":{"items":[1]},"n":12,"items":[` + a + `]}`, "a", "", ""},
		"an odd item":   {`{"items":[` + a + `,{"metadata":{}},17,` + a + `]}`, "a a", "", ""},
		"a table": {`{"kind":"Table","rows":[]}`, "", "",
			"the server sent a Table, which holds no objects"},
		"truncated":      {`{"items":[` + a, "a", "", "cannot read the list: unexpected EOF"},
		"truncated item": {`{"items":[` + a[:20], "", "", "cannot read the list: unexpected EOF"},
		"nothing":        {``, "", "", "cannot read the list: unexpected EOF"},
		"no object":      {`[]`, "", "", "cannot read the list: expected '{', found '['"},
		"no comma": {`{"items":[` + a + a + `]}`, "a", "",
			"cannot read the list: expected ',', found '{'"},
		"syntax in items": {`{"items":[{"metadata":{"name":"a"},}]}`, "", "",
			"cannot read the list: offset 25: expected a member name, found '}'"},
	} {
		for how, reader := range map[string]func(io.Reader) io.Reader{
			"at once": func(r io.Reader) io.Reader {
				return r
			}, "in halves": iotest.HalfReader, "byte by byte": iotest.OneByteReader,
		} {
			if how == "byte by byte" && len(c.in) > 10_000 {
				continue // slow, and says nothing new
			}
			t.Run(name+" "+how, func(t *testing.T) {
				var names []string
				page, err := ReadList(reader(strings.NewReader(c.in)),
					&object.Parser{APIVersion: "v1", Kind: "Pod"},
					func(o *object.Object) { names = append(names, o.Name()) }, func(error) {})
				if got := strings.Join(names, " "); got != c.names ||
					page.Metadata.ResourceVersion != c.version {
					t.Errorf("names %q, version %q", got, page.Metadata.ResourceVersion)
				}
				if (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
					t.Errorf("error %v, want %s", err, c.err)
				}
			})
		}
	}
}

// Item 11: what is kept of a list has memory of its own.
func TestItemsDoNotPinTheirPage(t *testing.T) {
	text := `{"metadata":{"resourceVersion":"5"},"items":[` +
		podText("a", "1", 1, `,"spec":{"x":"kept"}`) + `]}`
	s := &stream{r: strings.NewReader(text)}
	var got []*object.Object
	err := eachListMember(s, func(name string) error {
		if name != "items" {
			return s.value(object.ScanValue)
		}
		return readItems(s, &object.Parser{}, func(o *object.Object) {
			got = append(got, o)
		}, func(error) {})
	})
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	clear(s.buf)
	if want := podText("a", "1", 1, `,"spec":{"x":"kept"}`); got[0].JSON() != want ||
		got[0].Name() != "a" || got[0].UID() != "1" {
		t.Errorf("%s", got[0].JSON())
	}
}

// Item 12: items get the list's kind if they have neither apiVersion nor kind. An item with one of
// the two is no object.
func TestItemsKeepTheirOwnKind(t *testing.T) {
	var got []string
	skipped := 0
	_, err := ReadList(strings.NewReader(`{"items":[
		{"metadata":{"name":"plain"}},
		{"apiVersion":"v2","kind":"Other","metadata":{"name":"own"}},
		{"kind":"Other","metadata":{"name":"half"}}]}`),
		&object.Parser{APIVersion: "v1", Kind: "Pod"},
		func(o *object.Object) { got = append(got, o.Name()+" "+o.APIVersion()+" "+o.Kind()) },
		func(error) { skipped++ })
	if err != nil || skipped != 1 {
		t.Errorf("%v, %d skipped", err, skipped)
	}
	expect(t, got, "plain v1 Pod", "own v2 Other")
}
