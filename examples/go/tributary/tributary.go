// Package tributary sends requests to Tributary over HTTP, and repeats those that may succeed later.
package tributary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"time"
)

// RetryFor bounds the attempts of a request. It must be shorter than the time for which Tributary remembers an event_id,
// which is at least 10 minutes.
var RetryFor = seconds("TRIBUTARY_RETRY_SECONDS", 120)

// Problem is an answer that is not 2xx. Code and Detail say what to change.
type Problem struct {
	Status     int           `json:"status"`
	Code       string        `json:"code"`
	Detail     string        `json:"detail"`
	RetryAfter time.Duration `json:"-"`
}

func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail) }

// MayPass returns whether the same request may succeed later. An error that is no Problem is a broken connection.
func MayPass(err error) bool {
	var problem *Problem
	if !errors.As(err, &problem) {
		return true
	}
	switch problem.Status {
	case 408, 429, 502, 503, 504:
		return true
	}
	return false
}

// Pause returns the time until the next attempt: Retry-After, plus a random part that grows with the failures.
func Pause(failures int, err error) time.Duration {
	most := min(10*time.Second, 100*time.Millisecond<<min(failures, 10))
	pause := time.Duration(rand.Int63n(int64(most)))
	var problem *Problem
	if errors.As(err, &problem) {
		pause += problem.RetryAfter
	}
	return pause
}

// Open sends one request and returns the open answer. The error is a *Problem if the answer is not 2xx.
func Open(ctx context.Context, method, path string, body []byte, headers map[string]string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, setting("TRIBUTARY_URL", "http://127.0.0.1:3902")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TRIBUTARY_KEY"))
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.StatusCode < 300 {
		return answer, err
	}
	defer answer.Body.Close()
	problem := &Problem{}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if json.Unmarshal(text, problem) != nil {
		problem.Detail = string(text)
	}
	problem.Status = answer.StatusCode
	after, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	problem.RetryAfter = time.Duration(after) * time.Second
	return nil, problem
}

// Ask sends a request until its answer is there, always with the same bytes, and decodes the JSON of the answer.
func Ask(method, path string, body []byte, into any) error {
	end := time.Now().Add(RetryFor)
	for failures := 0; ; failures++ {
		err := once(method, path, body, into)
		if err == nil || !MayPass(err) {
			return err
		}
		pause := Pause(failures, err)
		if time.Now().Add(pause).After(end) {
			return err
		}
		time.Sleep(pause)
	}
}

func once(method, path string, body []byte, into any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	answer, err := Open(ctx, method, path, body, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(into)
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func seconds(name string, otherwise float64) time.Duration {
	if value, err := strconv.ParseFloat(os.Getenv(name), 64); err == nil {
		otherwise = value
	}
	return time.Duration(otherwise * float64(time.Second))
}
