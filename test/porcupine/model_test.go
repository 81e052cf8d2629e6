package main

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

func expecting(id string, version int, from, to float64) attempt {
	return attempt{EventID: id, Expected: &version, invoked: from, returned: to}
}

func unconditional(id string, from, to float64) attempt {
	return attempt{EventID: id, invoked: from, returned: to}
}

func (a attempt) accepted(version int) attempt {
	a.outcome = "accepted"
	if a.Expected != nil {
		a.version = &version
	}
	return a
}

func (a attempt) refused(current int) attempt {
	a.outcome, a.current = "refused", current
	return a
}

func (a attempt) unknown() attempt {
	a.outcome = "unknown"
	return a
}

func read(ids ...string) []readEvent {
	list := []readEvent{}
	for i, id := range ids {
		list = append(list, readEvent{id, i + 1})
	}
	return list
}

func TestModel(t *testing.T) {
	a := expecting("a", 0, 0, 10).accepted(1)
	b := expecting("b", 1, 11, 20).accepted(2)
	for _, one := range []struct {
		name     string
		attempts []attempt
		read     []readEvent // nil: only the answers
		right    bool
	}{
		{"accepted in a row", []attempt{a, b}, read("a", "b"), true},
		{"nothing", nil, nil, true},
		{"refused at another version", []attempt{a, b, expecting("x", 1, 15, 30).refused(2)}, read("a", "b"), true},
		{"refused at the expected version", []attempt{a, expecting("x", 1, 15, 30).refused(1)}, nil, false},
		{"refused at a version that is over", []attempt{a, b, expecting("x", 5, 21, 30).refused(1)}, nil, false},
		{"refused at a version that comes later", []attempt{a, b, expecting("x", 5, 1, 10.5).refused(2)}, nil, false},
		{"refused without a condition", []attempt{a, unconditional("x", 15, 30).refused(1)}, nil, false},
		{"two at one version", []attempt{a, expecting("x", 0, 0, 10).accepted(1)}, nil, false},
		{"another version than the next", []attempt{a, expecting("b", 1, 11, 20).accepted(3)}, nil, false},
		{"accepted at no possible version", []attempt{expecting("x", 0, 11, 20).accepted(-1)}, nil, false},
		{"accepted with another expectation", []attempt{a, expecting("b", 7, 11, 20).accepted(2)}, nil, false},
		{"later version answered earlier", []attempt{expecting("a", 0, 21, 30).accepted(1), b}, nil, false},
		{"at the same instant", []attempt{expecting("a", 0, 20, 30).accepted(1), b}, nil, true},
		{"between two versions", []attempt{a, unconditional("x", 0, 30).accepted(0), expecting("b", 2, 11, 20).accepted(3)}, nil, true},
		{"a version is missing", []attempt{a, expecting("b", 2, 11, 20).accepted(3)}, nil, false},

		{"repeat", []attempt{a, b, expecting("a", 0, 30, 40).accepted(1)}, read("a", "b"), true},
		{"repeat with another expectation", []attempt{a, b, expecting("a", 9, 30, 40).accepted(1)}, read("a", "b"), true},
		{"repeat with another version", []attempt{a, b, expecting("a", 2, 30, 40).accepted(3)}, nil, false},
		{"repeat is refused", []attempt{a, b, expecting("a", 0, 30, 40).refused(2)}, nil, false},
		{"repeat without a condition", []attempt{unconditional("x", 0, 1).accepted(0), unconditional("x", 2, 3).accepted(0), b}, nil, true},
		{"repeat counts as a version", []attempt{unconditional("x", 0, 1).accepted(0), unconditional("x", 2, 3).accepted(0), expecting("c", 2, 4, 5).accepted(3)}, nil, false},
		{"refused, then accepted", []attempt{a, b, expecting("c", 0, 21, 30).refused(2), expecting("c", 2, 31, 40).accepted(3)}, nil, true},
		{"answered before the only fitting request", []attempt{a, expecting("b", 5, 11, 12).accepted(2), expecting("b", 1, 13, 14).accepted(2)}, nil, false},

		{"unknown never happens", []attempt{a, expecting("x", 1, 1, 2).unknown(), b}, read("a", "b"), true},
		{"unknown happens late", []attempt{a, expecting("x", 2, 1, 2).unknown(), b}, read("a", "b", "x"), true},
		{"unknown made the version", []attempt{a, expecting("x", 1, 1, 2).unknown(), expecting("c", 2, 11, 20).accepted(3)}, nil, true},
		{"unknown expected another version", []attempt{a, expecting("x", 5, 1, 2).unknown(), expecting("c", 2, 11, 20).accepted(3)}, nil, false},
		{"unknown was sent too late", []attempt{a, expecting("x", 1, 21, 22).unknown(), expecting("c", 2, 11, 20).accepted(3)}, nil, false},
		{"unknown without a condition happens once", []attempt{a, unconditional("x", 1, 2).unknown(), expecting("c", 2, 11, 20).accepted(3)}, nil, true},
		{"unknown without a condition happens twice", []attempt{a, unconditional("x", 1, 2).unknown(), unconditional("x", 3, 4).unknown(), expecting("c", 3, 11, 20).accepted(4)}, nil, false},
		{"two unknown events", []attempt{a, unconditional("x", 1, 2).unknown(), unconditional("y", 3, 4).unknown(), expecting("c", 3, 11, 20).accepted(4)}, nil, true},
		{"accepted repeat of an unknown one", []attempt{a, expecting("b", 1, 11, 12).unknown(), expecting("c", 2, 13, 14).accepted(3), expecting("b", 1, 15, 16).accepted(2)}, nil, true},
		{"refused repeat of an unknown one that happened", []attempt{a, expecting("b", 1, 11, 12).unknown(), expecting("c", 2, 13, 14).accepted(3), expecting("b", 1, 15, 16).refused(3)}, nil, false},

		{"lost", []attempt{a, b}, read("a"), false},
		{"stored in another order", []attempt{a, b}, read("b", "a"), false},
		{"stored twice", []attempt{a, b}, read("a", "b", "a"), false},
		{"never sent", []attempt{a, b}, read("a", "b", "x"), false},
		{"refused but stored", []attempt{a, b, expecting("x", 1, 15, 30).refused(2)}, read("a", "b", "x"), false},
		{"a gap", []attempt{a, b}, []readEvent{{"a", 1}, {"b", 3}}, false},
		{"two stored at one version", []attempt{a, expecting("x", 0, 0, 9).unknown()}, []readEvent{{"a", 1}, {"x", 1}}, false},
	} {
		t.Run(one.name, func(t *testing.T) {
			e := entity{name: "e", attempts: one.attempts, read: one.read, isRead: one.read != nil}
			result := e.judge(time.Minute, true)
			if (result.Verdict == linearizable) != one.right {
				t.Errorf("%s: %s", result.Verdict, result.Explanation)
			}
			removeDrawing(t, result.Explanation)
			if direct := e.isLinearizableByDefinition(); direct != one.right {
				t.Errorf("the definition says %t", direct)
			}
		})
	}
}

