package wasmfile

// functionNames is the subsection of the "name" section that traces need.
const functionNames = 1

// custom keeps the functions' names, if they can be read. Every other custom section is left out, and so are broken
// ones: they have no meaning for running the module.
func (p *parser) custom(r *reader) {
	if r.name() != "name" || r.err != nil || p.names != nil {
		return
	}
	for len(r.b) > 0 {
		id := r.byte()
		sub := r.sub(r.u32())
		if r.err != nil {
			return
		}
		if id != functionNames {
			continue
		}
		content := sub.b
		n := sub.count(2)
		for range n {
			sub.u32()
			sub.name()
		}
		if sub.err != nil || len(sub.b) > 0 || n > maxFunctions {
			return
		}
		p.names = nameSection(content)
		return
	}
}

// nameSection makes a custom section that holds the functions' names and nothing else.
func nameSection(content []byte) []byte {
	inner := appendSection([]byte("\x04name"), functionNames, content)
	return appendSection(nil, secCustom, inner)
}
