package author

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/informerd/informerd/plugins/sdk"
)

// goSDK is plugins/sdk/go, which is another Go module and so cannot be embedded from its folder.
// "make sdk" updates it.
//
//go:embed gosdk.tar.gz
var goSDK []byte

// sdkFolders are the folders of package sdk.
var sdkFolders = map[string]string{"c": "c", "rust": "rust", "as": "assemblyscript"}

// addSDK adds the SDK of a language, in the folder sdk.
func addSDK(files map[string][]byte, language string) error {
	if language == "go" {
		return unpack(goSDK, func(name string, text []byte) { files["sdk/"+name] = text })
	}
	folder := sdkFolders[language]
	return fs.WalkDir(sdk.Files, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := sdk.Files.ReadFile(name)
		files["sdk/"+strings.TrimPrefix(name, folder+"/")] = text
		return err
	})
}

// unpack reads an archive that pack made.
func unpack(archive []byte, each func(name string, text []byte)) error {
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	r := tar.NewReader(z)
	for {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		each(head.Name, text)
	}
}
