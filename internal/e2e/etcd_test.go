package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// compactEtcd has etcd forget what was before a revision. It is one call of gRPC, for which the
// client of etcd would be a large dependency.
func (c *cluster) compactEtcd(ctx context.Context, revision uint64) error {
	status, err := c.devcluster(ctx, "status")
	if err != nil {
		return err
	}
	address := ""
	for line := range strings.Lines(status) {
		if fields := strings.Fields(line); len(fields) > 3 && fields[0] == "etcd" {
			address = fields[3]
		}
	}
	pki := func(name string) string { return filepath.Join(c.dir, "pki", name) }
	pair, err := tls.LoadX509KeyPair(pki("etcd-client.crt"), pki("etcd-client.key"))
	if err != nil {
		return err
	}
	authority, err := os.ReadFile(pki("etcd-ca.crt"))
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	transport := &http.Transport{ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots}}
	defer transport.CloseIdleConnections()

	// A CompactionRequest: revision is its field 1, physical its field 2.
	message := append(binary.AppendUvarint([]byte{1 << 3}, revision), 2<<3, 1)
	body := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		address+"/etcdserverpb.KV/Compact", bytes.NewReader(append(body, message...)))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("TE", "trailers")
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body) // the trailer comes behind it
	err = errors.Join(err, response.Body.Close())
	code := response.Trailer.Get("Grpc-Status") + response.Header.Get("Grpc-Status")
	if err == nil && code != "0" {
		err = fmt.Errorf("etcd answered %s with the status %q: %s%s", response.Status, code,
			response.Trailer.Get("Grpc-Message"), response.Header.Get("Grpc-Message"))
	}
	return err
}
