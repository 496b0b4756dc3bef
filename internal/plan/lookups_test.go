package plan

import (
	"strings"
	"testing"
)

// What expressions look up is checked as their own objects are, against the schema of the other
// informer and what that drops.
func TestWhatIsLookedUpIsChecked(t *testing.T) {
	schemas, err := BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	const informers = "informers:\n  maps: {resource: configmaps, drop: [binaryData]}\n  nodes: {resource: nodes}\n" +
		"  services: {resource: services, indexes: {app: spec.selector.app}, drop: [spec.ports]}\n" +
		"  gadgets: {resource: gadgets.example.com}\n"
	for text, want := range map[string]string{
		`cached("maps", object.metadata.namespace, "x").dta.x == "y"`:                              `there is no field dta in cached("maps", …); did you mean data?`,
		`let n = cached("nodes", "", object.spec.nodeName); n.unschedulable`:                       `there is no field unschedulable in cached("nodes", …); did you mean spec.unschedulable?`,
		`any(byIndex("services", "app", label("app")), .spec.typ == "x")`:                          `there is no field typ in byIndex("services", …)[*].spec; did you mean type?`,
		`byIndex("services", "app", "x")[0].spec.type == "Internal"`:                               `byIndex("services", …)[*].spec.type is never "Internal"; it is one of ClusterIP, ExternalName, LoadBalancer, NodePort`,
		`byIndex("services", "app", "x")[0].spec.ports[0].port == 1`:                               "the informer drops spec.ports, so it is always nil; take it out of the informer's drop",
		`cached("maps", object.metadata.namespace, "x").binaryData == nil`:                         "the informer drops binaryData, so it is always nil; take it out of the informer's drop",
		`any(clusters("maps", "shop", "x"), .object.dta.x == "y")`:                                 `there is no field dta in clusters("maps", …)[*].object; did you mean data?`,
		`any(clusters("maps", "shop", "x"), .data.x == "y")`:                                       `there is no field data in clusters("maps", …)[*]; did you mean object.data?`,
		`any(clusters("gadgets", "", "x"), .name == cluster)`:                                      `there is no field name in clusters("gadgets", …)[*]; did you mean object.metadata.name?`,
		`clusters("maps", "shop", "x")[0].object.binaryData == nil`:                                "the informer drops binaryData, so it is always nil; take it out of the informer's drop",
		`clusters("services", "shop", "x")[0].cluster > 1`:                                         `clusters("services", …)[*].cluster is a string, so it cannot be ordered with a number; write int(…)`,
		`any(clusters("services", "shop", "x"), .object.spec.type == "Internal")`:                  `clusters("services", …)[*].object.spec.type is never "Internal"; it is one of ClusterIP, ExternalName, LoadBalancer, NodePort`,
		`any(clusters("maps", "shop", "x"), .object.kind == "ConfigMap" && .object.data.x != nil)`: "",
		`any(clusters("gadgets", "", "x"), .object.spec.anything == 1 && .cluster != cluster)`:     "",
		`cached("gadgets", "", "x").spec.anything == 1`:                                            "",
		`cached("maps", "shop", "x").data["a.b"] == "y"`:                                           "",
		`cached("nodes", "", object.spec.nodeName).spec.unschedulable`:                             "",
		`any(byIndex("services", "app", label("app")), .kind == "Service")`:                        "",
		`cached("maps", label("ns") ?? "shop", "x").metadata.name == "x"`:                          "",
		`len(byIndex("services", "namespace", object.metadata.namespace)) > 0`:                     "",
	} {
		cfg := parse(t, informers+head+"  a:\n    informer: {resource: pods}\n    outputs: [out]\n    select: '"+
			text+"'\n")
		p, mistakes := Compile(cfg, schemas)
		var got []string
		for _, m := range mistakes {
			got = append(got, m.Message)
		}
		for _, x := range p.Listeners[0].Expressions {
			for _, w := range x.Warnings() {
				got = append(got, w.Message)
			}
		}
		if all := strings.Join(got, "\n"); all != want && all != `listener "a": `+want {
			t.Errorf("%s\n got %s\nwant %s", text, all, want)
		}
	}
}
