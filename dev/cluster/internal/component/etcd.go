package component

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
)

// watchProgressInterval is kubeadm's value, for the same reason.
const watchProgressInterval = 5 * time.Second

// etcdFlags are the flags that differ between clusters, with etcd's own names.
type etcdFlags struct {
	dataDir, listen, cert, key, ca string
}

// runEtcd runs a single etcd member until SIGTERM or SIGINT.
func runEtcd(args []string) int {
	var f etcdFlags
	flags := flag.NewFlagSet("etcd", flag.ContinueOnError)
	flags.StringVar(&f.dataDir, "data-dir", "", "directory of the data")
	flags.StringVar(&f.listen, "listen-client-urls", "", "URL to serve clients on")
	flags.StringVar(&f.cert, "cert-file", "", "serving certificate")
	flags.StringVar(&f.key, "key-file", "", "key of the serving certificate")
	flags.StringVar(&f.ca, "trusted-ca-file", "",
		"authority of the clients' certificates")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := serveEtcd(ctx, f); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		return 1
	}
	return 0
}

func serveEtcd(ctx context.Context, f etcdFlags) error {
	config, err := etcdConfig(f)
	if err != nil {
		return err
	}
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return fmt.Errorf("cannot start: %w", err)
	}
	defer etcd.Close()
	select {
	case <-ctx.Done():
		return nil
	case err := <-etcd.Err():
		return fmt.Errorf("serving failed: %w", err)
	case <-etcd.Server.StopNotify():
		return fmt.Errorf("the server stopped by itself")
	}
}

func etcdConfig(f etcdFlags) (*embed.Config, error) {
	client, err := url.Parse(f.listen)
	if err != nil {
		return nil, fmt.Errorf("cannot read --listen-client-urls: %w", err)
	}
	config := embed.NewConfig()
	config.Name = "devcluster"
	config.Dir = f.dataDir
	config.ListenClientUrls = []url.URL{*client}
	config.AdvertiseClientUrls = config.ListenClientUrls
	config.ClientTLSInfo = transport.TLSInfo{
		CertFile: f.cert, KeyFile: f.key, TrustedCAFile: f.ca, ClientCertAuth: true,
	}

	// A single member has no peers to listen for, but must have a peer URL all the same.
	config.ListenPeerUrls = nil
	config.InitialCluster = config.InitialClusterFromName(config.Name)

	// Nobody uses etcd's JSON interface here.
	config.EnableGRPCGateway = false

	// The cluster is disposable, so a write need not reach the disk before it is acknowledged. The
	// data survives kill -9, but not a crash of the machine.
	config.UnsafeNoFsync = true
	// Without other members, a long election only delays the start: 1 s by default.
	config.TickMs, config.ElectionMs = 50, 250
	// Room for load tests; the default of 2 GiB makes etcd read-only once they fill it.
	config.QuotaBackendBytes = 8 << 30
	// Lets the API server's watch caches learn the current revision while nothing changes, so that
	// bookmarks on idle resources stay fresh, as in a real cluster.
	config.WatchProgressNotifyInterval = watchProgressInterval

	config.Logger = "zap"
	config.LogLevel = "warn"
	config.LogOutputs = []string{"stderr"}
	return config, nil
}
