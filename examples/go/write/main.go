// Write writes events: each line of standard input, a JSON value, becomes the data of an event.
//
//	go run ./write STREAM EVENT_TYPE [ENTITY_ID] < lines
//
// It prints the answer to each event, with its partition and offset. It ends with exit code 1 at the first event that
// Tributary rejects, or does not acknowledge in time.
package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"example.com/tributary/tributary"
)

type event struct {
	EventID   string          `json:"event_id"`
	Stream    string          `json:"stream"`
	EventType string          `json:"event_type"`
	EntityID  string          `json:"entity_id,omitempty"`
	Data      json.RawMessage `json:"data"`
}

func main() {
	if len(os.Args) != 3 && len(os.Args) != 4 {
		fail("usage: write STREAM EVENT_TYPE [ENTITY_ID] < lines")
	}
	lines := bufio.NewReader(os.Stdin)
	for number := 1; ; number++ {
		line, end := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			write(number, line)
		}
		if end == io.EOF {
			return
		} else if end != nil {
			fail("standard input: %v", end)
		}
	}
}

func write(number int, data []byte) {
	// The id is made once for each event. A repeated request has the same id, so the event is stored once.
	one := event{EventID: newID(), Stream: os.Args[1], EventType: os.Args[2], Data: data}
	if len(os.Args) == 4 {
		one.EntityID = os.Args[3]
	}
	body, err := json.Marshal(one)
	if err != nil {
		fail("line %d is not JSON: %v", number, err)
	}
	var answer json.RawMessage
	if err := tributary.Ask("POST", "/api/v1/events", body, &answer); err != nil {
		if tributary.MayPass(err) {
			// Nobody knows whether the event is stored: send it again later, with this id.
			fail("line %d: no acknowledgement of %s in %v: %v", number, one.EventID, tributary.RetryFor, err)
		}
		fail("line %d is rejected: %v", number, err)
	}
	fmt.Println(string(answer))
}

// newID returns a random UUID (version 4).
func newID() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		fail("no random numbers: %v", err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}
