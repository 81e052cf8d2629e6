package main

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// The model: an entity is a register that holds a list of events; its version is their number.
//
//   - An attempt that expects version v (or any version) appends its event if the event is not in the list and the list has
//     v events (or any number). Its answer is `accepted`, with the new version if the attempt is conditional.
//   - If the event is in the list already, the attempt changes nothing. Its answer is `accepted`, with the event's version,
//     whatever the attempt expects.
//   - In all other cases the answer is `refused`, with the current version. An unconditional attempt is never refused.
//   - An attempt with an unknown outcome does the same at some time after its request, or never. Its return is at infinity,
//     so "never" is a time after everything that was observed.
//   - The events of a batch are attempts of their own. That an atomic batch is written as a whole, checkVersions checks.
//   - The events that were read back are a read of the whole list, after every answer.

type kind int

const (
	accepted kind = iota
	refused
	unknown
	// The read at the end; without a read, the end of the observations.
	end
)

// none is no version and no number of an event; a wrong answer may have any other number.
const none = math.MinInt

// operation is the input of a step. Porcupine's output is not used, because the answer belongs to the operation.
type operation struct {
	kind     kind
	event    int // number of the event id within the entity
	expected int // none: any version
	answered int // version of an accepted attempt (none if unconditional), current version of a refused one
	// Unknown attempts that this operation stands for, and the attempt itself.
	attempt *attempt
}

// state is comparable, as Porcupine's default equality requires.
type state struct {
	version int
	// The appended events whose version no answer and no read names, if other attempts on the same event exist.
	unversioned string
	// The number of refusals that were answered at this version.
	refusals int
	// The operation `end` is done.
	ended bool
}

// register is the model of one entity. To search less, it refuses a step at once if another answer or the read certainly
// contradicts the resulting state:
//   - Version 5 goes to no other event than the one that was answered or read as version 5.
//   - Version 4 ends when all refusals that name it as current have taken place.
type register struct {
	holders  map[int]int // event by version
	versions []int       // version by event; none if neither an answer nor the read names it
	several  []bool      // whether several operations concern the event
	refusals map[int]int // number of refusals by the version that they name
	isRead   bool
	isPrefix bool
	read     []readEvent // in the order of the versions
}

// prepare returns the model of an entity and its history for Porcupine. If an unknown attempt has the same event and the
// same expectation as another attempt, the history needs only one of both:
//   - Of several unknown attempts, the earliest may take effect whenever the others may, and only one of them can.
//   - An accepted attempt that follows an unknown one may have been preceded by the effect of the unknown one. Both
//     together are one accepted attempt that begins with the request of the unknown one.
func prepare(e entity) (*register, []porcupine.Operation) {
	numbers := map[string]int{}
	numberOf := func(id string) int {
		if _, ok := numbers[id]; !ok {
			numbers[id] = len(numbers)
		}
		return numbers[id]
	}
	attempts := withoutRedundant(e.attempts)
	r := &register{holders: map[int]int{}, refusals: map[int]int{}, isRead: e.isRead, isPrefix: e.isPrefix, read: e.read}
	for _, one := range attempts {
		numberOf(one.EventID)
	}
	for _, one := range e.read {
		numberOf(one.id)
	}
	r.versions = slices.Repeat([]int{none}, len(numbers))
	hold := func(event, version int) {
		if _, held := r.holders[version]; held || version < 1 {
			return
		}
		r.holders[version] = event
		if r.versions[event] == none {
			r.versions[event] = version
		}
	}
	for _, one := range e.read {
		hold(numberOf(one.id), one.version)
	}
	if !e.isRead {
		for _, one := range attempts {
			if one.outcome == "accepted" && one.version != nil && r.versions[numberOf(one.EventID)] == none {
				hold(numberOf(one.EventID), *one.version)
			}
		}
	}
	counts := make([]int, len(numbers))
	times := newClock(attempts)
	var operations []porcupine.Operation
	for i := range attempts {
		one := &attempts[i]
		op := operation{event: numberOf(one.EventID), expected: none, answered: none, attempt: one}
		if one.Expected != nil {
			op.expected = *one.Expected
		}
		returned := times.at(one.returned)
		switch one.outcome {
		case "accepted":
			op.kind = accepted
			if one.version != nil {
				op.answered = *one.version
			}
		case "refused":
			op.kind, op.answered = refused, one.current
			r.refusals[one.current]++
		case "unknown":
			op.kind, returned = unknown, math.MaxInt64
			if !r.mayAppend(op) {
				continue // It never had an effect.
			}
		default:
			continue // An unexpected answer is reported, and it had no effect.
		}
		counts[op.event]++
		operations = append(operations, porcupine.Operation{
			ClientId: i, Input: op, Call: times.at(one.invoked), Return: returned,
		})
	}
	for _, count := range counts {
		r.several = append(r.several, count > 1)
	}
	last := times.last() + 1
	operations = append(operations, porcupine.Operation{
		ClientId: len(attempts), Input: operation{kind: end, event: none}, Call: last, Return: last + 1,
	})
	return r, operations
}

