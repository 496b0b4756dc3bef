package plan

import (
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/internal/plan/doubts"
	openapi "github.com/informerd/informerd/internal/schema"
)

// Unchecked returns the resources whose fields were not checked in expressions, since nothing is
// known of them without an API server, each once. Those that look like a misspelt name are
// suspicious. There are none without schemas.
func Unchecked(cfg *config.Config, schemas Schemas) (suspicious, notes config.Errors) {
	if schemas == nil {
		return nil, nil
	}
	named := map[string]bool{}
	for _, l := range cfg.ListenersInOrder() {
		resource := l.Informer().Resource
		asks := !l.Select.IsZero() || !l.Filter.IsZero() || len(l.Rules) > 0
		if named[resource] || !asks || schemas.Schema(resource) != nil {
			continue
		}
		named[resource] = true
		field := "listeners." + l.Name + ".informer.resource"
		if l.InformerRef.Name != "" && cfg.Informers[l.InformerRef.Name] == l.Informer() {
			field = "informers." + l.InformerRef.Name + ".resource"
		}
		message := uncheckedMessage(resource)
		if near := nearResource(resource); near != "" {
			suspicious = append(suspicious,
				cfg.ErrorAt(field, message, nearHint(near)))
		} else {
			notes = append(notes, cfg.ErrorAt(field, message, askCluster))
		}
	}
	return suspicious, notes
}

const askCluster = "validate --cluster asks the API server"

func uncheckedMessage(resource string) string {
	return fmt.Sprintf(
		"the fields that expressions read of %s are not checked: informerd has no schema of it",
		resource)
}

// nearResource returns the known resource that a name may be a misspelling of, "" if there is none.
func nearResource(resource string) string {
	set, err := openapi.Builtin()
	if err != nil {
		return ""
	}
	if doubts.IsCustom(resource) {
		return ""
	}
	if meant := doubts.Meant(set, resource); meant != "" {
		return meant
	}
	if near := doubts.NearCustom(resource); near != "" {
		return near
	}
	known := set.Resources()
	if !strings.Contains(resource, ".") { // as users usually write them
		for i, name := range known {
			known[i], _, _ = strings.Cut(name, ".")
		}
	}
	if near, found := nearest.Name(resource, known); found {
		return near
	}
	return begun(resource, known)
}

// begun returns the shortest known resource that begins as a name does, but for an s at its end, as
// in deploys, "" if there is none.
func begun(resource string, known []string) (shortest string) {
	stem := strings.TrimSuffix(strings.ToLower(resource), "s")
	for _, name := range known {
		if len(stem) >= 5 && strings.HasPrefix(name, stem) &&
			(shortest == "" || len(name) < len(shortest)) {
			shortest = name
		}
	}
	return shortest
}
