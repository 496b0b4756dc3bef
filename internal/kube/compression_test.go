package kube

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func TestCompression(t *testing.T) {
	dir := outside(t)
	for name, test := range map[string]struct {
		cluster     string // of the kubeconfig
		compression string
		want        string // in the log
	}{
		"far away": {`server: "https://one.example:6443"`, "",
			`server=https://one.example:6443 compression=on reason="the server may be far away"`},
		"auto": {`server: "https://10.0.0.1"`, "auto",
			`server=https://10.0.0.1 compression=on reason="the server may be far away"`},
		"IPv4": {`server: "https://127.0.0.1:6443"`, "",
			`server=https://127.0.0.1:6443 compression=off reason="the server has a loopback address"`},
		"another IPv4": {`server: "https://127.9.8.7/k8s"`, "",
			`server=https://127.9.8.7/k8s compression=off reason="the server has a loopback address"`},
		"IPv6": {`server: "https://[::1]:6443"`, "",
			`server=https://[::1]:6443 compression=off reason="the server has a loopback address"`},
		"IPv4 in IPv6": {`server: "https://[::ffff:127.0.0.1]"`, "",
			`server=https://[::ffff:127.0.0.1] compression=off reason="the server has a loopback address"`},
		"localhost": {`server: "http://LocalHost.:8001"`, "",
			`server=http://LocalHost.:8001 compression=off reason="the server has a loopback address"`},
		"no scheme": {`server: "localhost:8080"`, "",
			`server=localhost:8080 compression=off reason="the server has a loopback address"`},
		"below it": {`server: "https://kind.localhost"`, "",
			`server=https://kind.localhost compression=off reason="the server has a loopback address"`},
		"looks like it": {`server: "https://127.0.0.1.example"`, "",
			`server=https://127.0.0.1.example compression=on reason="the server may be far away"`},
		"behind a proxy": {`server: "https://127.0.0.1", proxy-url: "http://p.example"`, "",
			`server=https://127.0.0.1 compression=on reason="the server may be far away"`},
		"no address": {`server: "https://%zz"`, "",
			`server=https://%zz compression=on reason="the server may be far away"`},
		"kubeconfig": {`server: "https://one.example", disable-compression: true`, "auto",
			`server=https://one.example compression=off reason="the kubeconfig disables it"`},
		"on": {`server: "https://127.0.0.1", disable-compression: true`, "on",
			`server=https://127.0.0.1 compression=on reason="it is configured"`},
		"off": {`server: "https://one.example"`, "off",
			`server=https://one.example compression=off reason="it is configured"`},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, filepath.Join(dir, "k"),
				strings.ReplaceAll(kubeconfig, `server: "https://one.example:6443"`, test.cluster))
			var log bytes.Buffer
			logger := slog.New(
				slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
			cfg, err := RESTConfig(Options{Kubeconfig: path, Compression: test.compression,
				Logger: logger})
			if err != nil {
				t.Fatal(err)
			}
			if want := `level=DEBUG msg="chose whether answers are compressed" ` + test.want +
				"\n"; !strings.HasSuffix(log.String(), want) {
				t.Errorf("the log is\n%s\nwant %s", &log, want)
			}
			if cfg.DisableCompression != strings.Contains(test.want, "compression=off") {
				t.Errorf("disabled: %v", cfg.DisableCompression)
			}
		})
	}
}

// There is no cluster to run in here, so this begins where it has been found.
func TestCompressionInTheCluster(t *testing.T) {
	for compression, off := range map[string]bool{"auto": true, "on": false, "off": true} {
		cfg := &rest.Config{Host: "https://10.0.0.1"}
		if err := compress(cfg, true,
			Options{Compression: compression}.withDefaults()); err != nil ||
			cfg.DisableCompression != off {
			t.Errorf("%s: disabled %v, %v", compression, cfg.DisableCompression, err)
		}
	}
}

func TestCompressionMistake(t *testing.T) {
	path := write(t, filepath.Join(outside(t), "k"), kubeconfig)
	_, err := RESTConfig(Options{Kubeconfig: path, Compression: "gzip"})
	if want := `compression must be auto, on or off, is "gzip"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCompressionIsAskedFor(t *testing.T) {
	dir := outside(t)
	var got string
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Accept-Encoding")
		writeJSON(w, map[string]string{})
	})
	for name, start := range map[string]func(http.Handler) *httptest.Server{
		"http": httptest.NewServer, "https": httptest.NewTLSServer} {
		server := start(handler)
		defer server.Close()
		cluster := `server: "` + server.URL + `"`
		if name == "https" {
			cluster += ", insecure-skip-tls-verify: true"
		}
		path := write(t, filepath.Join(dir, "k"),
			strings.ReplaceAll(kubeconfig, `server: "https://one.example:6443"`, cluster))
		for compression, want := range map[string]string{"auto": "", "on": "gzip", "off": ""} {
			cfg, err := RESTConfig(Options{Kubeconfig: path, Compression: compression})
			if err != nil {
				t.Fatal(err)
			}
			cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
			client, err := rest.UnversionedRESTClientFor(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.Get().AbsPath("/x").Do(t.Context()).Raw(); err != nil ||
				got != want {
				t.Errorf("%s, %s: asked for %q, %v, want %q", name, compression, got, err, want)
			}
		}
	}
}
