package image

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// store is a place for images of buildah that nobody else uses.
type store struct {
	t    *testing.T
	dir  string
	base bool // the base image is there
}

func newStore(t *testing.T) *store {
	t.Helper()
	switch _, err := exec.LookPath("buildah"); {
	case testing.Short():
		t.Skip("make image-test runs it: it builds the image")
	case runtime.GOOS != "linux" || os.Getuid() != 0:
		t.Skip("it needs root on Linux, to build and to change the root")
	case err != nil && os.Getenv("IMAGE") == "required":
		t.Fatal("there is no buildah: apt-get install buildah")
	case err != nil:
		t.Skip("there is no buildah: apt-get install buildah")
	}
	return &store{t: t, dir: t.TempDir()}
}

// buildah runs buildah and returns what it prints.
func (s *store) buildah(args ...string) string {
	s.t.Helper()
	// Neither another file system nor namespaces are needed, so it works in a container as well.
	args = append([]string{"--storage-driver", "vfs", "--root", filepath.Join(s.dir, "root"),
		"--runroot", filepath.Join(s.dir, "run")}, args...)
	cmd := exec.CommandContext(s.t.Context(), "buildah", args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "BUILDAH_ISOLATION=chroot", "TMPDIR="+s.dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("buildah %s: %v\n%s\n%s", strings.Join(args, " "), err, out, &stderr)
	}
	return strings.TrimSpace(string(out))
}

var library = regexp.MustCompile(`/\S+`)

// makeBase makes the image that the Dockerfile begins with, of what this machine has. Go and its
// caches are mounted.
func (s *store) makeBase() {
	s.t.Helper()
	from := s.from()
	dir := filepath.Join(s.dir, "base")
	for _, program := range []string{"sh", "mkdir", "cp"} {
		path, err := exec.LookPath(program)
		if err != nil {
			s.t.Fatal(err)
		}
		s.copyFile(path, filepath.Join(dir, "bin", program), 0o755)
		uses, err := exec.CommandContext(s.t.Context(), "ldd", path).Output()
		if err != nil {
			s.t.Fatalf("ldd %s: %v", path, err)
		}
		for _, file := range library.FindAllString(string(uses), -1) {
			s.copyFile(file, filepath.Join(dir, file), 0o755)
		}
	}
	certificates := "/etc/ssl/certs/ca-certificates.crt"
	s.copyFile(certificates, filepath.Join(dir, certificates), 0o644)
	for _, folder := range []string{"tmp", "root", "go/pkg/mod", "usr/local/go"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	container := s.buildah("from", "scratch")
	s.buildah("copy", "--quiet", container, dir, "/")
	s.buildah("config", "--env", "PATH=/usr/local/go/bin:/bin", "--env", "GOPATH=/go", "--env",
		"GOTOOLCHAIN=local", container)
	s.buildah("commit", "--quiet", container, from)
	s.buildah("rm", container)
	s.base = true
}

var beginning = regexp.MustCompile(`(?m)^FROM --platform=\$BUILDPLATFORM (\S+) AS build$`)

// from returns the name of the base image.
func (s *store) from() string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		s.t.Fatal(err)
	}
	m := beginning.FindSubmatch(text)
	if m == nil {
		s.t.Fatal("the Dockerfile does not begin with an image that builds")
	}
	return "docker.io/library/" + string(m[1])
}

// copyFile copies a file, or what a link leads to.
func (s *store) copyFile(from, to string, mode os.FileMode) {
	s.t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, data, mode)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// The arguments of the builds.
const (
	testVersion  = "v0.1.0-test"
	testRevision = "0123456789abcdef0123456789abcdef01234567"
	testTime     = "1767323045" // 2026-01-02T03:04:05Z
)

// build builds the image for an architecture and returns its ID, which is a digest of all of it.
func (s *store) build(arch string) string {
	s.t.Helper()
	if !s.base {
		s.makeBase()
	}
	args := []string{"build", "--quiet", "--pull-never", "--no-cache",
		"--platform", "linux/" + arch, "--timestamp", testTime,
		"--build-arg", "BUILDPLATFORM=linux/" + runtime.GOARCH, // as make image does
		"--build-arg", "VERSION=" + testVersion,
		"--build-arg", "REVISION=" + testRevision, "--build-arg", "SOURCE_DATE_EPOCH=" + testTime}
	for variable, at := range map[string]string{"GOROOT": "/usr/local/go",
		"GOMODCACHE": "/go/pkg/mod", "GOCACHE": "/root/.cache/go-build"} {
		folder, err := exec.CommandContext(s.t.Context(), "go", "env", variable).Output()
		if err != nil {
			s.t.Fatal(err)
		}
		args = append(args, "--volume", strings.TrimSpace(string(folder))+":"+at)
	}
	return s.buildah(append(args, ".")...)
}

// digest returns the digest of an image as a registry has it.
func (s *store) digest(image string) string {
	s.t.Helper()
	dir := s.t.TempDir()
	s.buildah("push", "--quiet", image, "oci:"+dir)
	index, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	var parsed struct {
		Manifests []struct {
			Digest string
			Size   int
		}
	}
	if err := json.Unmarshal(index, &parsed); err != nil || len(parsed.Manifests) != 1 {
		s.t.Fatalf("%v\n%s", err, index)
	}
	return parsed.Manifests[0].Digest
}

// inspected is what an image says of itself.
type inspected struct {
	OCIv1 struct {
		Architecture, OS string
		Created          string
		Config           struct {
			User       string
			Entrypoint []string
			Labels     map[string]string
		} `json:"config"`
	}
}

func (s *store) inspect(image string) (i inspected) {
	s.t.Helper()
	text := s.buildah("inspect", "--type", "image", image)
	if err := json.Unmarshal([]byte(text), &i); err != nil {
		s.t.Fatal(err)
	}
	return i
}

// files copies the files of an image into a folder.
func (s *store) files(image string) string {
	s.t.Helper()
	container := s.buildah("from", "--pull-never", image)
	dir := s.t.TempDir()
	command(s.t, "cp", "-a", s.buildah("mount", container)+"/.", dir)
	s.buildah("rm", container)
	return dir
}
