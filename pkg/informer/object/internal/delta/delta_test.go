package delta

import "testing"

// The example of the package comment. "Literals and copies, taken in turns until the text's length
// is reached, are the text."
func TestLiteralsAndCopiesAreTheText(t *testing.T) {
	const (
		base = `{"name":"web-1","image":"nginx:1.29"}`
		text = `{"name":"web-22","image":"nginx:1.29"}`
	)
	var e Encoder
	e.Reset()
	e.Copy(0, 13)
	e.Literal("22")
	e.Copy(14, 23)
	e.Flush()
	if string(e.Literals) != "22" || string(e.Ops) != "\x00\x0d\x00\x02\x17\x01" {
		t.Errorf("literals %q, operations %q", e.Literals, e.Ops)
	}
	packed := string(e.Literals) + string(e.Ops)
	d := NewDecoder(packed, base, 0, len(e.Literals), len(text))
	if got := d.AppendAll(nil); string(got) != text {
		t.Errorf("all at once: %s", got)
	}
	got := ""
	for d = NewDecoder(packed, base, 0, len(e.Literals), len(text)); d.Remaining > 0; {
		got += d.Next()
	}
	if got != text {
		t.Errorf("in pieces: %s", got)
	}
}
