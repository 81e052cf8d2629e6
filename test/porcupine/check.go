package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

const (
	linearizable    = "linearizable"
	notLinearizable = "not linearizable"
	notKnown        = "unknown"
)

// How long each check of a part of an entity's history may take, which only looks for a short explanation.
const explanationTimeout = 5 * time.Second

// contextLines is the maximum number of other attempts in an explanation.
const contextLines = 10

// verdict is the result for one entity.
type verdict struct {
	Entity      string `json:"entity"`
	Verdict     string `json:"verdict"`
	Explanation string `json:"explanation,omitempty"`
}

func (e entity) check(timeout time.Duration) porcupine.CheckResult {
	r, operations := prepare(e)
	return porcupine.CheckOperationsTimeout(r.model(), operations, timeout)
}

// judge checks one entity. With `explain`, it adds the first contradiction and a drawing.
func (e entity) judge(timeout time.Duration, explain bool) verdict {
	switch e.check(timeout) {
	case porcupine.Ok:
		return verdict{Entity: e.name, Verdict: linearizable}
	case porcupine.Unknown:
		why := fmt.Sprintf("Porcupine found neither an order nor its absence within %s.", timeout)
		return verdict{Entity: e.name, Verdict: notKnown, Explanation: why}
	}
	found := verdict{Entity: e.name, Verdict: notLinearizable}
	if explain {
		found.Explanation = e.explain()
	}
	return found
}

// explain names the first answer that contradicts the answers before it, or these and the read.
func (e entity) explain() string {
	answers := entity{name: e.name, attempts: e.attempts}
	order := "an order"
	if e.isRead && answers.check(explanationTimeout) != porcupine.Illegal {
		answers = entity{name: e.name, attempts: e.attempts, read: e.read, isRead: true, isPrefix: true}
		order = "an order that agrees with the events that were read back"
		if answers.check(explanationTimeout) != porcupine.Illegal {
			return "The events that were read back are others than those of the answers." + e.draw(none)
		}
	}
	contradiction := answers.firstContradiction()
	if contradiction == none {
		return "The answers are contradictory." + answers.draw(none)
	}
	one := e.attempts[contradiction]
	text := fmt.Sprintf("The answers before %.1f ms have %s. This one has no place in any:\n    %s", one.returned, order, one)
	if e.isRead {
		text += e.readAs(one.EventID)
	}
	if near := e.near(contradiction); near != "" {
		text += "\n  Attempts at the same time, and those that may have made the versions next to it:" + near
	}
	return text + answers.until(one.returned).draw(contradiction)
}

// readAs says at which version the event was read back.
func (e entity) readAs(id string) string {
	at := slices.IndexFunc(e.read, func(one readEvent) bool { return one.id == id })
	if at < 0 {
		return " (was not read back)"
	}
	return fmt.Sprintf(" (was read back as version %d)", e.read[at].version)
}

// firstContradiction returns the attempt with the first answer that makes the history contradictory.
func (e entity) firstContradiction() int {
	var answered []int
	for i, one := range e.attempts {
		if one.outcome == "accepted" || one.outcome == "refused" {
			answered = append(answered, i)
		}
	}
	slices.SortFunc(answered, func(a, b int) int { return cmp.Compare(e.attempts[a].returned, e.attempts[b].returned) })
	// If the answers up to a time are contradictory, so are those up to each later time.
	first := sort.Search(len(answered), func(i int) bool {
		return e.until(e.attempts[answered[i]].returned).check(explanationTimeout) == porcupine.Illegal
	})
	if first == len(answered) {
		return none
	}
	return answered[first]
}

// until returns what the clients knew at the time: later answers are still unknown.
func (e entity) until(time float64) entity {
	known := entity{name: e.name, read: e.read, isRead: e.isRead, isPrefix: e.isPrefix}
	for _, one := range e.attempts {
		if one.invoked > time {
			continue
		}
		if one.returned > time {
			one.outcome, one.reason = "unknown", "no answer yet"
		}
		known.attempts = append(known.attempts, one)
	}
	return known
}

// near lists the attempts that overlap the attempt or concern versions next to it.
func (e entity) near(of int) string {
	center := e.attempts[of]
	middle := center.current
	if center.version != nil {
		middle = *center.version
	}
	var lines []string
	for i, one := range e.attempts {
		if i == of || one.invoked > center.returned {
			continue
		}
		overlaps := one.returned >= center.invoked
		isNext := one.version != nil && *one.version >= middle-1 && *one.version <= middle+1
		mayBeNext := one.outcome == "unknown" && (one.Expected == nil || *one.Expected >= middle-1 && *one.Expected <= middle)
		if overlaps || isNext || mayBeNext {
			lines = append(lines, "\n    "+one.String())
		}
	}
	if more := len(lines) - contextLines; more > 0 {
		lines = append(lines[more:], fmt.Sprintf("\n    and %d earlier ones", more))
	}
	return strings.Join(lines, "")
}

// draw writes Porcupine's drawing to a temporary file, and returns the end of the explanation.
func (e entity) draw(contradiction int) string {
	r, operations := prepare(e)
	result, info := porcupine.CheckOperationsVerbose(r.model(), operations, 2*explanationTimeout)
	if result != porcupine.Illegal {
		return ""
	}
	text := ""
	if contradiction == none {
		text = r.describeLongest(info, operations)
	}
	file, err := os.CreateTemp("", "tributary-porcupine-*.html")
	if err != nil {
		return text + fmt.Sprintf("\n  No drawing: %v", err)
	}
	defer file.Close()
	if err := porcupine.Visualize(r.model(), info, file); err != nil {
		return text + fmt.Sprintf("\n  No drawing: %v", err)
	}
	path, _ := filepath.Abs(file.Name())
	return text + "\n  Drawing: " + path
}

// describeLongest says where the longest order that Porcupine found ends, and which answer comes first after it.
func (r *register) describeLongest(info porcupine.LinearizationInfo, operations []porcupine.Operation) string {
	var longest []porcupine.Operation
	for _, orders := range info.PartialLinearizationsOperations() {
		for _, order := range orders {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	placed := map[int]bool{}
	var s state
	for _, one := range longest {
		placed[one.ClientId] = true
		_, s = r.step(s, one.Input.(operation))
	}
	text := fmt.Sprintf("\n  The longest order ends at version %d.", s.version)
	var blocked *porcupine.Operation
	for i := range operations {
		if one := &operations[i]; !placed[one.ClientId] && (blocked == nil || one.Return < blocked.Return) {
			blocked = one
		}
	}
	for _, one := range r.read {
		if one.version == s.version+1 {
			text += fmt.Sprintf(" The read has %s as version %d.", one.id, one.version)
		}
	}
	if blocked != nil {
		text += "\n  The next to return has no place after it:\n    " + r.describe(blocked.Input.(operation))
	}
	return text
}
