// Connects like Grafana's ClickHouse data source: with clickhouse-go, over HTTP, with gzip. Prints one JSON document.
// Arguments: URL, key, view, a JSON list of the statements of a dashboard.
//
// With the arguments "native", address, password of the apps' user, database and a JSON list of statements it connects with
// the native protocol over TCP and LZ4, like somebody who looks into the store.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

type found struct {
	Version  string   `json:"version"`
	Tables   []string `json:"tables"`
	Types    []string `json:"types"`
	Rows     []row    `json:"rows"`
	Streamed int      `json:"streamed"`
	Refused  string   `json:"refused"`
	// The number of rows of each statement of the dashboard, or its error.
	Panels []string `json:"panels"`
}

type row struct {
	Stream string     `json:"stream"`
	Amount *int64     `json:"amount"`
	At     *time.Time `json:"at"`
	Offset uint64     `json:"offset"`
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	if os.Args[1] == "native" {
		native(os.Args[2], os.Args[3], os.Args[4], os.Args[5])
		return
	}
	address, key, view := os.Args[1], os.Args[2], os.Args[3]
	db := clickhouse.OpenDB(&clickhouse.Options{
		Addr:        []string{address},
		Auth:        clickhouse.Auth{Username: "default", Password: key},
		Protocol:    clickhouse.HTTP,
		Compression: &clickhouse.Compression{Method: clickhouse.CompressionGZIP},
		ReadTimeout: 2 * time.Minute,
	})
	defer db.Close()
	ctx := context.Background()
	check(db.PingContext(ctx))
	var out found
	check(db.QueryRowContext(ctx, "SELECT version()").Scan(&out.Version))

	tables, err := db.QueryContext(ctx, "SHOW TABLES")
	check(err)
	for tables.Next() {
		var name string
		check(tables.Scan(&name))
		out.Tables = append(out.Tables, name)
	}
	check(tables.Err())

	events, err := db.QueryContext(ctx, "SELECT stream, amount, at, offset FROM "+view+" WHERE stream != ? ORDER BY offset", "it's")
	check(err)
	types, err := events.ColumnTypes()
	check(err)
	for _, one := range types {
		out.Types = append(out.Types, one.DatabaseTypeName())
	}
	for events.Next() {
		var one row
		check(events.Scan(&one.Stream, &one.Amount, &one.At, &one.Offset))
		out.Rows = append(out.Rows, one)
	}
	check(events.Err())

	million, err := db.QueryContext(ctx, "SELECT arrayJoin(range(toUInt64(1000000))) AS n, data FROM (SELECT data FROM events LIMIT 1)")
	check(err)
	for million.Next() {
		var n uint64
		var data string
		check(million.Scan(&n, &data))
		out.Streamed++
	}
	check(million.Err())

	if _, err := db.QueryContext(ctx, "SELECT * FROM merge('.*', 'events')"); err != nil {
		out.Refused = err.Error()
	}
	out.Panels = panels(ctx, db, os.Args[4])
	check(json.NewEncoder(os.Stdout).Encode(out))
}

// Inserts a batch of events, and reads them, a million rows, and the rows of the statements.
func native(address, password, database, list string) {
	db := clickhouse.OpenDB(&clickhouse.Options{
		Addr:        []string{address},
		Auth:        clickhouse.Auth{Database: database, Username: "tributary", Password: password},
		Compression: &clickhouse.Compression{Method: clickhouse.CompressionLZ4},
	})
	defer db.Close()
	ctx := context.Background()
	check(db.PingContext(ctx))
	var out struct {
		Version  string   `json:"version"`
		Events   uint64   `json:"events"`
		Streamed int      `json:"streamed"`
		Rows     []string `json:"rows"`
	}
	check(db.QueryRowContext(ctx, "SELECT version()").Scan(&out.Version))
	batch, err := db.BeginTx(ctx, nil)
	check(err)
	insert, err := batch.PrepareContext(ctx, "INSERT INTO events (stream, offset, data)")
	check(err)
	for offset := range uint64(1000) {
		_, err := insert.ExecContext(ctx, "orders#1", offset, `{"amount":7}`)
		check(err)
	}
	check(batch.Commit())
	check(db.QueryRowContext(ctx, "SELECT count() FROM events WHERE stream = ?", "orders#1").Scan(&out.Events))
	million, err := db.QueryContext(ctx, "SELECT number, toString(number) FROM numbers(1000000)")
	check(err)
	for million.Next() {
		out.Streamed++
	}
	check(million.Err())
	var statements []string
	check(json.Unmarshal([]byte(list), &statements))
	for _, statement := range statements {
		out.Rows = append(out.Rows, rows(ctx, db, statement))
	}
	check(json.NewEncoder(os.Stdout).Encode(out))
}

// Runs all statements at once, like a dashboard that is opened. A comment of the plugin names the user and the panel.
func panels(ctx context.Context, db *sql.DB, list string) []string {
	var statements []string
	check(json.Unmarshal([]byte(list), &statements))
	results := make([]string, len(statements))
	var all sync.WaitGroup
	for i, statement := range statements {
		all.Add(1)
		go func() {
			defer all.Done()
			comment := []string{"grafana_user:admin", fmt.Sprintf("grafana_panel:%d", i)}
			of := clickhouse.Context(ctx, clickhouse.WithClientInfo(clickhouse.ClientInfo{Comment: comment}))
			results[i] = rows(of, db, statement)
		}()
	}
	all.Wait()
	return results
}

func rows(ctx context.Context, db *sql.DB, statement string) string {
	found, err := db.QueryContext(ctx, statement)
	if err != nil {
		return err.Error()
	}
	defer found.Close()
	count := 0
	for found.Next() {
		count++
	}
	if found.Err() != nil {
		return found.Err().Error()
	}
	return strconv.Itoa(count)
}
