package pki

import (
	"encoding/pem"
	"fmt"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
)

// clusterName is the name of the cluster and of the context in every kubeconfig.
const clusterName = "devcluster"

// kubeconfig contains the certificates themselves, not their paths, so that the file can be copied.
func kubeconfig(server, user string, ca *authority, p pair) ([]byte, error) {
	content, err := clientcmd.Write(api.Config{
		Clusters: map[string]*api.Cluster{
			clusterName: {Server: server, CertificateAuthorityData: ca.certPEM},
		},
		AuthInfos: map[string]*api.AuthInfo{
			user: {ClientCertificateData: p.certPEM, ClientKeyData: p.keyPEM},
		},
		Contexts: map[string]*api.Context{
			clusterName: {Cluster: clusterName, AuthInfo: user},
		},
		CurrentContext: clusterName,
	})
	if err != nil {
		return nil, fmt.Errorf("write the kubeconfig of %s: %w", user, err)
	}
	return content, nil
}

func encode(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: der})
}
