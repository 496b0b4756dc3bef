package lease

import (
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	core "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// Clients are what an election asks the API server with.
type Clients struct {
	Leases     coordination.LeasesGetter
	ConfigMaps core.ConfigMapsGetter
}

// NewClients returns clients with connections of their own, so that nothing else that is asked of
// the server delays them.
func NewClients(cfg *rest.Config) (Clients, error) {
	leases, err := coordination.NewForConfig(cfg)
	if err != nil {
		return Clients{}, err
	}
	maps, err := core.NewForConfig(cfg)
	return Clients{leases, maps}, err
}