// TestShortcuts compares the model, which searches less, with the definition, on small histories of any kind.
func TestShortcuts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	right := 0
	const count = 20_000
	for range count {
		e := anyEntity(random)
		result := e.check(time.Minute) == porcupine.Ok
		if result != e.isLinearizableByDefinition() {
			t.Fatalf("Porcupine says %t about %v, read %v (%t)", result, e.attempts, e.read, e.isRead)
		}
		if result {
			right++
		}
	}
	t.Logf("%d of %d are linearizable", right, count)
	if right < count/20 || right > count*19/20 {
		t.Errorf("%d of %d are linearizable", right, count)
	}
}

// anyEntity returns up to six attempts on up to four events, with mostly plausible answers.
func anyEntity(random *rand.Rand) entity {
	e := entity{name: "e"}
	ids := []string{"a", "b", "c", "d"}
	var list []string
	for i := range 1 + random.IntN(6) {
		id := ids[random.IntN(len(ids))]
		from := float64(4*i + random.IntN(6))
		one := unconditional(id, from, from+float64(random.IntN(8)))
		if random.IntN(4) > 0 {
			one = expecting(id, max(0, len(list)-random.IntN(6)/4), one.invoked, one.returned)
		}
		at := slices.Index(list, id)
		fits := one.Expected == nil || *one.Expected == len(list)
		if at < 0 && fits {
			list = append(list, id)
			at = len(list) - 1
		}
		switch {
		case random.IntN(4) == 0:
			one = one.unknown()
			if at == len(list)-1 && random.IntN(2) == 0 {
				list = list[:max(0, at)]
			}
		case random.IntN(12) == 0:
			one = one.accepted(random.IntN(5) - 1)
		case random.IntN(12) == 0:
			one = one.refused(random.IntN(5) - 1)
		case at >= 0:
			one = one.accepted(at + 1)
		default:
			one = one.refused(len(list))
		}
		e.attempts = append(e.attempts, one)
	}
	if random.IntN(2) == 0 {
		e.isRead, e.read = true, read(list...)
	}
	return e
}

