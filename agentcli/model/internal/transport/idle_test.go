package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memls/memls/agentcli/model"
)

// speak is a server that sends words, each after a pause, and then is silent
// for as long as anybody listens.
func speak(ctx context.Context, words int, pause time.Duration) *http.Response {
	r, w := io.Pipe()
	go func() {
		for range words {
			time.Sleep(pause)
			w.Write([]byte("word "))
		}
		<-ctx.Done()
		w.CloseWithError(ctx.Err())
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: r}
}

// TestSilence runs on a clock that no other program slows down.
func TestSilence(t *testing.T) {
	limits := Defaults()
	for _, c := range []struct {
		name     string
		words    int
		pause    time.Duration // before each word
		tell     bool
		want     string
		attempts int
		took     time.Duration // without pauses between attempts
	}{
		{"never begins", 0, 0, false, "fake/m: did not begin to answer within 10m0s", 4, 4 * limits.FirstByte},
		{"begins late", 1, limits.FirstByte - time.Second, true, "fake/m: sent nothing for 2m0s in the middle of the answer", 1, limits.FirstByte - time.Second + limits.Idle},
		{"stops", 3, time.Minute, true, "fake/m: sent nothing for 2m0s in the middle of the answer", 1, 3*time.Minute + limits.Idle},
		{"stops before anything is told", 3, time.Minute, false, "fake/m: sent nothing for 2m0s in the middle of the answer", 4, 4 * (3*time.Minute + limits.Idle)},
		{"is slow", 100, limits.Idle - time.Second, true, "fake/m: sent nothing for 2m0s in the middle of the answer", 1, 100*(limits.Idle-time.Second) + limits.Idle},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, err := New(Endpoint{Name: "fake/m", BaseURL: "http://fake.example"}, limits)
				if err != nil {
					t.Fatal(err)
				}
				attempts, pauses, start := 0, time.Duration(0), time.Now()
				events := func(e model.Event) {
					if e.Retry != nil {
						pauses += e.Retry.After
					}
				}
				_, err = client.Exchange(context.Background(), events, func(ctx context.Context, a *Attempt) (*model.Response, error) {
					attempts++
					return nil, readAll(ctx, a, c.words, c.pause, c.tell)
				})
				var failure *model.Error
				if !errors.As(err, &failure) || failure.Error() != c.want || !failure.Temporary {
					t.Errorf("got %v, want %s", err, c.want)
				}
				if took := time.Since(start) - pauses; attempts != c.attempts || took != c.took {
					t.Errorf("%d attempts took %s, want %d and %s", attempts, took, c.attempts, c.took)
				}
			})
		})
	}
}

// readAll reads an answer as an SDK does.
func readAll(ctx context.Context, a *Attempt, words int, pause time.Duration, tell bool) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://fake.example", http.NoBody)
	if err != nil {
		return err
	}
	response, err := a.Middleware(request, func(r *http.Request) (*http.Response, error) {
		if words == 0 { // not even headers
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return speak(ctx, words, pause), nil
	})
	if err != nil {
		return err
	}
	for buffer := make([]byte, 100); ; {
		if _, err := response.Body.Read(buffer); err != nil {
			return err
		}
		if tell {
			a.Tell(model.Event{Text: "word"})
		}
	}
}
