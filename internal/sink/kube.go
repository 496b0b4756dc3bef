package sink

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// KubeAPI sends single requests to an API server. It retries nothing. An answer other than success
// is an error that wraps an apierrors.APIStatus. Package kube implements it with client-go.
type KubeAPI interface {
	// Do returns the body of the answer.
	Do(ctx context.Context, r KubeRequest) ([]byte, error)
}

// KubeRequest is one request about one object.
type KubeRequest struct {
	Cluster                  string // that the object is of; the API of a single one ignores it
	Method                   string // GET, POST, PUT or PATCH
	Group, Version, Resource string
	Namespace                string // empty if the resource is cluster-scoped
	Name                     string // empty with POST

	ContentType  string // of Body; default: JSON
	Body         []byte
	FieldManager string
	DryRun       bool
	// Strict has the server refuse fields that it does not know, instead of dropping them.
	Strict bool
	// MetadataOnly asks for an answer that has the object's metadata alone.
	MetadataOnly bool
}

// Path returns the segments of the request's path, which may be any texts.
func (r *KubeRequest) Path() []string {
	segments := []string{"apis", r.Group, r.Version}
	if r.Group == "" {
		segments = []string{"api", r.Version}
	}
	if r.Namespace != "" {
		segments = append(segments, "namespaces", r.Namespace)
	}
	segments = append(segments, r.Resource)
	if r.Method != http.MethodPost {
		segments = append(segments, r.Name)
	}
	return segments
}

// Content types of patches.
const (
	ApplyPatch = "application/apply-patch+yaml" // JSON is YAML
	JSONPatch  = "application/json-patch+json"
	MergePatch = "application/merge-patch+json"
)

// Each writes messages one after the other, and returns what Write of a sink returns.
func Each(ctx context.Context, messages []Message, write func(*Message) error) []error {
	errs := make([]error, len(messages))
	for i := range messages {
		if errs[i] = ctx.Err(); errs[i] == nil {
			errs[i] = write(&messages[i])
		}
	}
	return Results(errs)
}

// KubeMetadata is what outputs need of an answer.
type KubeMetadata struct {
	Name            string `json:"name"`
	UID             string `json:"uid"`
	ResourceVersion string `json:"resourceVersion"`
}

// ReadKubeMetadata reads the metadata of the object that an API server answered with. A proxy may
// have answered instead.
func ReadKubeMetadata(answer []byte) (KubeMetadata, error) {
	var o struct {
		Object KubeMetadata `json:"metadata"`
	}
	if err := json.Unmarshal(answer, &o); err != nil || o.Object.Name == "" {
		return KubeMetadata{}, errors.New(
			"the answer is not a Kubernetes object; is it the API server's?")
	}
	return o.Object, nil
}

// KubeDryRun is an API server to which nothing is sent. It answers as if it had taken everything.
type KubeDryRun struct{ Show Show }

// Do implements KubeAPI.
func (a KubeDryRun) Do(_ context.Context, r KubeRequest) ([]byte, error) {
	w := Unsent{Do: r.Method, To: "/" + strings.Join(r.Path(), "/"), Body: r.Body}
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
	return json.Marshal(map[string]any{"metadata": map[string]string{
		"name": cmp.Or(r.Name, "dry-run")}})
}
