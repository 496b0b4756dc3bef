package statefolder

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/informerd/informerd/internal/boltfile"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
)

// MaxSharedLetter is how large the texts of a letter may be that replicas have in common: a message
// of NATS has at most 1 MiB by default.
const MaxSharedLetter = 900 << 10

// OpenLetters opens the store of dead letters. A daemon with a folder for state has it on disk, but
// if letters have a mirror; part is what a letter is about there, "" if it is too large.
func OpenLetters(cfg *config.Config, running bool, part func(*deadletter.Letter) string,
	mirror deadletter.Mirror, log *slog.Logger) (*deadletter.Store, error) {
	mirrored := running && cfg.State.NATS != nil
	c := deadletter.Config{Clusters: cfg.Fleet(), Limits: LetterLimits(cfg.DeadLetters), InMemory: func() {
		if mirrored {
			log.Warn("dead letters that are too large for what replicas have in common are kept in memory, and are lost when informerd ends",
				"hint", largeHint)
			return
		}
		log.Warn("dead letters are kept in memory, and are lost when informerd ends",
			"hint", memoryHint)
	}, Full: func(err error) {
		log.Error("a dead letter has no room, so that its object waits", "error", err)
	}}
	switch {
	case mirrored:
		c.Part, c.Mirror = part, mirror
	case running && cfg.State.Dir != "":
		c.Path = filepath.Join(cfg.Path(cfg.State.Dir), deadletter.FileName)
	}
	store, err := deadletter.Open(c)
	if err != nil {
		if errors.Is(err, boltfile.ErrInUse) {
			return nil, InUse(cfg, err)
		}
		return nil, config.Errors{cfg.ErrorAt("state.dir", "state.dir: "+err.Error(), "")}
	}
	return store, nil
}

// InUseError is the error of a folder that another informerd uses. Its configuration is right.
type InUseError struct{ config.Errors }

// Unwrap returns what is shown of it.
func (e *InUseError) Unwrap() error { return e.Errors }

// InUse returns an InUseError of a configuration's folder, with what to do.
func InUse(cfg *config.Config, err error) error {
	return &InUseError{config.Errors{cfg.ErrorAt("state.dir", "state.dir: "+err.Error(),
		holderHint(cfg.Path(cfg.State.Dir)))}}
}

// CloseLetters closes the store, and says how many letters end with it. Those that replicas have in
// common are not in it any more.
func CloseLetters(store *deadletter.Store, log *slog.Logger) error {
	switch n := store.Stats().Letters; {
	case n == 0 || store.OnDisk():
	case store.Mirrored():
		log.Warn("dead letters are lost: they were too large for what replicas have in common",
			"letters", n, "hint", largeHint)
	default:
		log.Warn("dead letters are lost: they were kept in memory", "letters", n,
			"hint", memoryHint)
	}
	return store.Close()
}

const memoryHint = "add state: {dir: FOLDER} to the configuration"

var largeHint = fmt.Sprintf("replay or drop letters of more than %d KiB before informerd ends",
	MaxSharedLetter>>10)

func LetterLimits(c config.DeadLetters) deadletter.Limits {
	return deadletter.Limits{MaxBytes: int64(c.Bytes), NamespaceBytes: int64(c.Bytes) / 4,
		MaxAge: c.Age.Duration,
		Drop:   c.WhenFull == "drop"}
}
