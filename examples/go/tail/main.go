// Tail prints events as they are stored, one on each line, and continues where it stopped.
//
//	go run ./tail POSITION_FILE NAME=VALUE ...      for example: go run ./tail orders.position stream=orders
//
// The parameters are those of GET /api/v1/events/stream; keep them the same for one file. Without a file, it begins with
// the next event, or with since.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/tributary/tributary"
)

// The server sends a heartbeat every 15 seconds. A longer silence is a broken connection.
const silence = 45 * time.Second

// errFinal is the end of a stream after which the same request ends again.
var errFinal = errors.New("the stream ended")

type tail struct {
	path, file string
	retry      time.Duration
	failures   int
	seen       map[string]bool // The events after the saved position, which may come again.
}

func main() {
	parameters := url.Values{}
	for _, argument := range os.Args[min(2, len(os.Args)):] {
		name, value, _ := strings.Cut(argument, "=")
		parameters.Add(name, value)
	}
	if len(parameters) == 0 {
		fail("usage: tail POSITION_FILE NAME=VALUE ...")
	}
	path := "/api/v1/events/stream?" + parameters.Encode()
	t := tail{path: path, file: os.Args[1], retry: time.Second, seen: map[string]bool{}}
	for {
		err := t.follow()
		if errors.Is(err, errFinal) || !tributary.MayPass(err) {
			fail("%v", err)
		}
		pause := t.retry + tributary.Pause(t.failures, err)
		t.failures++
		fmt.Fprintf(os.Stderr, "Reconnecting in %v: %v\n", pause.Round(time.Millisecond), err)
		time.Sleep(pause)
	}
}

// follow opens one connection, prints its events, and returns why it ended.
func (t *tail) follow() error {
	headers := map[string]string{}
	if text, err := os.ReadFile(t.file); err == nil {
		if position := strings.TrimSpace(string(text)); position != "" {
			headers["Last-Event-ID"] = position
		}
	} else if !os.IsNotExist(err) {
		fail("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	timer := time.AfterFunc(silence, cancel)
	answer, err := tributary.Open(ctx, "GET", t.path, nil, headers)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewReader(answer.Body)
	message := map[string]string{}
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return fmt.Errorf("the stream ended: %w", err) // What has come of this message is left out.
		}
		timer.Reset(silence)
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if name != "" {
			message[name] = strings.TrimPrefix(value, " ")
		} else if strings.TrimSpace(line) == "" {
			if err := t.receive(message); err != nil {
				return err
			}
			clear(message)
		}
	}
}

// receive prints an event, and then saves its position: after a kill between the two, the event comes again.
func (t *tail) receive(message map[string]string) error {
	t.failures = 0
	if ms, err := strconv.Atoi(message["retry"]); err == nil {
		t.retry = time.Duration(ms) * time.Millisecond
	}
	switch data := message["data"]; message["event"] {
	case "error":
		return ended(data)
	case "event":
		var event struct {
			EventID string `json:"event_id"`
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return err
		}
		if !t.seen[event.EventID] {
			if _, err := fmt.Println(data); err != nil {
				fail("%v", err)
			}
		}
		t.seen[event.EventID] = true
	}
	if id, ok := message["id"]; ok {
		save(t.file, id)
		clear(t.seen)
	}
	return nil
}

// ended returns the reason in an `event: error`, as errFinal if another attempt cannot help.
func ended(data string) error {
	var problem tributary.Problem
	if err := json.Unmarshal([]byte(data), &problem); err != nil {
		return err
	}
	switch problem.Code {
	case "invalid_token", "stream_not_found", "query_too_expensive", "invalid_request":
		return fmt.Errorf("%w: %s: %s", errFinal, problem.Code, problem.Detail)
	}
	return fmt.Errorf("the stream ended: %s: %s", problem.Code, problem.Detail)
}

// save replaces the file by a complete one, so that a kill leaves the former position.
func save(file, position string) {
	draft := file + ".new"
	if err := os.WriteFile(draft, []byte(position), 0o600); err != nil {
		fail("%v", err)
	}
	if err := os.Rename(draft, file); err != nil {
		fail("%v", err)
	}
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}
