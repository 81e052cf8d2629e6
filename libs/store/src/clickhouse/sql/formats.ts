import { SqlError } from '../../sql-queries.js';

/**
 * The formats of an answer. Those that count rows that were read, rows of others among them, are left out, such as
 * `JSONEachRowWithProgress` and `JSONColumnsWithMetadata`; so is what a later ClickHouse has.
 */
const formats = [
  ...['TabSeparated', 'TSV', 'TabSeparatedRaw', 'TSVRaw', 'CSV', 'CustomSeparated'].flatMap(withNames),
  ...['JSONCompactEachRow', 'JSONCompactStringsEachRow', 'RowBinary'].flatMap(withNames),
  ...['JSON', 'JSONStrings', 'JSONCompact', 'JSONCompactStrings', 'JSONColumns', 'JSONCompactColumns'],
  ...['JSONEachRow', 'JSONLines', 'NDJSON', 'JSONStringsEachRow', 'JSONObjectEachRow', 'PrettyJSONEachRow'],
  ...['Native', 'Parquet', 'Arrow', 'ArrowStream', 'ORC', 'Avro', 'MsgPack', 'BSONEachRow'],
  ...['Pretty', 'PrettyCompact', 'PrettyCompactMonoBlock', 'PrettySpace', 'PrettyMonoBlock'],
  ...['PrettyNoEscapes', 'PrettyCompactNoEscapes', 'PrettySpaceNoEscapes', 'Vertical', 'Markdown', 'Values'],
  ...['XML', 'RawBLOB', 'LineAsString', 'Null', 'One'],
];

const canonical = new Map(formats.map((format) => [format.toLowerCase(), format]));

function withNames(format: string): string[] {
  return [format, `${format}WithNames`, `${format}WithNamesAndTypes`];
}

/** @throws SqlError for a format that analysts cannot have */
export function formatNamed(name: string): string {
  const format = canonical.get(name.toLowerCase());
  if (format === undefined) throw new SqlError(73, 404, 'Unknown format. (UNKNOWN_FORMAT)');
  return format;
}
