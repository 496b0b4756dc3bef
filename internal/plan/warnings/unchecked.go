package warnings

import (
	"fmt"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/doubts"
)

// Unchecked returns the resources whose fields were not checked in expressions, since nothing is
// known of them without an API server, each once. Those that look like a misspelt name are
// suspicious. There are none without schemas.
func Unchecked(cfg *config.Config, schemas plan.Schemas) (suspicious, notes config.Errors) {
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
		if near := doubts.Near(resource); near != "" {
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
