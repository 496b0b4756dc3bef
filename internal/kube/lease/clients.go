package lease

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// owned adds owners to each Lease that it makes, which a LeaseLock cannot.
type owned struct {
	coordination.LeasesGetter
	owners []metav1.OwnerReference
}

func (o owned) Leases(namespace string) coordination.LeaseInterface {
	return ownedLeases{o.LeasesGetter.Leases(namespace), o.owners}
}

type ownedLeases struct {
	coordination.LeaseInterface
	owners []metav1.OwnerReference
}

func (o ownedLeases) Create(ctx context.Context, l *coordinationv1.Lease,
	opts metav1.CreateOptions) (*coordinationv1.Lease, error) {
	l.OwnerReferences = o.owners
	return o.LeaseInterface.Create(ctx, l, opts)
}
