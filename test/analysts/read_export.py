"""Reads an export with pyarrow and with polars. Prints its rows as JSON: times in microseconds, JSON text parsed."""

import json
import sys

import polars
import pyarrow
import pyarrow.parquet

form, path = sys.argv[1], sys.argv[2]
if form == "parquet":
    by_pyarrow, by_polars = pyarrow.parquet.read_table(path), polars.read_parquet(path)
else:
    by_pyarrow, by_polars = pyarrow.ipc.open_file(path).read_all(), polars.read_ipc(path)


def as_text(table):
    """Converts times to numbers: Python has no exact JSON form for them."""
    columns = []
    for name in table.column_names:
        column = table.column(name)
        if pyarrow.types.is_timestamp(column.type):
            assert column.type.unit == "us" and column.type.tz == "UTC", column.type
            column = column.cast(pyarrow.int64())
        columns.append(column)
    return pyarrow.table(columns, names=table.column_names)


def rows(table):
    found = as_text(table).to_pylist()
    for row in found:
        for name in ("data", "metadata", "nested"):
            row[name] = None if row[name] is None else json.loads(row[name])
    return found


print(json.dumps({"pyarrow": rows(by_pyarrow), "polars": rows(by_polars.to_arrow())}))
