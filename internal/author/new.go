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

	"github.com/informerd/informerd/internal/nearest"
)

// NewOptions are those of New.
type NewOptions struct {
	Name     string // letters, digits and dashes
	Language string // go, rust, as or c
	Dir      string // where the project's folder is made
	// Program is the path of the program for the project's make, "" if the shell finds it.
	Program string
}

// templates are the files of new projects: those of all, and those of each language.
//
//go:embed templates
var templates embed.FS

// languages are those that have an SDK, and what else people call them.
var (
	languages = map[string]string{"go": "Go", "rust": "Rust", "as": "AssemblyScript", "c": "C"}
	synonyms  = map[string]string{"golang": "go", "rs": "rust", "assemblyscript": "as", "ts": "as",
		"typescript": "as", "js": "as",
		"javascript": "as", "c11": "c", "c++": "c", "cpp": "c"}
)

var projectName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)

const maxName = 63

// New makes a project in a folder of its name.
func New(o NewOptions, w io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	files, err := o.files()
	if err != nil {
		return err
	}
	folder := filepath.Join(o.Dir, o.Name)
	if err := emptyFolder(folder); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := writeNew(filepath.Join(folder, filepath.FromSlash(name)), files[name],
			mode(name)); err != nil {
			return fmt.Errorf("the project is not complete: %w", err)
		}
	}
	p := &page{w: w}
	p.line("%s: a handler in %s. Build and test it:", folder, languages[o.Language])
	p.line("")
	program := ""
	if o.Program != "" {
		program = " INFORMERD=" + shellQuoted(o.Program)
	}
	p.line("  cd %s && make%s", shellQuoted(folder), program)
	p.line("")
	p.line("README.md describes the files.")
	return p.err
}

func (o NewOptions) check() error {
	switch {
	case o.Language == "":
		return usage("which language? Add --lang go, rust, as or c")
	case languages[o.Language] == "":
		hint := ""
		if right, ok := synonyms[strings.ToLower(o.Language)]; ok {
			hint = fmt.Sprintf("; did you mean %q?", right)
		} else if near, ok := nearest.Name(o.Language, slices.Sorted(maps.Keys(languages))); ok {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return usage("--lang %q: there are go, rust, as (AssemblyScript) and c%s", o.Language, hint)
	case len(o.Name) > maxName:
		return usage("the name has %d characters, at most %d are allowed", len(o.Name), maxName)
	case !projectName.MatchString(o.Name):
		return usage("%q: a name has letters, digits and dashes, and begins with a letter", o.Name)
	}
	return nil
}

// files returns all files of the project, by their paths.
func (o NewOptions) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	if err := addSDK(files, o.Language); err != nil {
		return nil, err
	}
	words := strings.NewReplacer("@NAME@", o.Name, "@LISTENER@",
		strings.Trim(strings.ToLower(o.Name), "-"), "@NPM@", strings.ToLower(o.Name), "@LANGUAGE@",
		languages[o.Language])
	for _, from := range []string{"templates/all", "templates/" + o.Language} {
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
	if o.Language == "as" {
		return files, ofNPM(files, o)
	}
	return files, nil
}

// ofNPM makes the project's package from the SDK's, so that the compiler has the version with which
// the SDK is tested.
func ofNPM(files map[string][]byte, o NewOptions) error {
	const name = `"informerd-assemblyscript"`
	lock := string(files["sdk/package-lock.json"])
	version := regexp.MustCompile(`"assemblyscript": "([^"]+)"`).FindStringSubmatch(
		string(files["sdk/package.json"]))
	if version == nil || !strings.Contains(lock, name) {
		return errors.New("the SDK does not say which compiler it needs")
	}
	own := `"` + strings.ToLower(o.Name) + `"`
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
		return usage("the folder %s is not empty: choose another name, or another --dir", folder)
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

// shellQuoted returns a path as a shell reads it.
func shellQuoted(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("/._-+", r))
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