// isLinearizableByDefinition tries all orders of all attempts, as they are in the history, with the model in its plain form:
// the state is the list of events.
func (e entity) isLinearizableByDefinition() bool {
	var search func(rest []attempt, list []string) bool
	search = func(rest []attempt, list []string) bool {
		// An unknown attempt that is left takes effect after the end, or never.
		isEnd := !slices.ContainsFunc(rest, func(one attempt) bool { return one.outcome != "unknown" })
		if isEnd && (!e.isRead || slices.EqualFunc(list, e.read, func(id string, one readEvent) bool { return id == one.id }) && e.versionsAreRow()) {
			return true
		}
		for i, one := range rest {
			isAfter := func(other attempt) bool { return other.outcome != "unknown" && other.returned < one.invoked }
			if slices.ContainsFunc(rest, isAfter) {
				continue
			}
			at := slices.Index(list, one.EventID)
			next := list
			answer, version := "accepted", at+1
			switch {
			case at >= 0:
			case one.Expected == nil || *one.Expected == len(list):
				next = append(slices.Clone(list), one.EventID)
				version = len(next)
			default:
				answer, version = "refused", len(list)
			}
			fits := one.outcome == "unknown" ||
				one.outcome == answer && (answer == "refused" && one.current == version || answer == "accepted" && (one.version == nil || *one.version == version))
			if fits && search(slices.Delete(slices.Clone(rest), i, i+1), next) {
				return true
			}
		}
		return false
	}
	return search(e.attempts, nil)
}

func (e entity) versionsAreRow() bool {
	for i, one := range e.read {
		if one.version != i+1 {
			return false
		}
	}
	return true
}

func TestExplanation(t *testing.T) {
	e := entity{name: "e", attempts: []attempt{
		expecting("a", 0, 0, 10).accepted(1),
		expecting("b", 1, 11, 20).accepted(2),
		expecting("x", 5, 21, 30).refused(1),
		expecting("c", 2, 31, 40).accepted(3),
	}}
	result := e.judge(time.Minute, true)
	drawing := removeDrawing(t, result.Explanation)
	if !strings.Contains(result.Explanation, "The answers before 30.0 ms have an order. This one has no place in any:\n    x, expecting version 5: refused at version 1") {
		t.Error(result.Explanation)
	}
	if drawing == "" {
		t.Error("no drawing")
	}
}

func TestReadHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.ndjson")
	text := `{"seed":1}
{"invoke":1,"at":1.5,"event_id":"a","stream":"s","entity_id":"e","expected":0,"hash":"h"}
{"invoke":2,"at":2.5,"event_id":"b","stream":"s","entity_id":"e","expected":null,"hash":"h"}
{"invoke":3,"at":2.6,"event_id":"c","stream":"s","entity_id":"e","expected":4,"hash":"h"}
{"return":1,"invoked":1.7,"at":3.5,"outcome":"accepted","version":1,"partition":0,"offset":7}
{"return":3,"invoked":2.7,"at":3.6,"outcome":"unknown","reason":23}
{"stored":{"event_id":"a","stream":"s","entity_id":"e","version":1,"partition":0,"offset":7,"hash":"h"}}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := readHistory(path)
	if err != nil || len(found.attempts) != 3 || len(found.stored) != 1 {
		t.Fatal(found, err)
	}
	a, b, c := found.attempts[0], found.attempts[1], found.attempts[2]
	if a.outcome != "accepted" || *a.version != 1 || *a.Expected != 0 || a.invoked != 1.7 || a.returned != 3.5 {
		t.Error(a)
	}
	if b.outcome != "unknown" || b.Expected != nil || b.invoked != 2.5 || !math.IsInf(b.returned, 1) {
		t.Error(b)
	}
	if c.outcome != "unknown" || c.reason != "23" {
		t.Error(c)
	}
	if all := found.entities(); len(all) != 1 || all[0].name != "s / e" || !all[0].isRead {
		t.Error(all)
	}
}

// removeDrawing removes the file that the explanation names, and returns its path.
func removeDrawing(t *testing.T, explanation string) string {
	_, path, found := strings.Cut(explanation, "Drawing: ")
	if !found {
		return ""
	}
	if err := os.Remove(path); err != nil {
		t.Error(err)
	}
	return path
}
