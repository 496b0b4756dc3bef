package kube

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/outbound"
)

// elsewhere is a connection to a server that seems to have another address.
type elsewhere struct{ net.Conn }

func (elsewhere) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(10, 7, 7, 7), Port: 6443}
}

// Handlers reach the API server neither where it was reached nor where it says it is, even if a
// grant names the address.
func TestTheAPIServersAddressesAreRefused(t *testing.T) {
	s := newServer(t, false, stock()...)
	s.setAnswer(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api" {
			writeJSON(w, metav1.APIVersions{Versions: []string{"v1"},
				ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{
					{ClientCIDR: "0.0.0.0/0", ServerAddress: "10.7.7.8:6443"}}})
			return
		}
		legacy(w, r.URL.Path, stock())
	})
	cfg, err := RESTConfig(Options{Kubeconfig: write(t, filepath.Join(outside(t), "config"),
		"clusters: [{name: c, cluster: {server: '"+s.URL+"'}}]\n"+
			"contexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n")})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		return elsewhere{c}, err
	}
	r, err := NewResolver(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resolve(t.Context(), "pods"); err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{"https://10.7.7.7:6443/", "https://10.7.7.8:6443/"} {
		grant, err := outbound.New(outbound.Config{Allow: []string{url},
			Methods: []string{http.MethodGet}, MaxResponse: 1})
		if err != nil {
			t.Fatal(err)
		}
		request, err := grant.Prepare(outbound.Head{Method: http.MethodGet, URL: url}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := grant.Do(t.Context(), request, nil); !errors.Is(err, outbound.ErrDenied) {
			t.Errorf("%s: got %v, want %v", url, err, outbound.ErrDenied)
		}
		grant.Close()
	}
}