func (r *register) has(s state, event int) bool {
	if r.versions[event] != none {
		return s.version >= r.versions[event]
	}
	return strings.Contains(s.unversioned, token(event))
}

func token(event int) string { return fmt.Sprintf(" %d.", event) }

// mayBe returns whether the event may have the version, according to the other answers and the read.
func (r *register) mayBe(event, version int) bool {
	holder, held := r.holders[version]
	if held || r.isRead {
		return held && holder == event
	}
	return r.versions[event] == none
}

// mayAppend returns whether there is a version at which the operation may append its event.
func (r *register) mayAppend(op operation) bool {
	if op.expected != none {
		return r.mayBe(op.event, op.expected+1)
	}
	return !r.isRead || r.versions[op.event] != none
}

// appended returns the state after the event is appended, if it can be.
func (r *register) appended(s state, op operation) (bool, state) {
	next := s.version + 1
	if op.expected != none && op.expected != s.version || !r.mayBe(op.event, next) || s.refusals < r.refusals[s.version] {
		return false, s
	}
	if r.versions[op.event] == none && r.several[op.event] {
		all := append(strings.SplitAfter(s.unversioned, "."), token(op.event))
		slices.Sort(all)
		s.unversioned = strings.Join(all, "")
	}
	s.version, s.refusals = next, 0
	return true, s
}

func (r *register) step(s state, op operation) (bool, state) {
	switch op.kind {
	case accepted:
		if op.answered != none && op.answered != r.versions[op.event] {
			return false, s
		}
		if r.has(s, op.event) {
			return true, s
		}
		return r.appended(s, op)
	case refused:
		right := op.answered == s.version && op.expected != none && op.expected != s.version
		if !right || r.has(s, op.event) {
			return false, s
		}
		s.refusals++
		return true, s
	case unknown:
		if s.ended {
			return true, s // It takes effect later, or never.
		}
		// An attempt without an effect can wait for the end, so it need not be tried here.
		if r.has(s, op.event) {
			return false, s
		}
		return r.appended(s, op)
	default:
		s.ended = true
		return !r.isRead || r.isPrefix || r.readIs(s.version), s
	}
}

// readIs returns whether the read shows versions 1 to n. Which event has which version is a matter of `holders`.
func (r *register) readIs(version int) bool {
	for i, one := range r.read {
		if one.version != i+1 {
			return false
		}
	}
	return len(r.read) == version
}

var seed = maphash.MakeSeed()

func (r *register) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return state{} },
		Step: func(s, input, _ any) (bool, any) {
			ok, next := r.step(s.(state), input.(operation))
			return ok, next
		},
		Hash:              func(s any) uint64 { return maphash.Comparable(seed, s.(state)) },
		DescribeOperation: func(input, _ any) string { return r.describe(input.(operation)) },
		DescribeState:     func(s any) string { return fmt.Sprintf("version %d", s.(state).version) },
	}
}

func (r *register) describe(op operation) string {
	if op.kind != end {
		return op.attempt.String()
	}
	if r.isRead {
		return fmt.Sprintf("the read of %d events", len(r.read))
	}
	return "the end"
}

// withoutRedundant returns the attempts that `prepare` needs, in the order of their requests.
func withoutRedundant(all []attempt) []attempt {
	type key struct {
		id       string
		expected int
	}
	keyOf := func(one attempt) key {
		if one.Expected == nil {
			return key{one.EventID, none}
		}
		return key{one.EventID, *one.Expected}
	}
	var kept, unknowns []attempt
	first := map[key]int{}
	for _, one := range all {
		if one.outcome != "unknown" {
			kept = append(kept, one)
			continue
		}
		if at, ok := first[keyOf(one)]; !ok {
			first[keyOf(one)] = len(unknowns)
			unknowns = append(unknowns, one)
		} else if one.invoked < unknowns[at].invoked {
			unknowns[at] = one
		}
	}
	answered := map[key]int{}
	for i, one := range kept {
		if at, ok := answered[keyOf(one)]; one.outcome == "accepted" && (!ok || one.returned < kept[at].returned) {
			answered[keyOf(one)] = i
		}
	}
	for _, one := range unknowns {
		if at, ok := answered[keyOf(one)]; ok {
			kept[at].invoked = min(kept[at].invoked, one.invoked)
		} else {
			kept = append(kept, one)
		}
	}
	slices.SortStableFunc(kept, func(a, b attempt) int { return cmp.Compare(a.invoked, b.invoked) })
	return kept
}

// clock maps times to their ranks, which are exact where rounding would make two times equal.
type clock []float64

func newClock(attempts []attempt) clock {
	var all clock
	for _, one := range attempts {
		all = append(all, one.invoked)
		if !math.IsInf(one.returned, 1) {
			all = append(all, one.returned)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (c clock) at(time float64) int64 {
	rank, _ := slices.BinarySearch(c, time)
	return int64(rank)
}

func (c clock) last() int64 { return int64(len(c)) }
