package plan

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/filters/rules"
)

// Write writes the listing as text.
func (l *Listing) Write(w io.Writer) error {
	out := &lines{Writer: w}
	watches, listeners := 0, 0
	for _, inf := range l.Informers {
		watches += inf.Watches
		listeners += len(inf.Listeners)
	}
	informers := wording.Count(len(l.Informers), "informer")
	if watches != len(l.Informers) {
		informers += fmt.Sprintf(" with %d watches", watches)
	}
	cluster := "cluster"
	if len(l.Clusters)+len(l.ClustersFrom) > 0 {
		cluster = "home cluster"
	}
	out.line(0, "%s %s: %s, %s, %s", cluster, l.Cluster, informers, wording.Count(listeners, "listener"),
		wording.Count(len(l.Outputs), "output"))
	l.writeClusters(out)
	for i := range l.Informers {
		out.line(0, "")
		l.Informers[i].write(out)
	}
	for i := range l.Outputs {
		out.line(0, "")
		l.Outputs[i].write(out)
	}
	for i, r := range l.Requests {
		if i == 0 {
			out.line(0, "\nother requests, which informerd rbac FILE has rights for")
		}
		out.line(1, "%s", r.Right)
		out.line(2, "for %s", strings.Join(r.For, ", "))
	}
	for i, warning := range l.Warnings {
		if i == 0 {
			out.line(0, "\nwarnings")
		}
		out.line(1, "%s", warning)
	}
	return out.err
}

func (l *Listing) writeClusters(out *lines) {
	for _, c := range l.Clusters {
		access := "in which informerd runs"
		if !c.InCluster {
			access = "kubeconfig " + c.Kubeconfig
		}
		out.line(0, "\ncluster %s, %s", c.Name, access)
		out.items(1, "context", c.Context)
		out.items(1, "labels", labels.Set(c.Labels).String())
	}
	for _, from := range l.ClustersFrom {
		if from.Secrets == nil {
			out.line(0, "\nclusters of the folder %s", from.Folder)
			continue
		}
		out.line(0, "\nclusters of Secrets in the namespace %s", from.Secrets.Namespace)
		out.items(1, "label selector", from.Secrets.LabelSelector)
	}
}

func (i *listedInformer) write(out *lines) {
	where := "the whole cluster"
	switch len(i.Namespaces) {
	case 0:
	case 1:
		where = "namespace " + i.Namespaces[0]
	default:
		where = fmt.Sprintf("namespaces %s: %d watches", strings.Join(i.Namespaces, ", "),
			i.Watches)
	}
	out.line(0, "informer of %s, %s", i.Resource, where)
	out.items(1, "named", strings.Join(i.Names, ", "))
	out.items(1, "clusters", strings.Join(i.Clusters, ", "))
	out.items(1, "cluster selector", i.ClusterSelector)
	out.items(1, "label selector", i.LabelSelector)
	out.items(1, "field selector", i.FieldSelector)
	out.items(1, "drops", strings.Join(i.Drop, ", "))
	if i.KeepManagedFields {
		out.items(1, "keeps", "metadata.managedFields")
	}
	var indexes []string
	for _, name := range slices.Sorted(maps.Keys(i.Indexes)) {
		indexes = append(indexes, name+": "+i.Indexes[name])
	}
	out.items(1, "indexes", indexes...)
	if len(i.sharedBy) > 1 {
		out.items(1, "shared by", strings.Join(i.sharedBy, ", "))
	}
	out.items(1, "looked up by", strings.Join(i.LookedUpBy, ", "))
	out.items(1, "replicas", i.Replicas)
	for j := range i.Listeners {
		i.Listeners[j].write(out)
	}
}

func (l *listedListener) write(out *lines) {
	from := ""
	if l.File != "" {
		from = ", from " + l.File
	}
	out.line(1, "listener %s%s", l.Name, from)
	if on := strings.Join(l.On, ", "); on != "add, update, delete" {
		out.items(2, "on", on)
	}
	out.items(2, "resync", l.Resync)
	out.items(2, "warning", l.Warnings...)
	if l.Before.Never {
		out.items(2, "before the buffer", "refuses every event: no event can match")
	} else {
		before := append([]string{strings.Join(l.Before.On, ", ")}, l.Before.Conditions...)
		if l.Before.ObjectOrOld {
			before = append(before, "for updates: object or old")
		}
		out.items(2, "before the buffer", before...)
	}
	var behind []string
	for _, s := range l.Behind {
		behind = append(behind, s.lines()...)
	}
	switch {
	case len(behind) == 0:
		behind = []string{"nothing"}
	case l.Before.Complete:
		behind = append(behind, "(decided before the buffer)")
	}
	out.items(2, "behind the buffer", behind...)
	if len(l.Again) > 0 {
		out.items(2, "evaluated again", "every "+document.Short(rules.ClockInterval)+": "+
			strings.Join(l.Again, ", "))
	}
	if l.Handler != "" {
		out.items(2, "handler", l.Handler)
		out.items(2, "grants", cmp.Or(strings.Join(l.Grants, "; "), "none"))
	}
	out.items(2, "sends to", strings.Join(l.Outputs, ", "))
}

// lines returns the lines of a stage. Those of an expression stay as they are, one below another.
func (s Stage) lines() []string {
	name, after := s.Is, ""
	if s.Name != "" {
		name = fmt.Sprintf("rule %s (%s)", s.Name, s.Severity)
	}
	if s.For != "" {
		after += ", for " + s.For
	}
	if s.Repeat != "" {
		after += ", again every " + s.Repeat
	}
	all := below(name+": ", strings.TrimSpace(s.Expression)+after)
	if s.Message != "" {
		all = append(all, below("  its message: ", s.Message)...)
	}
	return all
}

// below returns the lines of an expression, the first one with what is before it.
func below(before, expression string) []string {
	all := strings.Split(before+strings.TrimSpace(expression), "\n")
	for i := 1; i < len(all); i++ {
		all[i] = "  " + strings.TrimRight(all[i], " \t\r")
	}
	return all
}

func (o *listedOutput) write(out *lines) {
	out.line(0, "output %s, %s", o.Name, o.To)
	out.items(1, "gets messages of", cmp.Or(strings.Join(o.Listeners, ", "), "no listener"))
	out.items(1, "warning", o.Warnings...)
	out.items(1, "when", below("", o.Expressions["when"])...)
	for _, name := range slices.Sorted(maps.Keys(o.Expressions)) {
		if name != "when" {
			out.items(1, name, below("", o.Expressions[name])...)
		}
	}
}

// lines writes lines until a write fails.
type lines struct {
	io.Writer
	err error
}

// line writes a line, indented by twice the depth.
func (l *lines) line(depth int, format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l, strings.Repeat("  ", depth)+format+"\n", args...)
	}
}

// items writes the texts that are not empty, one a line, the first one behind a name.
func (l *lines) items(depth int, name string, texts ...string) {
	for _, text := range texts {
		if text != "" {
			l.line(depth, "%-18s %s", name, text)
			name = ""
		}
	}
}
