package author

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/plugins/sdk"
)

var updateSDK = flag.Bool("update", false, "write gosdk.tar.gz again")

const sdks = "../../plugins/sdk"

// readTree reads the files of a folder that are for who uses it: no tests, and nothing that was
// installed or built.
func readTree(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	root := os.DirFS(folder)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path.Base(name) == "test" || d.Name() == "testdata" ||
			d.Name() == "node_modules" || d.Name() == "target"):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(name, "_test.go") || name == ".gitignore" ||
			name == "Cargo.lock":
			return nil
		}
		text, err := fs.ReadFile(root, name)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// pack makes an archive that depends on nothing but names and contents.
func pack(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		head := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])),
			Format: tar.FormatUSTAR}
		if err := w.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The Go SDK in the program is that in the repository. Contents are compared, as what packs them
// may change.
func TestGoSDKArchive(t *testing.T) {
	want := readTree(t, sdks+"/go")
	if *updateSDK {
		if err := os.WriteFile("gosdk.tar.gz", pack(t, want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got := map[string]string{}
	if err := unpack(goSDK, func(name string, text []byte) {
		got[name] = string(text)
	}); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(got, want) {
		t.Error("internal/author/gosdk.tar.gz is not plugins/sdk/go: run this test with -update")
	}
	if len(want) < 5 || want["go.mod"] == "" {
		t.Errorf("the SDK has %d files only", len(want))
	}
}

// What is embedded of the other SDKs is all that there is for who uses them, and nothing else.
func TestSDKsAreComplete(t *testing.T) {
	for _, language := range []string{"c", "rust", "as"} {
		folder := sdkFolders[language]
		want := readTree(t, sdks+"/"+folder)
		files := map[string][]byte{}
		if err := addSDK(files, language); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for name, text := range files {
			got[strings.TrimPrefix(name, "sdk/")] = string(text)
		}
		if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
			t.Errorf("%s: embedded are\n%s\nthere are\n%s\ncorrect the patterns in plugins/sdk/sdk.go", folder,
				strings.Join(slices.Sorted(maps.Keys(got)), " "),
				strings.Join(slices.Sorted(maps.Keys(want)), " "))
		}
		if _, err := sdk.Files.ReadFile(folder + "/build"); err != nil {
			t.Error(err)
		}
	}
}
