/**
 * Formats in which the separately encoded blocks can be concatenated to the whole answer. Every other format has a
 * header, a footer or column names, so its answer is sent in one piece.
 */
const blockwise = new Set([
  'JSONEachRow',
  'JSONLines',
  'NDJSON',
  'JSONStringsEachRow',
  'JSONCompactEachRow',
  'JSONCompactStringsEachRow',
  'TabSeparated',
  'TSV',
  'TabSeparatedRaw',
  'TSVRaw',
  'CSV',
  'RowBinary',
  'Native',
  'LineAsString',
]);

/** Whether an answer in this format can be streamed. */
export function isBlockwise(format: string): boolean {
  return blockwise.has(format);
}

/** Returns the Content-Type that ClickHouse sends for this format. */
export function contentType(format: string): string {
  if (/^(JSON.*EachRow.*|JSONLines|NDJSON)$/.test(format)) return 'application/x-ndjson; charset=UTF-8';
  if (format.startsWith('JSON')) return 'application/json; charset=UTF-8';
  if (/^(TSV|TabSeparated)/.test(format)) return 'text/tab-separated-values; charset=UTF-8';
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8; header=absent';
  if (/^(RowBinary|Native|Parquet|Arrow|ORC|Avro|MsgPack|Protobuf)/.test(format)) {
    return 'application/octet-stream';
  }
  return 'text/plain; charset=UTF-8';
}
