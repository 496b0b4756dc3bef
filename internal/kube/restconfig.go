package kube

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/internal/outbound"
	"github.com/informerd/informerd/internal/wording"
)

// Options say which API server to talk to, and how. The zero value is ready.
type Options struct {
	// Kubeconfig is the path of a kubeconfig file; ~/ is the home folder. Default: see RESTConfig.
	Kubeconfig string
	// Text is that of a kubeconfig, in place of a file. It must have everything in it: one that has
	// a program run or names files is refused, since who wrote it may not do either.
	Text []byte
	// Context is the context of the kubeconfig to use. Default: its current context.
	Context string
	// InCluster is the cluster that the process runs in, and no other.
	InCluster bool
	// Compression is whether the server compresses its answers: auto, on or off, see RESTConfig.
	// Default: auto.
	Compression string
	// As is the account to ask as, which needs the right to impersonate it. Default: the one of the
	// credentials.
	As string
	// Version is informerd's version, for the user agent. Default: dev.
	Version string
	// Logger gets the server's warnings, and at level debug the choice of compression. Default:
	// slog.Default.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	o.Compression = cmp.Or(o.Compression, "auto")
	o.Version = cmp.Or(o.Version, "dev")
	o.Logger = cmp.Or(o.Logger, slog.Default())
	return o
}

// RESTConfig finds the API server and the credentials for it. Without a kubeconfig it tries, in
// this order: the cluster that the process runs in (unless there is a context, which only a
// kubeconfig has), the files of $KUBECONFIG, ~/.kube/config. It does not connect to the server.
// Compression auto is off in the cluster that the process runs in, for a server on a loopback
// address, and if the kubeconfig has disable-compression; for others it is on.
func RESTConfig(o Options) (*rest.Config, error) {
	o = o.withDefaults()
	cfg, inCluster, err := findConfig(o)
	if err != nil {
		return nil, err
	}
	if err := compress(cfg, inCluster, o); err != nil {
		return nil, err
	}
	countRequests()
	cfg.UserAgent = "informerd/" + o.Version
	if o.As != "" {
		cfg.Impersonate = rest.ImpersonationConfig{UserName: o.As}
	}
	// A timeout would end watches. Requests are bounded by their contexts.
	cfg.Timeout = 0
	// The server limits requests by priority and fairness; a limit of the client would delay
	// informers that start together.
	cfg.QPS = -1
	cfg.WarningHandlerWithContext = &warnings{logger: o.Logger}
	cfg.Wrap(outbound.APIServer)
	return cfg, nil
}

// findConfig also reports whether it is the cluster that the process runs in.
func findConfig(o Options) (cfg *rest.Config, inCluster bool, err error) {
	if o.Text != nil {
		cfg, err = fromText(o.Text, o.Context)
		return cfg, false, err
	}
	if o.Kubeconfig != "" {
		path, err := expandHome(o.Kubeconfig)
		if err != nil {
			return nil, false, err
		}
		cfg, err = fromFiles([]string{path}, o.Context)
		return cfg, false, err
	}
	why := "informerd does not run in a cluster"
	if o.Context == "" {
		cfg, err := rest.InClusterConfig()
		if err == nil {
			return cfg, true, nil
		}
		if o.InCluster {
			return nil, false, fmt.Errorf("the cluster that informerd runs in: %w", err)
		}
		if !errors.Is(err, rest.ErrNotInCluster) {
			why = "the pod has no usable service account: " + err.Error()
		}
	}
	files, missing := defaultFiles()
	if len(files) == 0 {
		return nil, false, fmt.Errorf("no API server is configured: %s; %s; name a kubeconfig file",
			why, missing)
	}
	cfg, err = fromFiles(files, o.Context)
	return cfg, false, err
}

// defaultFiles returns the kubeconfig files that exist, or why there are none.
func defaultFiles() (files []string, missing string) {
	list := os.Getenv(clientcmd.RecommendedConfigPathEnvVar)
	candidates := slices.DeleteFunc(filepath.SplitList(list), func(path string) bool {
		return path == ""
	})
	missing = fmt.Sprintf("no file of $KUBECONFIG (%s) exists", list)
	if len(candidates) == 0 {
		path, err := expandHome("~/.kube/config")
		if err != nil {
			return nil, "$KUBECONFIG is not set; " + err.Error()
		}
		candidates, missing = []string{path},
			fmt.Sprintf("$KUBECONFIG is not set; %s does not exist", path)
	}
	for _, path := range candidates {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			files = append(files, path)
		}
	}
	return files, missing
}

