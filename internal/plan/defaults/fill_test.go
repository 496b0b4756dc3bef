package defaults

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
)

var update = flag.Bool("update", false, "write testdata/filled.txt")

// What is filled in is what testdata/filled.txt says; TestDefaultsAreThoseOfTheAPIServer in
// internal/e2e asks an API server whether that is so.
func TestFill(t *testing.T) {
	var out strings.Builder
	for _, written := range manifests(t) {
		filled, fields := Fill(written)
		var o map[string]any
		decode(t, filled, &o)
		fmt.Fprintf(&out, "%v %v\n", o["kind"], o["metadata"].(map[string]any)["name"])
		for _, field := range fields {
			value, err := json.Marshal(at(o, field))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "  %s: %s\n", field, value)
		}
	}
	const golden = "testdata/filled.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
	for i, line := range got {
		if i >= len(wanted) || line != wanted[i] {
			t.Fatalf("%s:%d: %s\nrun go test -update", golden, i+1, line)
		}
	}
	if len(got) != len(wanted) {
		t.Fatalf("%s has more than these %d lines", golden, len(got))
	}
}

// What Fill knows nothing of, it returns as it is, byte for byte.
func TestFillLeavesTheRest(t *testing.T) {
	for _, text := range []string{
		strings.Replace(pod, `"name":"web"`, `"name":"web","uid":"u"`, 1),
		strings.Replace(pod, `"name":"web"`, `"name":"web","resourceVersion":"7"`, 1),
		strings.Replace(pod, `"spec"`, `"status":{},"spec"`, 1),
		strings.Replace(pod, `"v1"`, `"v2"`, 1),
		strings.Replace(pod, `"v1"`, `"example.com/v1"`, 1),
		config, widget, "no object", "", "[]", "null", `"Pod"`, pod + pod,
		`{ "apiVersion":"v1", "kind":"Pod", "spec":"odd" }`,
		`{ "apiVersion":"apps/v1", "kind":"Deployment", "spec":[{}] }`,
		`{ "apiVersion":"apps/v1", "kind":"Deployment", "metadata":"odd", "spec":{} }`,
	} {
		if filled, fields := Fill([]byte(text)); string(filled) != text || fields != nil {
			t.Errorf("%s: %s %v", text, filled, fields)
		}
	}
}

// What is written stays, however odd, and next to it is filled in what can be.
func TestFillKeepsWhatIsWritten(t *testing.T) {
	for _, c := range []struct{ object, want string }{
		{`{"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{"minReadySeconds":9007199254740993,"big":1e400,"a":"<&>","template":[{}]}}`,
			`{"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{"a":"<&>","big":1e400,"minReadySeconds":9007199254740993,"replicas":1,"template":[{}]}}`},
		{`{"apiVersion":"v1","kind":"Service","spec":{"type":["x"],"sessionAffinity":{},"ports":[5,null,{"port":"a","protocol":[]},{"port":80}]}}`,
			`{"apiVersion":"v1","kind":"Service","spec":{"ports":[5,null,{"port":"a","protocol":[]},{"port":80,"protocol":"TCP","targetPort":80}],"sessionAffinity":{},"type":["x"]}}`},
		{`{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","spec":{"podSelector":7,"policyTypes":"","egress":{"a":1}}}`, ""},
	} {
		want := c.want
		if want == "" {
			want = c.object
		}
		if filled, _ := Fill([]byte(c.object)); string(filled) != want {
			t.Errorf("%s:\n%s, want\n%s", c.object, filled, want)
		}
	}
}

func TestPullPolicy(t *testing.T) {
	const digest = "@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for image, want := range map[string]string{
		"web": "Always", "web:latest": "Always", "a.example.com:5000/web": "Always",
		"web:1": "IfNotPresent", "a.example.com:5000/web:1": "IfNotPresent",
		"web" + digest: "IfNotPresent", "web:1" + digest: "IfNotPresent",
		"web:latest" + digest: "Always", "NO:NAME": "IfNotPresent",
	} {
		if got := pullPolicy(image); got != want {
			t.Errorf("%s: %s, want %s", image, got, want)
		}
	}
}

// manifests returns the objects of testdata.
func manifests(t testing.TB) (all [][]byte) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no manifests", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
		for {
			var object json.RawMessage
			if err := d.Decode(&object); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(file, err)
			}
			all = append(all, slices.Clone(object))
		}
	}
	return all
}

func decode(t testing.TB, text []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatal(err)
	}
}

var step = regexp.MustCompile(`\.(\w+)|\[(\d+)\]|\["([^"]+)"\]`)

// at follows a path as expressions write it.
func at(object any, path string) any {
	for _, s := range step.FindAllStringSubmatch(path, -1) {
		switch v := object.(type) {
		case map[string]any:
			object = v[s[1]+s[3]]
		case []any:
			i, _ := strconv.Atoi(s[2])
			object = v[i]
		}
	}
	return object
}
