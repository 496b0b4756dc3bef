package lease_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/kube/lease/leasetest"
)

// What an election makes goes with its owners; what others have made or added stays as it is.
func TestOwnersOfWhatAnElectionMakes(t *testing.T) {
	synctest.Test(t, testOwners)
}

func testOwners(t *testing.T) {
	owners := []metav1.OwnerReference{{APIVersion: "v1", Kind: "ServiceAccount",
		Name: "informerd", UID: "1"}}
	meta := func(t *testing.T, s *leasetest.Server, path string) metav1.ObjectMeta {
		t.Helper()
		var o metav1.PartialObjectMetadata
		if err := json.Unmarshal([]byte(s.Object(path)), &o); err != nil {
			t.Fatal(err)
		}
		return o.ObjectMeta
	}
	elect := func(t *testing.T, s *leasetest.Server) {
		t.Helper()
		cfg := config("a")
		cfg.Owners = owners
		r := runWith(s, cfg)
		synctest.Wait()
		if !r.elected() {
			t.Error("it does not lead")
		}
		r.end(t)
	}
	write := func(t *testing.T, s *leasetest.Server) {
		t.Helper()
		cfg := config("a")
		cfg.Owners = owners
		r := lease.NewRecord(s.NewLine().Client(), cfg)
		if _, err := r.Claim(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"1", "2"} {
			if err := r.Write(t.Context(), lease.Content{Data: data(text)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for path, use := range map[string]func(*testing.T, *leasetest.Server){
		theLease: elect, theRecord: write,
	} {
		s := leasetest.New()
		use(t, s)
		if got := meta(t, s, path).OwnerReferences; !reflect.DeepEqual(got, owners) {
			t.Errorf("%s: its owners are %+v", path, got)
		}
		s = leasetest.New()
		s.Put(path, fmt.Sprintf(`{"metadata":{"name":%q,"namespace":"ns","labels":{"team":"shop"}}}`,
			path[strings.LastIndexByte(path, '/')+1:]))
		use(t, s)
		m := meta(t, s, path)
		if len(m.OwnerReferences) != 0 || m.Labels["team"] != "shop" {
			t.Errorf("%s: it was there before, and is now %+v", path, m)
		}
		if s.Writes(path) == 0 {
			t.Errorf("%s was not written", path)
		}
	}
}
