package kube

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// Account is a service account.
type Account struct {
	Namespace, Name string
	UID             types.UID
}

// AccountOf returns the service account whose token the credentials are, as that token names it;
// the zero Account if they are anything else. Nothing that is decided may depend on it: the server
// has not checked the token.
func AccountOf(cfg *rest.Config) Account {
	token := cfg.BearerToken
	if cfg.BearerTokenFile != "" {
		text, err := os.ReadFile(cfg.BearerTokenFile)
		if err != nil {
			return Account{}
		}
		token = string(text)
	}
	// https://www.rfc-editor.org/rfc/rfc7519, section 3: header, claims and signature
	parts := strings.Split(strings.TrimSpace(token), ".")
	if len(parts) != 3 {
		return Account{}
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return Account{}
	}
	var named struct {
		Kubernetes struct {
			Namespace      string
			ServiceAccount struct {
				Name string
				UID  types.UID
			}
		} `json:"kubernetes.io"`
	}
	if err := json.Unmarshal(claims, &named); err != nil {
		return Account{}
	}
	k := named.Kubernetes
	if k.Namespace == "" || k.ServiceAccount.Name == "" || k.ServiceAccount.UID == "" {
		return Account{}
	}
	return Account{k.Namespace, k.ServiceAccount.Name, k.ServiceAccount.UID}
}

// Owns returns what an object in a namespace has in its metadata so that the garbage collector
// removes it once the account is gone: nothing if the account is of another namespace, since only
// owners of the same one count.
func (a Account) Owns(namespace string) []metav1.OwnerReference {
	if a.UID == "" || a.Namespace != namespace {
		return nil
	}
	return []metav1.OwnerReference{{APIVersion: "v1", Kind: "ServiceAccount", Name: a.Name, UID: a.UID}}
}
