package statefolder

import (
	"errors"
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/informerd/informerd/internal/checkpoint"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/keeper"
)

// OpenKeeper opens the checkpoint of a cluster, "" if there is only one. It is nil if no listener asks for one, or if replicas hand each other
// what would be in it. With forget it is an empty one.
// What listeners without a checkpoint had is forgotten: nobody keeps what they get from now on. What
// those had that are not in the configuration any more stays, to be ended.
func OpenKeeper(cfg *config.Config, cluster string, forget bool, log *slog.Logger) (*keeper.Keeper, error) {
	if !Keeps(cfg) {
		return nil, nil
	}
	dir := CheckpointIn(cfg.Path(cfg.State.Dir), cluster)
	if forget {
		if err := checkpoint.Remove(dir); err != nil {
			return nil, badCheckpoint(cfg, err)
		}
	}
	k, err := keeper.Open(dir, log)
	if err != nil {
		return nil, badCheckpoint(cfg, err)
	}
	k.Continue = cfg.State.OnDiskError == "continue"
	for _, name := range k.Listeners() {
		if l := cfg.Listeners[name]; l != nil && !l.Checkpoint {
			k.ForgetWith("it has no checkpoint any more", name)
		}
	}
	return k, nil
}

// Keeps reports whether there is to be a checkpoint.
func Keeps(cfg *config.Config) bool {
	return cfg.LeaderElection == nil && cfg.State.Dir != "" && slices.ContainsFunc(cfg.ListenersInOrder(),
		func(l *config.Listener) bool { return l.Checkpoint })
}

// CheckpointIn returns the folder of a cluster's checkpoint in one for state, "" if there is only one
// cluster.
func CheckpointIn(dir, cluster string) string {
	if cluster != "" {
		cluster = filepath.Join(clustersFolder, cluster)
	}
	return filepath.Join(dir, cluster, checkpointFolder)
}

// RemoveCheckpoint removes the checkpoint of a cluster, "" if there is only one, that nobody wants
// any more.
func RemoveCheckpoint(cfg *config.Config, cluster string) error {
	if cfg.State.Dir == "" {
		return nil
	}
	return checkpoint.Remove(CheckpointIn(cfg.Path(cfg.State.Dir), cluster))
}

// badCheckpoint returns an error of the checkpoint with what to do.
func badCheckpoint(cfg *config.Config, err error) error {
	const forget = "with informerd run --forget: then all objects come as add, and no deletes of the time between"
	hint := ""
	switch {
	case errors.Is(err, checkpoint.ErrDamaged):
		hint = "mend the disk and restore the folder, or start once " + forget
	case errors.Is(err, checkpoint.ErrVersion):
		hint = "start the informerd that wrote it, or once " + forget
	}
	return config.Errors{cfg.ErrorAt("state.dir", "state.dir: "+err.Error(), hint)}
}
