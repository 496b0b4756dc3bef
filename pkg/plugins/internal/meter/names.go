package meter

import "strings"

// Subsections of the "name" section that number functions.
const (
	functionNames = 1
	localNames    = 2
	labelNames    = 3
)

// custom copies a custom section, nil if it is left out: one that tells offsets in the code would be wrong, and so would
// be names of functions that cannot be read.
func (m *module) custom(s section) ([]byte, error) {
	r := s.reader(m.file)
	name := r.name()
	switch {
	case r.err != nil:
		return nil, r.err
	case strings.HasPrefix(name, ".debug_"), strings.HasPrefix(name, "reloc."), strings.HasPrefix(name, "metadata.code."):
		return nil, nil
	case name == "name":
		return m.names(r), nil
	}
	return s.content, nil
}

func (m *module) names(r *reader) []byte {
	out := appendName(nil, "name")
	for r.more() {
		id := r.byte()
		sub := r.sub(r.u32())
		content := sub.file[sub.pos:sub.end]
		switch id {
		case functionNames:
			content = m.functionNames(sub)
		case localNames, labelNames:
			content = m.localNames(sub)
		}
		if r.err != nil || sub.err != nil {
			return nil
		}
		out = appendSection(out, id, content)
	}
	return out
}

// functionNames copies the names of functions, and adds those of the new ones.
func (m *module) functionNames(r *reader) []byte {
	n := r.count()
	out := make([]byte, 0, r.end-r.pos+100)
	visit := appendName(appendUint(nil, m.imported), "meter."+visitName)
	count := n
	for range n {
		f := r.below(m.funcs, "function")
		if f >= m.imported && visit != nil {
			out, visit = append(out, visit...), nil
			count++
		}
		out = appendName(appendUint(out, m.moved(f)), r.name())
		if r.err != nil {
			return nil
		}
	}
	if visit != nil {
		out = append(out, visit...)
		count++
	}
	for h := range helper(m.helperCount()) {
		out = appendName(appendUint(out, m.funcs+1+uint32(h)), helperNames[h])
		count++
	}
	if r.more() {
		r.fail(errEnd)
	}
	return append(appendUint(nil, count), out...)
}

// localNames copies names that stand in a list for each function.
func (m *module) localNames(r *reader) []byte {
	n := r.count()
	out := appendUint(nil, n)
	for range n {
		out = m.funcIndex(r, out)
		start := r.pos
		for range r.count() {
			r.u32()
			r.name()
			if r.err != nil {
				return nil
			}
		}
		out = append(out, r.file[start:r.pos]...)
	}
	if r.more() {
		r.fail(errEnd)
	}
	return out
}

// functionName finds a function's name, "" if there is none.
func (m *module) functionName(f uint32) string {
	for _, s := range m.customs {
		r := s.reader(m.file)
		if r.name() != "name" {
			continue
		}
		for r.more() {
			id := r.byte()
			sub := r.sub(r.u32())
			if id != functionNames {
				continue
			}
			for range sub.count() {
				index, name := sub.u32(), sub.name()
				if sub.err == nil && index == f {
					return name
				}
				if sub.err != nil {
					return ""
				}
			}
		}
	}
	return ""
}
