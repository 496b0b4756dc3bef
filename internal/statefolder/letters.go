package statefolder

import (
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/informerd/informerd/internal/boltfile"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
)

// OpenLetters opens the store of dead letters. A daemon with a folder for state has it on disk, but
// if letters have a mirror; part is what a letter is about there.
func OpenLetters(cfg *config.Config, running bool, part func(*deadletter.Letter) string,
	mirror deadletter.Mirror, log *slog.Logger) (*deadletter.Store, error) {
	c := deadletter.Config{Limits: LetterLimits(cfg.DeadLetters), InMemory: func() {
		log.Warn("dead letters are kept in memory, and are lost when informerd ends",
			"hint", "add state: {dir: FOLDER} to the configuration")
	}, Full: func(err error) {
		log.Error("a dead letter has no room, so that its object waits", "error", err)
	}}
	switch {
	case running && cfg.State.NATS != nil:
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

// CloseLetters closes the store, and says how many letters end with it.
func CloseLetters(store *deadletter.Store, log *slog.Logger) error {
	if n := store.Stats().Letters; n > 0 && !store.OnDisk() {
		log.Warn("dead letters are lost: they were kept in memory", "letters", n,
			"hint", "add state: {dir: FOLDER} to the configuration")
	}
	return store.Close()
}

func LetterLimits(c config.DeadLetters) deadletter.Limits {
	return deadletter.Limits{MaxBytes: int64(c.Bytes), NamespaceBytes: int64(c.Bytes) / 4,
		MaxAge: c.Age.Duration,
		Drop:   c.WhenFull == "drop"}
}
