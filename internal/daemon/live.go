package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/rights"
	"github.com/informerd/informerd/pkg/informer"
)

// Live reads an object that a listener's informer would watch from the API server. It needs only
// the right to list that the informer needs. The error is an *UnknownListenerError, a
// *plan.WrongKindError, a *rights.ForbiddenError, or one of package kube, and a config.Errors if
// the kubeconfig that the configuration names is not there.
func Live(ctx context.Context, cfg *config.Config, o Options, name string,
	ref kube.Reference) (plan.ObjectFile, error) {
	file := plan.ObjectFile{Path: ref.String()}
	l := cfg.Listeners[name]
	if l == nil {
		return file, plan.UnknownListener(cfg, name)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if mistakes := plan.KubeconfigMistakes(cfg); o.Kubeconfig == "" && len(mistakes) > 0 {
		return file, mistakes
	}
	c, err := connect(cfg, o)
	if err != nil {
		return file, fmt.Errorf("%s: %w", ref, err)
	}
	defer c.close()
	found, err := c.resolve(ctx, l.Informer())
	if err != nil {
		return file, fmt.Errorf("%s: listener %q: %w", ref, name, err)
	}
	asked, err := c.resolver.Resolve(ctx, ref.Resource)
	switch {
	case err != nil:
		return file, fmt.Errorf("%s: %w", ref, err)
	case asked.GVR.GroupResource() != found.GVR.GroupResource():
		return file, &plan.WrongKindError{Path: ref.String(), Kind: asked.GVK.Kind, Listener: name,
			Resource: l.Informer().Resource}
	case found.Namespaced && ref.Namespace == "":
		return file, fmt.Errorf("%s: %s are in namespaces: write %s/NAMESPACE/%s", ref,
			found.GVR.Resource, ref.Resource, ref.Name)
	case !found.Namespaced && ref.Namespace != "":
		return file, fmt.Errorf("%s: %s are in no namespace: write %s/%s", ref, found.GVR.Resource,
			ref.Resource, ref.Name)
	}
	file.JSON, err = c.object(ctx, found, ref)
	return file, rights.Explain(err, l.Informer(), found, ref)
}

// liveTime bounds a request for one object.
const liveTime = 20 * time.Second

// object lists the one object of this name, which does not need the right to get it.
func (c *cluster) object(ctx context.Context, found kube.Resource,
	ref kube.Reference) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, liveTime)
	defer cancel()
	scope := informer.Scope{Namespace: ref.Namespace,
		FieldSelector: fields.OneTermEqualSelector("metadata.name", ref.Name).String()}
	body, err := c.client.ListWatcher(resourceOf(found), scope).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	text, err := io.ReadAll(body)
	if err = errors.Join(err, body.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	var list struct{ Items []map[string]json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: the API server's answer is not a list: %w", ref, err)
	}
	if len(list.Items) == 0 {
		return nil, fmt.Errorf("%s: there is no such object on %s", ref, c.resolver.Server())
	}
	item := list.Items[0]
	for field, value := range map[string]string{"apiVersion": found.GVK.GroupVersion().String(),
		"kind": found.GVK.Kind} {
		if item[field] == nil { // a list has it only once, for all items
			item[field], _ = json.Marshal(value) // a string always has a JSON form
		}
	}
	return json.Marshal(item)
}
