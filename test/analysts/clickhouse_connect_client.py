"""Connects like analysts, with clickhouse-connect and data frames. Prints one JSON document. Arguments: port, key, view."""

import json
import sys

import clickhouse_connect
import sqlalchemy

port, key, view = int(sys.argv[1]), sys.argv[2], sys.argv[3]
client = clickhouse_connect.get_client(host="127.0.0.1", port=port, username="default", password=key)
rows = client.query(f"SELECT stream, amount, at, offset FROM {view} ORDER BY offset").result_rows
streamed = 0
million = "SELECT arrayJoin(range(toUInt64(1000000))) AS n, data FROM (SELECT data FROM events LIMIT 1)"
with client.query_row_block_stream(million) as blocks:
    for block in blocks:
        streamed += len(block)
bound = client.query("SELECT {a:String} AS a, {b:UInt8} AS b", parameters={"a": "it's", "b": 7}).result_rows
# What Superset asks for a dataset: its inspector is SQLAlchemy's.
engine = sqlalchemy.create_engine(f"clickhousedb://default:{key}@127.0.0.1:{port}/")
inspector = sqlalchemy.inspect(engine)
(schema,) = inspector.get_schema_names()
print(
    json.dumps(
        {
            "ping": client.ping(),
            "tables": sorted(name for (name,) in client.query("SHOW TABLES").result_rows),
            "columns": [row[0] for row in client.query(f"DESCRIBE TABLE {view}").result_rows],
            "rows": [[str(value) for value in row] for row in rows],
            "streamed": streamed,
            "inspected": {
                "exists": inspector.has_table(view, schema),
                "columns": [column["name"] for column in inspector.get_columns(view, schema)],
            },
            "bound": [list(row) for row in bound],
            "arrow": client.query_arrow(f"SELECT amount FROM {view} ORDER BY offset").to_pydict(),
        }
    )
)
