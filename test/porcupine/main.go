// Checks histories of conditional writes for linearizability with Porcupine, a checker that this project has not
// written. Arguments: files that AttemptHistory has written. The exit code is 1 if an entity is not linearizable, if
// Porcupine did not finish, or if an answer was unexpected, and 2 if a file cannot be read.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"
)

// report is the result for one file.
type report struct {
	File     string `json:"file"`
	Verdict  string `json:"verdict"`
	Attempts int    `json:"attempts"`
	Unknown  int    `json:"unknown"`
	Entities int    `json:"entities"`
	// Whether the history has the events that were read back. Without them, only the answers are checked.
	Read bool `json:"read"`
	// Answers that are neither accepted nor refused nor unknown.
	Unexpected int       `json:"unexpected"`
	Seconds    float64   `json:"seconds"`
	Findings   []verdict `json:"findings"`
}

func reportOf(path string, timeout time.Duration, ignoreRead, explain bool) (report, error) {
	begun := time.Now()
	all, err := readHistory(path)
	if err != nil {
		return report{}, err
	}
	if ignoreRead {
		all.stored = nil
	}
	found := report{File: path, Verdict: linearizable, Attempts: len(all.attempts), Read: len(all.stored) > 0}
	for _, one := range all.attempts {
		switch one.outcome {
		case "unknown":
			found.Unknown++
		case "failed":
			found.Unexpected++
		}
	}
	for _, one := range all.entities() {
		found.Entities++
		result := one.judge(timeout, explain)
		if result.Verdict == linearizable {
			continue
		}
		found.Findings = append(found.Findings, result)
		if found.Verdict != notLinearizable {
			found.Verdict = result.Verdict
		}
	}
	found.Seconds = time.Since(begun).Seconds()
	return found, nil
}

func (r report) print() {
	for _, one := range r.Findings {
		fmt.Printf("%s: %s\n  %s\n", one.Entity, one.Verdict, one.Explanation)
	}
	if r.Unexpected > 0 {
		fmt.Printf("%d answers are none that the test expects\n", r.Unexpected)
	}
	of := "answers and the events that were read back"
	if !r.Read {
		of = "answers alone, without a read"
	}
	fmt.Printf("%s: %s (%d attempts, %d of them unknown, of %d entities; %s; %.2f s)\n",
		r.File, r.Verdict, r.Attempts, r.Unknown, r.Entities, of, r.Seconds)
}

func main() {
	timeout := flag.Duration("timeout", time.Minute, "for each entity")
	asJSON := flag.Bool("json", false, "print a line of JSON for each file, without explanations")
	ignoreRead := flag.Bool("answers-only", false, "ignore the events that were read back")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "Name files of AttemptHistory.")
		os.Exit(2)
	}
	code := 0
	for _, path := range flag.Args() {
		found, err := reportOf(path, *timeout, *ignoreRead, !*asJSON)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		if *asJSON {
			json.NewEncoder(os.Stdout).Encode(found)
		} else {
			found.print()
		}
		if found.Verdict != linearizable || found.Unexpected > 0 {
			code = 1
		}
	}
	os.Exit(code)
}
