/**
 * Returns the message of a ClickHouse error without prefix and version: `Code: 62. DB::Exception: Syntax error: …
 * (SYNTAX_ERROR) (version …)`. The function also removes ClickHouse's suggestion ("Maybe you meant"), because that can
 * name a view that the key may not see, and the statement with which the gateway parses a statement.
 */
export function errorMessage(body: string): string {
  const [, message = 'The statement failed. (UNKNOWN_EXCEPTION)'] =
    /DB::Exception: ([\s\S]*?)(?: \(version [^()]*(?:\([^()]*\))?\))?\s*$/.exec(body) ?? [];
  return message
    .replaceAll(/\.? Maybe you meant:? [^?]*\?/g, '')
    .replace(/: In scope SELECT formatQuerySingleLine\([\s\S]*(?=\. \(\w+\)$)/, '')
    .replace(/\.? \(UNKNOWN_TABLE\)$/, `. ${whichTables} (UNKNOWN_TABLE)`);
}

const whichTables = 'SHOW TABLES lists the tables; all events are in events.';
