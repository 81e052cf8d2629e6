"""Reads a CSV export with the csv module, pandas and polars. Prints its rows as JSON, all cells as text. Argument: file."""

import csv
import json
import sys

import pandas
import polars

path = sys.argv[1]
csv.field_size_limit(2**31 - 1)
with open(path, newline="", encoding="utf-8") as file:
    by_csv = list(csv.DictReader(file, strict=True))
by_pandas = pandas.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
by_polars = polars.read_csv(path, infer_schema=False, empty_string_is_null=False).to_dicts()
print(json.dumps({"csv": by_csv, "pandas": by_pandas, "polars": by_polars}))
