package author

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// templates are the files of new projects: those of all, and those of each language.
//
//go:embed templates
var templates embed.FS

// languages are those that have an SDK.
var languages = map[string]string{"go": "Go", "rust": "Rust", "as": "AssemblyScript", "c": "C"}

var projectName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)

const maxName = 63

// New makes a project in a folder, which has its name.
func New(folder, language string, w io.Writer) error {
	name := filepath.Base(folder)
	if err := checkProject(name, language); err != nil {
		return err
	}
	files, err := projectFiles(name, language)
	if err != nil {
		return err
	}
	if err := emptyFolder(folder); err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if err := writeNew(filepath.Join(folder, filepath.FromSlash(file)), files[file],
			mode(file)); err != nil {
			return fmt.Errorf("the project is not complete: %w", err)
		}
	}
	p := &page{w: w}
	p.line("%s: a handler in %s. Build and test it:", folder, languages[language])
	p.line("\n  cd %s && make\n", folder)
	p.line("README.md describes the files.")
	return p.err
}

func checkProject(name, language string) error {
	switch {
	case language == "":
		return usage("which language? Add --lang go, rust, as or c")
	case languages[language] == "":
		return usage("--lang %q: there are go, rust, as (AssemblyScript) and c", language)
	case len(name) > maxName:
		return usage("the name has %d characters, at most %d are allowed", len(name), maxName)
	case !projectName.MatchString(name):
		return usage("%q: a name has letters, digits and dashes, and begins with a letter", name)
	}
	return nil
}

// projectFiles returns all files of a project, by their paths.
func projectFiles(name, language string) (map[string][]byte, error) {
	files := map[string][]byte{}
	if err := addSDK(files, language); err != nil {
		return nil, err
	}
	words := strings.NewReplacer("@NAME@", name, "@LISTENER@",
		strings.Trim(strings.ToLower(name), "-"), "@NPM@", strings.ToLower(name), "@LANGUAGE@",
		languages[language])
	for _, from := range []string{"templates/all", "templates/" + language} {
		err := fs.WalkDir(templates, from, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := templates.ReadFile(name)
			to := strings.TrimSuffix(strings.TrimPrefix(name, from+"/"), ".tmpl")
			if to == "gitignore" {
				to = ".gitignore"
			}
			// a .gitignore has both parts
			files[to] = append(files[to], words.Replace(string(text))...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if language == "as" {
		return files, ofNPM(files, name)
	}
	return files, nil
}

// ofNPM makes the project's package from the SDK's, so that the compiler has the version with which
// the SDK is tested.
func ofNPM(files map[string][]byte, project string) error {
	const name = `"informerd-assemblyscript"`
	lock := string(files["sdk/package-lock.json"])
	version := regexp.MustCompile(`"assemblyscript": "([^"]+)"`).FindStringSubmatch(
		string(files["sdk/package.json"]))
	if version == nil || !strings.Contains(lock, name) {
		return errors.New("the SDK does not say which compiler it needs")
	}
	own := `"` + strings.ToLower(project) + `"`
	files["package-lock.json"] = []byte(strings.ReplaceAll(lock, name, own))
	files["package.json"] = []byte(strings.ReplaceAll(string(files["package.json"]),
		"@ASSEMBLYSCRIPT@", version[1]))
	files[".npmrc"] = files["sdk/.npmrc"]
	for _, name := range []string{"sdk/package-lock.json", "sdk/package.json", "sdk/.npmrc"} {
		delete(files, name) // otherwise npm might run in the wrong folder
	}
	return nil
}

// mode makes scripts executable.
func mode(name string) fs.FileMode {
	if path.Base(name) == "build" {
		return 0o777
	}
	return 0o666
}

// emptyFolder makes a folder, or accepts one that is empty.
func emptyFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.MkdirAll(folder, 0o777)
	case err != nil:
		return err
	case len(entries) > 0:
		return usage("the folder %s is not empty: choose another name", folder)
	}
	return nil
}

func writeNew(file string, text []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
