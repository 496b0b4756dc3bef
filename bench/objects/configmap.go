package objects

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// ConfigMap returns the JSON of one ConfigMap of about size bytes. Seeds select workload and
// replica as for Pod.
func ConfigMap(seed uint64, size int) []byte { return ConfigMapAt(seed, size, Revision{}) }

// ConfigMapAt returns a later state of the ConfigMap that ConfigMap returns. It differs in
// metadata.resourceVersion, the time of the managedFields entry and the value of one key, which
// leader election writes.
func ConfigMapAt(seed uint64, size int, r Revision) []byte {
	c := newConfigMap(seed)
	c.entries = configMapFiller.count(seed%Workloads, size, func() (base, perEntry int) {
		first := newConfigMap(seed % Workloads)
		base = len(first.render())
		const sample = 20
		first.entries = sample
		return base, (len(first.render()) - base) / sample
	})
	if r.ResourceVersion != 0 {
		c.resourceVersion = r.ResourceVersion
	}
	c.renewed, c.transitions = r.after(c.created), r.Number
	return c.render()
}

type configMap struct {
	app, namespace, tier string
	workload             uint64
	entries              int

	name, uid        string
	resourceVersion  uint64
	created, renewed string
	transitions      int
}

func newConfigMap(seed uint64) *configMap {
	w := rand.New(rand.NewPCG(seed%Workloads, 4))
	r := rand.New(rand.NewPCG(seed, 5))
	c := &configMap{workload: seed % Workloads}
	c.app = fmt.Sprintf("%s-%s", pick(w, products), pick(w, roles))
	c.namespace, c.tier = pick(w, namespaces), pick(w, tiers)
	c.name = fmt.Sprintf("%s-%s-%s", c.app, suffix(w, 10), replicaSuffix(seed))
	c.uid = uuid(r)
	c.resourceVersion = firstVersion(r)
	c.created = timestamp(r)
	c.renewed = c.created
	return c
}

// render writes the keys in alphabetical order, as the API server writes maps.
func (c *configMap) render() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q,"namespace":%q,"uid":%q,"resourceVersion":"%d","creationTimestamp":%q,`+
		`"labels":{"app":%q,"tier":%q},"managedFields":[{"manager":%q,"operation":"Update","apiVersion":"v1","time":%q,"fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{}`,
		c.name, c.namespace, c.uid, c.resourceVersion, c.created, c.app, c.tier, c.app, c.renewed)
	for i := range c.entries {
		fmt.Fprintf(&b, `,"f:application-%04d.properties":{}`, i)
	}
	fmt.Fprintf(&b, `,"f:leader":{}},"f:metadata":{"f:labels":{".":{},"f:app":{},"f:tier":{}}}}}]},"data":{`)
	w := rand.New(rand.NewPCG(c.workload, 6))
	for i := range c.entries {
		fmt.Fprintf(&b, `"application-%04d.properties":"%s\n%s\n%s\n",`, i, pick(w, envValues),
			pick(w, envValues), pick(w, envValues))
	}
	fmt.Fprintf(&b, `"leader":"{\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":15,\"renewTime\":\"%s\",\"leaderTransitions\":%d}"}}`,
		c.name, c.renewed, c.transitions)
	return b.Bytes()
}
