package image

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// maxSize is the most bytes of the files in an image: it was 46 MB when it was first measured.
const maxSize = 90 << 20

// The image is the same each time, for both architectures, and says what it is.
func TestImage(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) { checkImage(t, newStore(t), arch) })
	}
}

func checkImage(t *testing.T, s *store, arch string) {
	t.Helper()
	image := s.build(arch)
	if first, second := s.digest(image), s.digest(s.build(arch)); first != second {
		t.Errorf("%s: built twice it is %s and %s", arch, first, second)
	}
	is := s.inspect(image).OCIv1
	if is.Architecture != arch || is.OS != "linux" || is.Config.User != "65532:65532" ||
		len(is.Config.Entrypoint) != 1 || is.Config.Entrypoint[0] != "/informerd" ||
		!strings.HasPrefix(is.Created, "2026-01-02T03:04:05") {
		t.Errorf("%s: it is %+v", arch, is)
	}
	for label, want := range map[string]string{"title": "informerd", "version": testVersion,
		"revision": testRevision, "licenses": "Apache-2.0",
		"source": "https://github.com/informerd/informerd"} {
		if got := is.Config.Labels["org.opencontainers.image."+label]; got != want {
			t.Errorf("%s: the label %s is %q, want %q", arch, label, got, want)
		}
	}
	if is.Config.Labels["org.opencontainers.image.description"] == "" {
		t.Errorf("%s: it has no description", arch)
	}
	files := s.files(image)
	checkFiles(t, files, arch)
	checkContents(t, filepath.Join(files, "informerd.cdx.json"))
	if arch == runtime.GOARCH {
		runs(t, files)
	}
}

