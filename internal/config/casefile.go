package config

import (
	"github.com/informerd/informerd/internal/config/document"
)

// ReadDocument reads a file of another kind than those of this package, as strictly: a case of a
// handler's tests. It puts the text into a pointer to a struct whose fields have json tags. Noun is
// what the file is called in errors. The error is an [Errors] about a text that could not be read
// to its end; other mistakes are in Err.
func ReadDocument(noun, file string, data []byte, into any) (*document.File, error) {
	return document.Read(newKind(noun), file, data, into)
}

// CheckHandler fills in the defaults of a handler's grants and limits, which are in the mapping at
// path of a file, and checks them as in a configuration. Which informers there are is not known
// here.
func CheckHandler(d *document.File, g *Grants, l *Limits, path string) {
	grants := document.Join(path, "grants")
	d.SetFailed("informers")
	d.Check(g, grants)
	checkGrants(&Config{State: State{Dir: "."}}, g, grants, d.Report)
	d.Check(l, document.Join(path, "limits"))
}
