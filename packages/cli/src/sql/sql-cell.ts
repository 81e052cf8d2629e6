/** Returns the text of a value for a cell: numbers with every digit, texts without quotes, null as an empty text. */
export function sqlCell(json: string): string {
  if (json === 'null') return '';
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}
