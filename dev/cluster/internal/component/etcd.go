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

// watchProgressInterval is what kubeadm sets for the same reason.
const watchProgressInterval = 5 * time.Second

// etcdFlags are etcd's own names for what differs from cluster to cluster.
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
		"authority that clients' certificates must come from")
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

	// A single member has no peers to listen for; a peer URL of its own it must have all the same.
	config.ListenPeerUrls = nil
	config.InitialCluster = config.InitialClusterFromName(config.Name)

	// Nobody speaks JSON to etcd here.
	config.EnableGRPCGateway = false

	// The cluster is thrown away, so a write need not reach the disk before it is acknowledged. It
	// still survives kill -9, only not a crash of the machine.
	config.UnsafeNoFsync = true
	// With nobody to vote against, a long election only delays the start: 1 s by default.
	config.TickMs, config.ElectionMs = 50, 250
	// Room for load tests; the default of 2 GiB makes etcd read-only when they fill it.
	config.QuotaBackendBytes = 8 << 30
	// Lets the API server's watch caches learn how far they are while nothing changes, so that
	// bookmarks on idle resources stay fresh, as in a real cluster.
	config.WatchProgressNotifyInterval = watchProgressInterval

	config.Logger = "zap"
	config.LogLevel = "warn"
	config.LogOutputs = []string{"stderr"}
	return config, nil
}
