package wire

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// Who wants nothing but metadata asks for that, and takes whole objects of those who cannot leave
// out the rest.
func TestMetadataOnly(t *testing.T) {
	var accepted []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accepted = append(accepted, r.Header.Get("Accept"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"List","apiVersion":"v1","items":[]}`))
	}))
	defer server.Close()
	c, err := NewClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdleConnections()
	for _, only := range []bool{false, true} {
		all := c.Collection(pods, "shop", "", "")
		all.MetadataOnly = only
		body, err := all.List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := body.Close(); err != nil {
			t.Error(err)
		}
	}
	want := []string{"application/json",
		"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"}
	if !slices.Equal(accepted, want) {
		t.Errorf("got %q", accepted)
	}
}

// A shard's selector is sent with lists and watches.
func TestShardSelectorIsSent(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, r.URL.Query().Get("shardSelector"))
	}))
	defer server.Close()
	c, err := NewClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdleConnections()
	const selector = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
	all := c.Collection(pods, "shop", "a=b", "")
	for _, open := range []func(context.Context, metav1.ListOptions) (io.ReadCloser, error){
		all.List, all.Watch} {
		body, err := open(t.Context(), metav1.ListOptions{ShardSelector: selector})
		if err != nil {
			t.Fatal(err)
		}
		if err := body.Close(); err != nil {
			t.Error(err)
		}
	}
	if want := []string{selector, selector}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
