package kubeapi

import "context"

// API sends single requests to an API server. It retries nothing. An answer other than success is
// an error that wraps an apierrors.APIStatus.
type API interface {
	// Do returns the body of the answer.
	Do(ctx context.Context, r Request) ([]byte, error)
}

// Request is one request about one object.
type Request struct {
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

// Content types of patches.
const (
	ApplyPatch = "application/apply-patch+yaml" // JSON is YAML
	JSONPatch  = "application/json-patch+json"
	MergePatch = "application/merge-patch+json"
)
