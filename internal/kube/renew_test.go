package kube

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer"
)

// All clients of a server use other credentials from the moment they are renewed, and none is renewed
// to another server.
func TestRenew(t *testing.T) {
	var token atomic.Value
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != token.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"kind":"List"}`)
	}))
	t.Cleanup(server.Close)
	with := func(at, token string) Options {
		return Options{Text: []byte(fmt.Sprintf("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: %q, insecure-skip-tls-verify: true}}]\n"+
			"users: [{name: u, user: {token: %q}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\ncurrent-context: c\n",
			at, token))}
	}
	s, err := Connect(with(server.URL, "one"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	refused := func() bool {
		t.Helper()
		list, err := s.Client.ListWatcher(informer.Resource{}, informer.Scope{}).List(t.Context(), metav1.ListOptions{})
		if err == nil {
			list.Close()
		}
		asked := s.Resolver.client.Get().AbsPath("/version").Do(t.Context()).Error()
		if (err == nil) != (asked == nil) {
			t.Errorf("a list got %v, a question %v", err, asked)
		}
		return err != nil
	}
	token.Store("Bearer one")
	if refused() {
		t.Error("the first token is refused")
	}
	token.Store("Bearer two")
	if !refused() {
		t.Error("the first token is taken still")
	}
	for _, o := range []Options{with(server.URL, "two"), with(server.URL, "three")} {
		if err := s.Renew(o); err != nil {
			t.Fatal(err)
		}
		if refused() == strings.Contains(string(o.Text), "two") {
			t.Errorf("a token of %s", o.Text)
		}
	}
	if err := s.Renew(with("https://127.0.0.1:1", "two")); !errors.Is(err, ErrOtherServer) {
		t.Error(err)
	}
	if err := s.Renew(Options{Text: []byte("x")}); err == nil {
		t.Error("no kubeconfig was taken")
	}
	if !refused() || s.Renew(with(server.URL, "two")) != nil || refused() {
		t.Error("after errors it is not as before")
	}
}

// A kubeconfig of which nobody on this machine is the author can do nothing here but name a server.
func TestTextsThatReachForTheMachine(t *testing.T) {
	for user, want := range map[string]string{
		"{exec: {apiVersion: client.authentication.k8s.io/v1, command: rm, interactiveMode: Never}}": `the user "u" has a program run, which is refused here`,
		"{auth-provider: {name: gcp}}":   `the user "u" has a program run, which is refused here`,
		"{tokenFile: /etc/passwd}":       `the user "u" names a file, which is refused here`,
		"{client-certificate: /etc/key}": `the user "u" names a file, which is refused here`,
		"{client-key: /etc/key}":         `the user "u" names a file, which is refused here`,
		"{token: secret, x: [}":          "the text is not a kubeconfig",
	} {
		_, err := RESTConfig(Options{Text: []byte("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://c'}}]\n" +
			"users: [{name: u, user: " + user + "}]\ncontexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n")})
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", user, err, want)
		}
	}
	_, err := RESTConfig(Options{Text: []byte("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://c', certificate-authority: /etc/ca}}]\n")})
	if err == nil || err.Error() != `the cluster "c" names a file, which is refused here` {
		t.Error(err)
	}
	if _, err := RESTConfig(Options{Text: []byte{}}); err == nil || strings.Contains(err.Error(), "KUBECONFIG") {
		t.Errorf("an empty text is another cluster: %v", err)
	}
	if _, err := RESTConfig(Options{InCluster: true, Kubeconfig: ""}); err == nil || !strings.Contains(err.Error(), "runs in") {
		t.Error(err)
	}
}
