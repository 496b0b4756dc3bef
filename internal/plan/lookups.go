package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Lookups returns the names of the informers in which the listener's expressions and its handler
// look objects up.
func (p *Listener) Lookups() []string {
	names := append(lookups(p.Filters()), GrantedInformers(p.Config)...)
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// LookedUpBy returns which part of the listener looks objects up in an informer.
func (p *Listener) LookedUpBy(name string) string {
	if slices.Contains(lookups(p.Filters()), name) {
		return "its expressions look"
	}
	return "its handler looks"
}

// LookedUp is an informer in which a listener looks objects up.
type LookedUp struct {
	Name     string
	Informer *config.Informer `json:"-"`
	InOrder  *config.Informer // the same, for digests
	Within   []string         // indexes that are needed within a namespace as well
}

// LooksUp returns what the listener looks objects up in.
func (p *Listener) LooksUp() (all []LookedUp) {
	for _, name := range p.Lookups() {
		l := LookedUp{Name: name, Informer: p.Config.Informers()[name]}
		l.InOrder = l.Informer.InOrder()
		for _, f := range p.Filters() {
			l.Within = append(l.Within, f.IndexesIn()[name]...)
		}
		l.Within = slices.Compact(slices.Sorted(slices.Values(l.Within)))
		all = append(all, l)
	}
	return all
}

// GrantedInformers returns the informers whose caches the listener's handler may read.
func GrantedInformers(l *config.Listener) []string {
	if l.Handler == nil || l.Handler.Grants.Cache == nil {
		return nil
	}
	return l.Handler.Grants.Cache.Informers
}

// lookups returns the informers in which expressions look objects up, by the names they have there.
func lookups(expressions []*filters.Filter) []string {
	var names []string
	for _, f := range expressions {
		names = append(names, f.Informers()...)
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// Differences returns the fields of the listener that have another value in a plan, sorted. What is
// in the files that they name is not compared.
func (p *Listener) Differences(planned *Listener) (fields []string) {
	fields = Differing(p.Members(), planned.Members())
	if len(fields) > 1 { // it follows from the others
		fields = slices.DeleteFunc(fields, func(name string) bool { return name == "informers" })
	}
	resync := event.OpSet(0).With(event.Resync)
	if p.Config.Ops()&^resync == planned.Config.Ops()&^resync { // the period says the rest
		fields = slices.DeleteFunc(fields, func(name string) bool { return name == "on" })
	}
	return fields
}

// Differing returns the names, sorted, that have another text in one of the two, or none.
func Differing(before, after map[string]string) (names []string) {
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, had := before[name]
		if is, has := after[name]; had != has || was != is {
			names = append(names, name)
		}
	}
	return names
}

// Members returns the fields of a listener, as JSON, with the informer in full, and with those in
// which it looks objects up.
func (p *Listener) Members() map[string]string {
	text, err := json.Marshal(p.Config)
	var all map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil { // raw JSON in a checked configuration is valid
		panic(fmt.Sprintf("plan: a listener of a checked configuration is not JSON: %v", err))
	}
	members := map[string]string{}
	for name, text := range all {
		members[name] = string(text)
	}
	members["informer"] = Digest(p.Config.Informer().InOrder())
	members["outputs"] = Digest(slices.Sorted(slices.Values(p.Config.Outputs)))
	members["informers"] = Digest(p.LooksUp())
	return members
}