// checkFiles holds that there is nothing but what is needed, and that it is small.
func checkFiles(t *testing.T, dir, arch string) {
	t.Helper()
	var size int64
	var found []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && e.Type().IsRegular() {
			size += info.Size()
			found = append(found, strings.TrimPrefix(path, dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "/etc/ssl/certs/ca-certificates.crt /informerd /informerd.cdx.json"
	if got := strings.Join(found, " "); got != want {
		t.Errorf("%s: its files are %s, want %s", arch, got, want)
	}
	t.Logf("%s: %d bytes", arch, size)
	if size > maxSize {
		t.Errorf("%s: its files have %d bytes, more than %d", arch, size, maxSize)
	}
	if info, err := os.Stat(filepath.Join(dir, "tmp")); err != nil ||
		info.Mode() != fs.ModeDir|fs.ModeSticky|0o777 {
		t.Errorf("%s: /tmp is not for everybody: %v %v", arch, info, err)
	}
}

var required = regexp.MustCompile(`(?m)^\t(k8s\.io/client-go|github\.com/tetratelabs/wazero) (\S+)`)

// checkContents holds that the list of contents has the modules of go.mod, with their licenses.
func checkContents(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		BOMFormat string
		Metadata  struct {
			Timestamp string
			Component struct{ Name, Version string }
		}
		SerialNumber string
		Components   []struct {
			Name, Version string
			Evidence      *struct{ Licenses []any }
		}
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	if list.BOMFormat != "CycloneDX" || list.Metadata.Timestamp != "" || list.SerialNumber != "" ||
		list.Metadata.Component.Version != testVersion || len(list.Components) < 30 {
		t.Errorf("the list of contents is %.500s", data)
	}
	has, licensed := map[string]string{}, 0
	for _, c := range list.Components {
		has[c.Name] = c.Version
		if c.Evidence != nil && len(c.Evidence.Licenses) > 0 {
			licensed++
		}
	}
	if licensed < len(list.Components)*9/10 {
		t.Errorf("of %d modules only %d have a license", len(list.Components), licensed)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	modules := required.FindAllStringSubmatch(string(mod), -1)
	if len(modules) != 2 {
		t.Fatalf("go.mod requires %q", modules)
	}
	for _, m := range modules {
		if has[m[1]] != m[2] {
			t.Errorf("the list of contents has %s %q, go.mod has %q", m[1], has[m[1]], m[2])
		}
	}
}

// runs runs the quick start in the files of an image: as their user, with nothing that can be
// written to but what a pod mounts, and without a home or an environment.
func runs(t *testing.T, dir string) {
	cluster := filepath.Join(t.TempDir(), "cluster")
	devcluster := os.Getenv("DEVCLUSTER_BIN")
	if devcluster == "" {
		devcluster = filepath.Join(root, "bin", "devcluster")
	}
	command(t, devcluster, "up", "--dir", cluster)
	t.Cleanup(func() { command(t, devcluster, "down", "--dir", cluster) })

	mounted := filepath.Join(dir, "etc", "informerd")
	if err := copyAll(filepath.Join(root, "configs", "quickstart.yaml"),
		filepath.Join(mounted, "configs", "quickstart.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := copyAll(filepath.Join(root, "bin", "plugins", "crashloop.wasm"),
		filepath.Join(mounted, "bin", "plugins", "crashloop.wasm")); err != nil {
		t.Fatal(err)
	}
	if err := copyAll(filepath.Join(cluster, "kubeconfig"),
		filepath.Join(mounted, "kubeconfig")); err != nil {
		t.Fatal(err)
	}
	const spilling = "apiVersion: informerd.dev/v1alpha1\nkind: Config\nlisteners:\n  a:\n" +
		"    informer: {resource: namespaces}\n    buffer: {overflow: spill}\n" +
		"    outputs: [out]\noutputs: {out: {stdout: {}}}\n"
	for name, text := range map[string]string{"spill.yaml": spilling,
		"state.yaml": "state: {dir: /var/lib/informerd}\n" + spilling} {
		if err := os.WriteFile(filepath.Join(mounted, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command(t, "chown", "-R", "65532:65532", mounted)
	p := pod{t, dir}
	const kubeconfig = " --kubeconfig /etc/informerd/kubeconfig --log-format json"

	if out, err := p.run("/informerd version -o json"); err != nil ||
		!strings.Contains(out, `"version":"`+testVersion+`","commit":"`+testRevision+
			`","date":"2026-01-02T03:04:05Z"`) {
		t.Errorf("%v: %s", err, out)
	}
	quickstart := "/informerd run --once --config /etc/informerd/configs/quickstart.yaml" +
		kubeconfig
	if out, err := p.run(quickstart, "tmp"); err != nil {
		t.Errorf("with a volume at /tmp: %v\n%s", err, out)
	}
	// Compiled code may go to the memory that a pod always has.
	if out, err := p.run(quickstart, "dev/shm"); err != nil {
		t.Errorf("without a volume at /tmp: %v\n%s", err, out)
	}
	if out, err := p.run(quickstart); err == nil ||
		!strings.Contains(out, "compiling needs a folder to write to, such as an emptyDir at /tmp") {
		t.Errorf("with nothing to write to: %v\n%s", err, out)
	}
	spill := "/informerd run --once --config /etc/informerd/spill.yaml" + kubeconfig
	if out, err := p.run(spill); err == nil || !strings.Contains(out,
		"set buffer.spill.dir or state.dir, or mount a volume such as an emptyDir at /tmp") {
		t.Errorf("with nowhere to spill: %v\n%s", err, out)
	}
	state := "/informerd run --once --config /etc/informerd/state.yaml" + kubeconfig
	if out, err := p.run(state, "var/lib/informerd"); err != nil ||
		!strings.Contains(out, `"dev.informerd.object.added"`) {
		t.Errorf("with a folder for state: %v\n%s", err, out)
	}
}

// pod runs commands as a container does.
type pod struct {
	t   *testing.T
	dir string
}

// run runs a command with volumes that it can write to, in mounts that end with it.
func (p pod) run(shell string, volumes ...string) (string, error) {
	p.t.Helper()
	script := "set -e; mount --bind \"$0\" \"$0\"; cd \"$0\"\n" +
		"mkdir -p proc dev/shm var/lib/informerd\n" +
		"mount -t proc proc \"$0/proc\"; mount -o remount,bind,ro \"$0\"\n"
	for _, volume := range volumes {
		script += "mount -t tmpfs -o mode=1777 tmpfs \"$0/" + volume + "\"\n"
	}
	script += "exec env -i \"$1\" --userspec=65532:65532 --groups= \"$0\" " + shell + "\n"
	chroot, err := exec.LookPath("chroot")
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.CommandContext(p.t.Context(), "unshare", "--mount", "sh", "-c", script, p.dir,
		chroot)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}
