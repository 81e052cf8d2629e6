/**
 * Returns the message of a ClickHouse error without prefix and version: `Code: 62. DB::Exception: Syntax error: …
 * (SYNTAX_ERROR) (version …)`. The function also removes ClickHouse's suggestion ("Maybe you meant"), because that can
 * name a view that the key may not see, and the statement with which the gateway parses a statement.
 */
export function errorMessage(body: string): string {
  const start = body.indexOf(prefix);
  if (start < 0) return 'The statement failed. (UNKNOWN_EXCEPTION)';
  const message = body.slice(start + prefix.length).trimEnd();
  const versionAt = message.lastIndexOf(' (version ');
  const hasVersion = versionAt >= 0 && /^ \(version [^()]*\)$/.test(message.slice(versionAt));
  return (hasVersion ? message.slice(0, versionAt) : message)
    .replaceAll(/\.? Maybe you meant: \[(?:'(?:[^'\\]|\\.)*'(?:, )?)*\]\??/g, '')
    .replaceAll(/\.? Maybe you meant:? [^?M]*(?:M(?!aybe you meant)[^?M]*)*\?/g, '')
    .replace(/: In scope SELECT formatQuerySingleLine\([\s\S]*(?=\. \(\w+\)$)/, '')
    .replace(/\.? \(UNKNOWN_TABLE\)$/, `. ${whichTables} (UNKNOWN_TABLE)`);
}

const prefix = 'DB::Exception: ';
const whichTables = 'SHOW TABLES lists the tables; all events are in events.';
