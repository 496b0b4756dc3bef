package explain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/pkg/informer"
)

const (
	pageTime = 20 * time.Second
	pageSize = 500
)

// each calls add with every object that a list has, as JSON. Listing needs no right to get objects.
func each(ctx context.Context, client *informer.Client, found kube.Resource,
	scope informer.Scope, add func(item []byte)) error {
	from := client.ListWatcher(found.Watched(), scope)
	for next := ""; ; {
		items, more, err := readPage(ctx, from, next)
		if err != nil {
			return err
		}
		for _, item := range items {
			for field, value := range map[string]string{
				"apiVersion": found.GVK.GroupVersion().String(), "kind": found.GVK.Kind} {
				if item[field] == nil { // a list has it only once, for all items
					item[field], _ = json.Marshal(value) // a string always has a JSON form
				}
			}
			text, err := json.Marshal(item)
			if err != nil {
				return err
			}
			add(text)
		}
		if next = more; next == "" {
			return nil
		}
	}
}

// readPage reads the items of a page, and where the next one begins, "" after the last.
func readPage(ctx context.Context, from informer.ListWatcher, at string) (
	items []map[string]json.RawMessage, next string, err error) {
	ctx, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	body, err := from.List(ctx, metav1.ListOptions{Limit: pageSize, Continue: at})
	if err != nil {
		return nil, "", err
	}
	text, err := io.ReadAll(body)
	if err = errors.Join(err, body.Close()); err != nil {
		return nil, "", err
	}
	var list struct {
		Metadata struct{ Continue string }
		Items    []map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, "", fmt.Errorf("the API server's answer is not a list: %w", err)
	}
	return list.Items, list.Metadata.Continue, nil
}
