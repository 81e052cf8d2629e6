import { SqlError } from './analyst-sql.js';

/**
 * The permitted output formats. Formats that report the number of rows read, such as
 * `JSONEachRowWithProgress` and `JSONColumnsWithMetadata`, are excluded, because that number includes rows
 * that the key may not see. Formats that a later ClickHouse adds are excluded too.
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

/** Returns the canonical name of a format. @throws SqlError for a format that is not permitted */
export function requireFormat(name: string): string {
  const format = canonical.get(name.toLowerCase());
  if (format === undefined) throw new SqlError(73, 404, 'Unknown format. (UNKNOWN_FORMAT)');
  return format;
}