func expandHome(path string) (string, error) {
	rest, isHome := strings.CutPrefix(path, "~")
	if !isHome || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("kubeconfig %s: the home folder is not known: %w", path, err)
	}
	return filepath.Join(home, rest), nil
}

// fromFiles reads one context from kubeconfig files, which are merged.
func fromFiles(files []string, context string) (*rest.Config, error) {
	where := "kubeconfig " + strings.Join(files, string(filepath.ListSeparator))
	for _, path := range files {
		if err := readable(path); err != nil {
			return nil, fmt.Errorf("kubeconfig %s: %w", path, err)
		}
	}
	merged, err := (&clientcmd.ClientConfigLoadingRules{Precedence: files}).Load()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	cfg, err := inContext(merged, context)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return cfg, nil
}

// inContext returns what a kubeconfig has for a context.
func inContext(kubeconfig *api.Config, context string) (*rest.Config, error) {
	context, err := chooseContext(kubeconfig, context)
	if err != nil {
		return nil, err
	}
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*kubeconfig, context,
		&clientcmd.ConfigOverrides{}, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("context %q: %w", context, err)
	}
	return cfg, nil
}

// fromText reads one context from the text of a kubeconfig.
func fromText(text []byte, context string) (*rest.Config, error) {
	kubeconfig, err := clientcmd.Load(text)
	if err != nil {
		return nil, errors.New("the text is not a kubeconfig") // what is wrong may quote a secret
	}
	for _, name := range slices.Sorted(maps.Keys(kubeconfig.AuthInfos)) {
		switch user := kubeconfig.AuthInfos[name]; {
		case user.Exec != nil || user.AuthProvider != nil:
			return nil, fmt.Errorf("the user %q has a program run, which is refused here", name)
		case user.TokenFile != "" || user.ClientCertificate != "" || user.ClientKey != "":
			return nil, fmt.Errorf("the user %q names a file, which is refused here", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(kubeconfig.Clusters)) {
		if kubeconfig.Clusters[name].CertificateAuthority != "" {
			return nil, fmt.Errorf("the cluster %q names a file, which is refused here", name)
		}
	}
	return inContext(kubeconfig, context)
}

// Readable returns why the file of [Options.Kubeconfig] cannot be read, without its path. It does
// not parse the file.
func Readable(kubeconfig string) error {
	path, err := expandHome(kubeconfig)
	if err != nil {
		return err
	}
	return readable(path)
}

// readable returns why a file cannot be read, without its path.
func readable(path string) error {
	// A pipe is not waited for.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		defer f.Close()
		var info fs.FileInfo
		if info, err = f.Stat(); err == nil && info.IsDir() {
			return errors.New("it is a folder")
		}
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

func chooseContext(kubeconfig *api.Config, name string) (string, error) {
	names := slices.Sorted(maps.Keys(kubeconfig.Contexts))
	if len(names) == 0 {
		return "", errors.New("it has no contexts")
	}
	if name = cmp.Or(name, kubeconfig.CurrentContext); name == "" {
		return "", fmt.Errorf("it has no current context; choose one of %s", list(names))
	}
	if chosen := kubeconfig.Contexts[name]; chosen != nil {
		return name, checkContext(kubeconfig, name, chosen)
	}
	if near, ok := nearest.Name(name, names); ok {
		return "", fmt.Errorf("it has no context %q; did you mean %q?", name, near)
	}
	return "", fmt.Errorf("it has no context %q; there are %s", name, list(names))
}

// checkContext returns an error if a context's cluster or user does not exist; client-go would
// ignore that.
func checkContext(kubeconfig *api.Config, name string, context *api.Context) error {
	if kubeconfig.Clusters[context.Cluster] == nil {
		return fmt.Errorf("the context %q refers to the unknown cluster %q", name,
			context.Cluster)
	}
	if context.AuthInfo != "" && kubeconfig.AuthInfos[context.AuthInfo] == nil {
		return fmt.Errorf("the context %q refers to the unknown user %q", name,
			context.AuthInfo)
	}
	return nil
}

// list returns quoted names, the first ones if there are many.
func list(names []string) string {
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	return wording.Some(quoted, 20)
}
