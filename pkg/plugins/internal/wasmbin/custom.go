package wasmbin

// Custom is a custom section: what a toolchain added to a module, besides its code.
type Custom struct {
	Name    string
	Content []byte // a view of the file
}

// Customs returns the custom sections of a file that Parse takes, without those whose name cannot
// be read.
func Customs(file []byte) (all []Custom) {
	sections, err := Split(file)
	if err != nil {
		return nil
	}
	for _, section := range sections {
		if section.ID != SectionCustom {
			continue
		}
		r := section.Reader(file)
		if name := r.Name(); r.Err == nil {
			all = append(all, Custom{name, r.Rest()})
		}
	}
	return all
}

// producer is a tool that a module was made with.
type producer struct {
	Field   string // language, processed-by or sdk
	Name    string
	Version string
}

// maxProducers is how many of them are read.
const maxProducers = 100

// Producers reads the content of the custom section "producers". What cannot be read ends it.
func Producers(content []byte) (all []producer) {
	r := &Reader{File: content, End: len(content)}
	for range r.Count(2) {
		field := r.Name()
		for range r.Count(2) {
			p := producer{Field: field, Name: r.Name(), Version: r.Name()}
			if r.Err != nil || len(all) == maxProducers {
				return all
			}
			all = append(all, p)
		}
	}
	return all
}
