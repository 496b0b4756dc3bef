package migrate

import (
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// selectors returns the informer of a binding, and which of its objects are selected beyond that.
func (h *hook) selectors(b *document.Node, field string) (inf fields, selected condition, ok bool) {
	k, resource, ok := h.resourceOf(b, field)
	if !ok {
		return nil, selected, false
	}
	inf = fields{{"resource", resource}}
	if k.kind == "Secret" {
		inf = append(inf, another("allowSecrets", true))
		h.find(Differs, b.Get("kind"), field+".kind", "values of Secrets are digests here, and never the values")
	}
	var parts []condition
	namespace := b.Get("namespace")
	switch names := namesOf(namespace.Get("nameSelector")); {
	case namespace == nil:
	case len(names) > 0 && namespace.Get("labelSelector").IsMapping():
		h.find(Differs, namespace, field+".namespace", "namespaces are selected by name or by labels here, one list of objects for both is one for all namespaces")
		byName := isTrue("object.metadata.namespace in " + quotedList(names))
		parts = append(parts, anyOf(byName, h.namespaceLabels(namespace, field)))
	case len(names) > 0 && k.cluster:
		h.find(Note, namespace, field+".namespace", "these objects have no namespace")
	case len(names) > 0:
		inf = append(inf, another("namespaces", unique(names)))
	case namespace.Get("labelSelector").IsMapping():
		parts = append(parts, h.namespaceLabels(namespace, field))
	}
	if n := b.Get("labelSelector"); n.IsMapping() {
		if text, is := h.labelSelector(n, field+".labelSelector"); is && text != "" {
			inf = append(inf, another("labelSelector", text))
		}
	}
	terms := h.fieldTerms(b.Get("fieldSelector"), field+".fieldSelector")
	switch names := unique(namesOf(b.Get("nameSelector"))); {
	case len(names) == 1:
		terms = append(terms, "metadata.name="+names[0])
	case len(names) > 1:
		parts = append(parts, isTrue("object.metadata.name in "+quotedList(names)))
	}
	if len(terms) > 0 {
		inf = append(inf, another("fieldSelector", strings.Join(terms, ",")))
	}
	return inf, allOf(parts...), true
}

// namesOf returns the names of a nameSelector. The documentation has it as a list in one place.
func namesOf(n *document.Node) (names []string) {
	items := n.List("matchNames")
	if n.IsList() {
		items = n.Items
	}
	for _, item := range items {
		if item.IsText() && item.Text != "" {
			names = append(names, item.Text)
		}
	}
	return names
}

func unique(names []string) (all []string) {
	seen := map[string]bool{}
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			all = append(all, name)
		}
	}
	return all
}

func (h *hook) fieldTerms(n *document.Node, field string) (terms []string) {
	escape := strings.NewReplacer(`\`, `\\`, ",", `\,`, "=", `\=`)
	for i, e := range n.List("matchExpressions") {
		sign := map[string]string{"=": "=", "==": "=", "Equals": "=", "!=": "!=",
			"NotEquals": "!="}[e.String("operator")]
		if sign == "" {
			h.find(Lost, e, document.Item(field+".matchExpressions", i), "there is no operator %s",
				document.Quote(e.String("operator")))
			continue
		}
		terms = append(terms, e.String("field")+sign+escape.Replace(e.String("value")))
	}
	return terms
}

// labelSelector returns a label selector as a text.
func (h *hook) labelSelector(n *document.Node, field string) (text string, is bool) {
	var terms []string
	if labels := n.Get("matchLabels"); labels != nil {
		for _, m := range labels.Members {
			terms = append(terms, m.Name+"="+m.Value.Text)
		}
	}
	for i, e := range n.List("matchExpressions") {
		var values []string
		for _, v := range e.List("values") {
			values = append(values, v.Text)
		}
		key, list := e.String("key"), " ("+strings.Join(values, ",")+")"
		switch e.String("operator") {
		case "In":
			terms = append(terms, key+" in"+list)
		case "NotIn":
			terms = append(terms, key+" notin"+list)
		case "Exists":
			terms = append(terms, key)
		case "DoesNotExist":
			terms = append(terms, "!"+key)
		default:
			h.find(Lost, e, document.Item(field+".matchExpressions", i), "there is no operator %s",
				document.Quote(e.String("operator")))
			return "", false
		}
	}
	return strings.Join(terms, ","), true
}

// namespaceLabels returns when the namespace of an object has labels.
func (h *hook) namespaceLabels(namespace *document.Node, field string) condition {
	n := namespace.Get("labelSelector")
	at := field + ".namespace.labelSelector"
	h.find(Differs, n, at, "informerd watches the objects in all namespaces, and selects by the labels of theirs; when these change, it takes up to a minute")
	labels := fmt.Sprintf(`cached(%s, "", object.metadata.namespace).metadata.labels`,
		quoted(h.sharedInformer("namespaces", fields{{"resource", "namespaces"}})))
	parts := []condition{}
	if m := n.Get("matchLabels"); m != nil {
		for _, label := range m.Members {
			parts = append(parts, isTrue(fmt.Sprintf("%s[%s] == %s", labels, quoted(label.Name),
				quoted(label.Value.Text))))
		}
	}
	for i, e := range n.List("matchExpressions") {
		value := fmt.Sprintf("%s[%s]", labels, quoted(e.String("key")))
		var values []string
		for _, v := range e.List("values") {
			values = append(values, v.Text)
		}
		switch e.String("operator") {
		case "In":
			parts = append(parts, isTrue(value+" in "+quotedList(values)))
		case "NotIn":
			parts = append(parts, isTrue(value+" not in "+quotedList(values)))
		case "Exists":
			parts = append(parts, isTrue(value+" != nil"))
		case "DoesNotExist":
			parts = append(parts, isTrue(value+" == nil"))
		default:
			h.find(Lost, e, document.Item(at+".matchExpressions", i), "there is no operator %s",
				document.Quote(e.String("operator")))
			parts = append(parts, condition{kind: never})
		}
	}
	return allOf(parts...)
}
