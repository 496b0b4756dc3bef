package daemon

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/statefolder"
)

// commands makes the socket for commands, nil without a folder for state, or in one that can have
// none.
func commands(cfg *config.Config, log *slog.Logger) (*admin.Socket, error) {
	if cfg.State.Dir == "" {
		return nil, nil
	}
	socket, err := admin.Listen(cfg.Path(cfg.State.Dir))
	if errors.Is(err, admin.ErrInUse) {
		return nil, statefolder.InUse(cfg, err)
	}
	if err != nil { // some file systems have no sockets
		log.Error("commands such as informerd dlq cannot reach this informerd", "error", err)
	}
	return socket, nil
}

// serveCommands answers commands until ctx is done.
func (s *supervisor) serveCommands(ctx context.Context, socket *admin.Socket,
	answers *sync.WaitGroup) {
	if socket == nil {
		return
	}
	s.log.Info("answering commands", "socket", socket.Path())
	answers.Go(func() {
		if err := errors.Join(socket.Serve(ctx, s.functions(), s.log), socket.Close()); err != nil {
			s.log.Error("commands are not answered any more", "error", err)
		}
	})
}

// functions are what commands can do with the daemon.
func (s *supervisor) functions() admin.Functions {
	f := admin.Functions{Letters: s.letters, Filter: route.LetterFilter,
		Reload: s.askReload, Replay: s.replay, Status: s.status,
		Remembers: s.remembers}
	if s.keeps() {
		f.Checkpoint = s.checkpoint
	}
	if s.plan.Config.Sharding != nil {
		f.Drain = s.drainShards
	}
	return f
}

// listenerOfLetter returns the listener that a letter is of, and of several shards the one that
// has the object.
func (r *runtime) listenerOfLetter(l *deadletter.Letter) (*listener, error) {
	err := fmt.Errorf("there is no listener %q any more", l.Listener)
	for _, one := range r.working() {
		switch to := one.named(l.Listener); {
		case to == nil || to.cluster != "" && to.cluster != l.Cluster:
		case one.of.Has(l.Namespace, l.Name, l.UID):
			return to, nil
		default:
			err = errors.New("the shard of the object is another replica's by now")
		}
	}
	return nil, err
}

var errReplaying = errors.New("another replay is under way: wait for its end")

// replay sends dead letters through their listeners once more, with the module instead of their
// handlers if it is not empty. There is one replay at a time.
func (r *runtime) replay(ctx context.Context, letters iter.Seq2[deadletter.Letter, error],
	module []byte, force bool, report func(admin.Outcome)) error {
	if !r.replaying.TryLock() {
		return errReplaying
	}
	defer r.replaying.Unlock()
	return newReplayer(r.letters, r.host, module, force, r.listenerOfLetter).run(ctx, letters, report)
}
