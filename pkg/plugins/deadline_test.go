package plugins

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestContext(t *testing.T) {
	type step func(ctx context.Context, cancel func(), w *callContext)
	begin := func(d time.Duration) step {
		return func(ctx context.Context, _ func(), w *callContext) { w.begin(ctx, d) }
	}
	sleep := func(d time.Duration) step {
		return func(context.Context, func(), *callContext) { time.Sleep(d); synctest.Wait() }
	}
	// A machine may be too busy for its timers.
	late := func(_ context.Context, _ func(), w *callContext) {
		w.timer.Stop()
		time.Sleep(time.Second)
	}
	check := func(_ context.Context, _ func(), w *callContext) {
		if err := w.check(); err != w.Err() {
			t.Errorf("Check returns %v, Err %v", err, w.Err())
		}
	}
	end := func(_ context.Context, _ func(), w *callContext) { w.end() }
	cancel := func(_ context.Context, cancel func(), _ *callContext) { cancel(); synctest.Wait() }
	otherCaller := func(_ context.Context, _ func(), w *callContext) {
		w.begin(context.Background(), time.Hour)
	}

	for _, test := range []struct {
		name  string
		steps []step
		want  error
	}{
		{"in time", []step{begin(time.Second), sleep(time.Second - 1)}, nil},
		{"late", []step{begin(time.Second), sleep(time.Second)}, context.DeadlineExceeded},
		{"idle is not late", []step{begin(time.Second), end, sleep(time.Hour)}, nil},
		{"a second call has its own time", []step{begin(time.Second), sleep(time.Second - 1), end,
			begin(time.Second),
			sleep(time.Second - 1)}, nil},
		{"a second call is late", []step{begin(time.Second), sleep(time.Second - 1), end,
			begin(time.Second), sleep(time.Second)},
			context.DeadlineExceeded},
		{"a second call with less time",
			[]step{begin(time.Hour), end, begin(time.Second), sleep(time.Second)},
			context.DeadlineExceeded},
		{"a second call with more time",
			[]step{begin(time.Second), end, begin(time.Hour), sleep(time.Minute)}, nil},
		{"no time left", []step{begin(0)}, context.DeadlineExceeded},
		{"cancelled", []step{begin(time.Second), cancel}, context.Canceled},
		{"cancelled before", []step{cancel, begin(time.Second)}, context.Canceled},
		{"cancelled while idle", []step{begin(time.Second), end, cancel}, nil},
		{"cancelled while idle, and then used",
			[]step{begin(time.Second), end, cancel, begin(time.Second)}, context.Canceled},
		{"an earlier caller is cancelled", []step{begin(time.Second), end, otherCaller, cancel},
			nil},
		{"late for the guest's own code, before the timer", []step{begin(time.Second), late, check},
			context.DeadlineExceeded},
		{"in time for the guest's own code", []step{begin(time.Second), sleep(time.Second - 1),
			check}, nil},
		{"cancelled, as the guest's own code finds", []step{begin(time.Second), cancel, check},
			context.Canceled},
		{"cancelled after it was late", []step{begin(time.Second), sleep(time.Second), cancel},
			context.DeadlineExceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				w := newCallContext(nil)
				defer w.close()
				for _, s := range test.steps {
					s(ctx, cancel, w)
				}
				if err := w.Err(); err != test.want {
					t.Errorf("got %v, want %v", err, test.want)
				}
				select {
				case <-w.Done():
					if test.want == nil {
						t.Error("Done is closed")
					}
				default:
					if test.want != nil {
						t.Error("Done is not closed")
					}
				}
			})
		})
	}
}
