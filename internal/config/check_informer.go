package config

import (
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/resourcename"
	"github.com/informerd/informerd/pkg/informer/object"
)

// placedInformer is an informer, named or inline, and where it is.
type placedInformer struct {
	path     string
	report   *document.Report
	informer *Informer
}

// checkInformer checks what the tags of an informer's fields cannot say.
func checkInformer(i *Informer, path string, r *document.Report) {
	field := document.Join(path, "resource")
	if r.Good(field) && resourcename.MayBeSecrets(i.Resource) && !i.AllowSecrets &&
		!r.Failed(document.Join(path, "allowSecrets")) {
		r.BadValue(field, "add allowSecrets: true to the informer if this is meant; their values are replaced by digests even then",
			"%s: secrets are not watched unless the informer allows it", field)
	}
	names := document.Join(path, "namespaces")
	if at := document.Item(names, 0); len(i.Namespaces) == 1 && i.Namespaces[0] == "all" && r.Good(at) {
		r.Warn(r.Value(at), at, "to watch all namespaces, remove namespaces",
			"%s is a namespace of the name all", at)
	}
	var dropped []string
	for n, text := range i.Drop {
		if p, err := object.CompilePath(text); err == nil &&
			r.Good(document.Item(document.Join(path, "drop"), n)) {
			dropped = append(dropped, p.String())
		}
	}
	for name, text := range document.Sorted(i.Indexes) {
		checkIndex(name, text, dropped, document.Join(document.Join(path, "indexes"), name), r)
	}
}

func checkIndex(name, text string, dropped []string, path string, r *document.Report) {
	if name == "namespace" {
		r.BadField(path, "choose another name",
			"%s: every informer has an index on the namespace already", path)
	}
	p, err := object.CompilePath(text)
	if err != nil || !r.Good(path) {
		return
	}
	for _, drop := range dropped {
		if rest, below := strings.CutPrefix(p.String(), drop); below &&
			(rest == "" || rest[0] == '.' || rest[0] == '[') {
			r.BadValue(path, "", "%s reads %s, which the informer drops", path,
				document.Quote(text))
			return
		}
	}
}

// checkSharedIndexes looks at informers that will share one cache: an index of one name is one
// index.
func checkSharedIndexes(informers []placedInformer) {
	type key struct {
		resource string
		scope    Scope
		index    string
	}
	first := map[key]placedInformer{}
	for _, p := range informers {
		scope := p.informer.Scope()
		for name, text := range document.Sorted(p.informer.Indexes) {
			field := document.Join(document.Join(p.path, "indexes"), name)
			k := key{p.informer.Resource, scope, name}
			other, taken := first[k]
			if !taken {
				first[k] = p
			} else if p.report.Good(field) && other.informer.Indexes[name] != text {
				where := other.path
				if other.report != p.report {
					where += " of " + document.Shown(other.report.File())
				}
				p.report.BadValue(field, "choose another name",
					"%s is %s, but %s watches the same objects and has an index of this name on %s",
					field, document.Quote(text), where,
					document.Quote(other.informer.Indexes[name]))
			}
		}
	}
}
