package pages

import (
	"fmt"
	"testing"
)

const sample = "# One `x` [two](two.md)\n\n[a](#one) `[b](no.md)` ![c](c.png)\n## Same\n## Same\n" +
	"<!-- begin g -->\n```json\n{}\n```\n<!-- end g -->\n" +
	"1. list\n\n   ```yaml wrong from=a.yaml\n   # dir/x.yaml\n   a:\n     b\n   ```\n" +
	"````console cluster\n$ one \\\n> two\n[d](d.md)\n```\n$ three\n````\n<a id=\"named\"></a>\n"

func TestParse(t *testing.T) {
	p, err := Parse("docs/a.md", sample)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`{7 json [] "" "{}\n" "g"}`,
		`{13 yaml [wrong from=a.yaml] "dir/x.yaml" "# dir/x.yaml\na:\n  b\n" ""}`,
		`{18 console [cluster] "" "$ one \\\n> two\n[d](d.md)\n` + "```" + `\n$ three\n" ""}`,
	} {
		b := p.Blocks[i]
		if got := fmt.Sprintf("{%d %s %v %q %q %q}", b.Line, b.Language, b.Words, b.Name, b.Text,
			b.Generated); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if b := p.Blocks[1]; b.From() != "a.yaml" || !b.Has("wrong") || b.Has("g") {
		t.Errorf("got %+v", b)
	}
	got := fmt.Sprintf("%+v", p.Blocks[2].Commands())
	if want := "[{Line:19 Text:one \\\ntwo Shown:[d](d.md)\n```\n} {Line:23 Text:three Shown:}]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := fmt.Sprint(p.Links(), p.Anchors(), p.title()),
		"[{1 two.md} {3 #one} {3 c.png}] map[named:true one-x-two:true same:true same-1:true]One x two"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := Parse("a.md", "\n```yaml\n"); err == nil ||
		err.Error() != "a.md:2: the block does not end" {
		t.Error(err)
	}
}

func TestShows(t *testing.T) {
	const printed = "it took 12 ms\n\nweb-7d9 is away\nlast   one\n"
	for shown, want := range map[string]bool{
		printed: true, "it took 3.5 s\n…\nlast one\n": true, "…\n": true,
		"it took 1s\n\nweb-… is away\nlast one": true, "it took 12 ms": false, "": false,
		"it took 12 ms\n\nweb-… was away\nlast one\n": false, "…\nfirst one\n": false,
	} {
		if Shows(shown, printed) != want {
			t.Errorf("%q: want %t", shown, want)
		}
	}
}
