package objects

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// UnlikeConfigMapAt returns a state of a ConfigMap of about size bytes that resembles no other: its
// keys and its text are its own. A later state differs in metadata.resourceVersion, the time of the
// managedFields entry and one value of four, which is a new text, as if edited.
func UnlikeConfigMapAt(seed uint64, size int, r Revision) []byte {
	own := rand.New(rand.NewPCG(seed, 21))
	h := newHeader("v1", "ConfigMap", own)
	h.name, h.namespace = "settings-"+uniqueSuffix(seed), pick(own, namespaces)
	changed := h.revise(r)

	const keys = 4
	var names [keys]string
	for i := range names { // the first letter keeps them sorted
		names[i] = fmt.Sprintf("%c-%s.conf", 'a'+i, suffix(own, 6))
	}
	var b bytes.Buffer
	b.WriteString(`{"f:data":{".":{}`)
	for _, name := range names {
		fmt.Fprintf(&b, `,"f:%s":{}`, name)
	}
	b.WriteString(`,"f:owner":{},"f:title":{}}}`)
	h.managed = []manager{{name: "kubectl-edit", time: changed, fields: b.String()}}

	b.Reset()
	h.write(&b)
	b.WriteString(`"data":{`)
	const rest = 720
	room := max(0, size-rest) / keys
	for i, name := range names {
		text := rand.New(rand.NewPCG(seed, uint64(22+i)))
		// The key is edited again every fourth time.
		if edits := (r.Number + keys - 1 - i) / keys; edits > 0 {
			text = rand.New(rand.NewPCG(seed, uint64(100+edits*keys+i)))
		}
		fmt.Fprintf(&b, `%q:"`, name)
		b.Write(appendProse(b.AvailableBuffer(), text, room))
		b.WriteString(`",`)
	}
	fmt.Fprintf(&b, `"owner":%q,"title":"%s"}}`, pick(own, tiers), appendProse(nil, own, 30))
	return b.Bytes()
}
