package wasmbin

// functionNames is the subsection of the "name" section that traces need.
const functionNames = 1

// custom keeps the functions' names, if they can be read. Every other custom section is left out,
// and so are broken ones: they have no meaning for running the module.
func (p *parser) custom(r *Reader) {
	if r.Name() != "name" || r.Err != nil || p.names != nil {
		return
	}
	for r.More() {
		id := r.Byte()
		sub := r.Sub(r.U32())
		if r.Err != nil {
			return
		}
		if id != functionNames {
			continue
		}
		content := sub.Rest()
		n := sub.Count(2)
		for range n {
			sub.U32()
			if len(sub.Name()) > maxName || sub.Err != nil {
				return // a stack holds thirty of them
			}
		}
		if sub.More() || sub.Err != nil || n > maxFunctions {
			return
		}
		p.names = nameSection(content)
		return
	}
}

// nameSection makes a custom section that holds the functions' names and nothing else.
func nameSection(content []byte) []byte {
	inner := AppendSection([]byte("\x04name"), functionNames, content)
	return AppendSection(nil, SectionCustom, inner)
}
