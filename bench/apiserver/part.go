package apiserver

import (
	"fmt"
	"strconv"
	"strings"
)

// partLabel is the label by which a client requests a part of a collection. No object has it.
const partLabel = "bench.informerd.dev/part"

// PartSelector returns the label selector of one of so many parts of a collection. Objects are
// assigned to parts in turns, so the parts have equal sizes.
func PartSelector(index, parts int) string {
	return fmt.Sprintf("%s=%d-of-%d", partLabel, index, parts)
}

// part is a share of a collection. The zero value is the whole collection.
type part struct{ index, parts int }

// part parses a label selector. Only those of PartSelector are known.
func (c *collection) part(selector string) (part, error) {
	if selector == "" {
		return part{}, nil
	}
	unknown := fmt.Errorf("labelSelector=%q is not one of %s", selector, PartSelector(0, 1))
	value, known := strings.CutPrefix(selector, partLabel+"=")
	first, second, _ := strings.Cut(value, "-of-")
	index, err1 := strconv.Atoi(first)
	parts, err2 := strconv.Atoi(second)
	switch {
	case !known || err1 != nil || err2 != nil || index < 0 || index >= parts:
		return part{}, unknown
	case c.data.Churn:
		return part{}, fmt.Errorf("a collection whose objects come and go has no parts")
	}
	return part{index, parts}, nil
}

// has reports whether an object, by its number, is in the part.
func (p part) has(object int) bool { return p.parts == 0 || object%p.parts == p.index }

// of returns those of a collection's objects that are in the part.
func (p part) of(all [][]byte) [][]byte {
	if p.parts == 0 {
		return all
	}
	var own [][]byte
	for object := p.index; object < len(all); object += p.parts {
		own = append(own, all[object])
	}
	return own
}

// releasedParts returns how many of the changes are in each of so many parts.
func (d *dataset) releasedParts(first, n, parts int) []Share {
	if parts == 0 || d.Churn {
		return nil
	}
	shares := make([]Share, parts)
	for i := first; i < min(first+n, len(d.json.frames)); i++ {
		share := &shares[d.object(i)%parts]
		share.Count++
		share.Bytes += int64(len(d.json.frames[i]))
	}
	return shares
}
