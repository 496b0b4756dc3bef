package sink_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/sink"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What waits while a job is carried out is carried out together, but no more than asked for, and
// not what nobody waits for any more.
func TestJobsAreCarriedOutTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const callers, jobs = 5, 3
		release, sizes := make(chan struct{}), []int{}
		broken := errors.New("broken")
		w := sink.NewSerial(sink.SerialConfig{
			Sink: "test", Busy: "it is busy",
			Jobs: jobs,
			Do: func(all []*sink.Job) {
				<-release
				sizes = append(sizes, len(all))
				for _, j := range all {
					if err := j.Canceled(); err != nil {
						t.Error(err)
					}
					if j.Messages[0].Subject == "bad" {
						j.Fail(0, broken)
					}
				}
			},
			End: func() error { return broken },
		})
		results := make(chan []error, callers)
		for i := range callers {
			m := sink.Message{Subject: "good"}
			if i == callers-1 {
				m.Subject = "bad"
			}
			go func() { results <- w.Write(context.Background(), []sink.Message{m}) }()
			synctest.Wait()
		}
		close(release)
		failed := 0
		for range callers {
			if errs := <-results; errs != nil {
				failed++
				if !errors.Is(errs[0], broken) || errs[0].Error() != `test: write "bad": broken` {
					t.Errorf("got %v", errs)
				}
			}
		}
		if failed != 1 || len(sizes) != 3 || sizes[0] != 1 || sizes[1] != jobs || sizes[2] != 1 {
			t.Errorf("%d have failed; sizes %v", failed, sizes)
		}
		for range 2 {
			if err := w.Close(context.Background()); !errors.Is(err, broken) {
				t.Errorf("Close: %v", err)
			}
		}
	})
}

// A result that is certain is reported even if the rest hangs.
func TestWhatIsWrittenIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w := sink.NewSerial(sink.SerialConfig{Sink: "test", Busy: "it is busy",
			Do: func(all []*sink.Job) {
				all[0].Written(1)
				<-release
				if all[0].Canceled() == nil || all[0].Ended() == nil {
					t.Error("the job is not seen as canceled")
				}
			}})
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			synctest.Wait()
			cancel()
		}()
		errs := w.Write(ctx, make([]sink.Message, 2))
		if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], context.Canceled) ||
			errs[1].Error() !=
				`test: write "": it is busy; the line may still get out: context canceled` {
			t.Errorf("got %v", errs)
		}
		close(release)
		if err := w.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// A job has nothing of the ones before it, whose memory it may use.
func TestJobsHaveNothingOfEarlierOnes(t *testing.T) {
	broken := errors.New("broken")
	w := sink.NewSerial(sink.SerialConfig{Do: func(all []*sink.Job) {
		for _, j := range all {
			for i, m := range j.Messages {
				if m.Subject == "bad" {
					j.Fail(i, broken)
				}
			}
			j.Written(len(j.Messages))
		}
	}})
	for range 100 {
		errs := w.Write(t.Context(), []sink.Message{{Subject: "bad"}, {}, {Subject: "bad"}})
		if len(errs) != 3 || !errors.Is(errs[0], broken) || errs[1] != nil ||
			!errors.Is(errs[2], broken) {
			t.Fatalf("got %v", errs)
		}
		if errs := w.Write(t.Context(), []sink.Message{{}}); errs != nil {
			t.Fatalf("got %v of what has not failed", errs)
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
