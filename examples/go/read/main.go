// Read prints the events of a query, one on each line.
//
//	go run ./read NAME=VALUE ...      for example: go run ./read stream=orders since=-1h order=desc
//
// The parameters are those of GET /api/v1/events/query. limit is the size of a page; all pages are read.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"

	"example.com/tributary/tributary"
)

type page struct {
	// The text of the events stays as it is, with all digits of its numbers.
	Events     []json.RawMessage `json:"events"`
	NextCursor string            `json:"next_cursor"`
}

func main() {
	parameters := url.Values{}
	for _, argument := range os.Args[1:] {
		name, value, ok := strings.Cut(argument, "=")
		if !ok {
			fail("%s is not NAME=VALUE", argument)
		}
		parameters.Add(name, value)
	}
	if len(parameters) == 0 {
		fail("usage: read NAME=VALUE ...")
	}
	out := bufio.NewWriter(os.Stdout)
	for {
		var events page
		if err := tributary.Ask("GET", "/api/v1/events/query?"+parameters.Encode(), nil, &events); err != nil {
			fail("the query failed: %v", err)
		}
		for _, event := range events.Events {
			var line bytes.Buffer
			if err := json.Compact(&line, event); err != nil {
				fail("%v", err)
			}
			fmt.Fprintln(out, line.String())
		}
		// Flush returns the first error of all writes before it.
		if err := out.Flush(); err != nil {
			fail("%v", err)
		}
		if events.NextCursor == "" {
			return
		}
		// A cursor belongs to its parameters, so they stay the same.
		parameters.Set("cursor", events.NextCursor)
	}
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}
