package dryrun

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/informerd/informerd/internal/sink/kubeapi"
)

// API is an API server to which nothing is sent. It answers as if it had taken everything.
type API struct{ Show Show }

// Do implements kubeapi.API.
func (a API) Do(_ context.Context, r kubeapi.Request) ([]byte, error) {
	segments := []string{"", "apis", r.Group, r.Version}
	if r.Group == "" {
		segments = []string{"", "api", r.Version}
	}
	if r.Namespace != "" {
		segments = append(segments, "namespaces", r.Namespace)
	}
	segments = append(segments, r.Resource)
	if r.Name != "" {
		segments = append(segments, r.Name)
	}
	w := Write{Do: r.Method, To: strings.Join(segments, "/"), Body: r.Body}
	if r.ContentType != "" {
		w.Headers = map[string]string{"Content-Type": r.ContentType}
	}
	if r.FieldManager != "" {
		w.To += "?fieldManager=" + r.FieldManager
	}
	if r.DryRun {
		w.To += "&dryRun=All"
	}
	if err := a.Show(w); err != nil {
		return nil, err
	}
	name := r.Name
	if name == "" {
		name = "dry-run"
	}
	return json.Marshal(map[string]any{"metadata": map[string]string{"name": name}})
}
