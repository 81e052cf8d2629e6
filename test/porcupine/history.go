package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
)

// attempt is one request for one event, with its answer, as AttemptHistory writes it.
type attempt struct {
	EventID  string `json:"event_id"`
	Stream   string `json:"stream"`
	EntityID string `json:"entity_id"`
	// The version that the client expects; nil for an unconditional event.
	Expected *int `json:"expected"`
	// The event ids of its atomic batch, whose condition is that of the first one.
	Group []string `json:"group"`

	outcome string // accepted, refused, unknown or failed
	version *int   // of an accepted attempt; nil if the event is unconditional
	current int    // of a refused attempt
	reason  string // of an unknown or failed attempt

	// Milliseconds; `returned` is +Inf if the history has no answer.
	invoked, returned float64
}

// storedEvent is an event that was read back after the run.
type storedEvent struct {
	EventID  string  `json:"event_id"`
	Stream   string  `json:"stream"`
	EntityID *string `json:"entity_id"`
	Version  *int    `json:"version"`
}

// history is the content of a file of AttemptHistory.
type history struct {
	attempts []attempt
	stored   []storedEvent
}

type line struct {
	attempt
	Invoke  *int         `json:"invoke"`
	Return  *int         `json:"return"`
	Stored  *storedEvent `json:"stored"`
	At      float64      `json:"at"`
	Invoked float64      `json:"invoked"`
	Outcome string       `json:"outcome"`
	Version *int         `json:"version"`
	Current int          `json:"current"`
	Reason  any          `json:"reason"` // text, or the number of an error code
}

// readHistory reads a file. An attempt without an answer has the outcome unknown.
func readHistory(path string) (history, error) {
	file, err := os.Open(path)
	if err != nil {
		return history{}, err
	}
	defer file.Close()
	var found history
	invoked := map[int]int{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for number := 1; lines.Scan(); number++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var one line
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return history{}, fmt.Errorf("%s, line %d: %w", path, number, err)
		}
		switch {
		case one.Invoke != nil:
			invoked[*one.Invoke] = len(found.attempts)
			begun := one.attempt
			begun.outcome, begun.reason = "unknown", "no answer"
			begun.invoked, begun.returned = one.At, math.Inf(1)
			found.attempts = append(found.attempts, begun)
		case one.Return != nil:
			at, ok := invoked[*one.Return]
			if !ok {
				return history{}, fmt.Errorf("%s, line %d: the answer has no request", path, number)
			}
			ended := &found.attempts[at]
			ended.outcome, ended.version, ended.current, ended.reason = one.Outcome, one.Version, one.Current, fmt.Sprint(one.Reason)
			ended.invoked, ended.returned = one.Invoked, one.At
			if !slices.Contains([]string{"accepted", "refused", "unknown", "failed"}, one.Outcome) {
				return history{}, fmt.Errorf("%s, line %d: unknown outcome %q", path, number, one.Outcome)
			}
		case one.Stored != nil:
			found.stored = append(found.stored, *one.Stored)
		}
	}
	return found, lines.Err()
}

// entity is one register: the attempts on it, and the events that were read back.
type entity struct {
	name     string
	attempts []attempt
	// The event ids that were read back, in the order of their versions; nil if the history has no read.
	read []readEvent
	// Whether the history has a read.
	isRead bool
	// Whether the read is later than the attempts, so it shows more events than they explain.
	isPrefix bool
}

type readEvent struct {
	id      string
	version int
}

// entities divides the history by stream and entity. A history without stored events has no read: its run ended before.
func (h history) entities() []entity {
	var order []string
	byName := map[string]*entity{}
	of := func(stream, id string) *entity {
		name := stream + " / " + id
		if byName[name] == nil {
			byName[name] = &entity{name: name, isRead: len(h.stored) > 0}
			order = append(order, name)
		}
		return byName[name]
	}
	for _, one := range h.attempts {
		// A later event of an atomic batch is refused with the first one, whatever version it would have expected.
		if one.outcome == "refused" && len(one.Group) > 0 && one.Group[0] != one.EventID {
			continue
		}
		to := of(one.Stream, one.EntityID)
		to.attempts = append(to.attempts, one)
	}
	for _, one := range h.stored {
		id, version := "null", 0
		if one.EntityID != nil {
			id = *one.EntityID
		}
		if one.Version != nil {
			version = *one.Version
		}
		to := of(one.Stream, id)
		to.read = append(to.read, readEvent{one.EventID, version})
	}
	slices.Sort(order)
	var all []entity
	for _, name := range order {
		one := byName[name]
		slices.SortStableFunc(one.read, func(a, b readEvent) int { return a.version - b.version })
		all = append(all, *one)
	}
	return all
}

func (a attempt) String() string {
	expecting, answer := "any version", a.outcome
	if a.Expected != nil {
		expecting = fmt.Sprintf("version %d", *a.Expected)
	}
	switch {
	case a.outcome == "accepted" && a.version != nil:
		answer = fmt.Sprintf("accepted at version %d", *a.version)
	case a.outcome == "refused":
		answer = fmt.Sprintf("refused at version %d", a.current)
	case a.outcome == "unknown" || a.outcome == "failed":
		answer = fmt.Sprintf("%s (%.60s)", a.outcome, a.reason)
	}
	return fmt.Sprintf("%s, expecting %s: %s, %.1f to %.1f ms", a.EventID, expecting, answer, a.invoked, a.returned)
}
