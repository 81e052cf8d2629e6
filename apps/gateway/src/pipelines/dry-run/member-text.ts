import { JsonScanner } from '#event';

const quote = 0x22;
const comma = 0x2c;

/**
 * Returns the text of a member of a JSON object: its numbers keep the digits that parsing would round. If several
 * members have the name, it returns the last one, like parsing; undefined if none has.
 * @param text a JSON object that has been parsed successfully before
 */
export function jsonMemberText(text: string, name: string): string | undefined {
  const scanner = new JsonScanner(text);
  let found: string | undefined;
  let i = scanner.space(scanner.space(0) + 1);
  while (text.charCodeAt(i) === quote) {
    const nameEnd = scanner.string(i + 1);
    const isIt = JSON.parse(text.slice(i, nameEnd)) === name;
    const start = scanner.space(scanner.space(nameEnd) + 1);
    const end = scanner.value(start, 1);
    if (isIt) found = text.slice(start, end);
    i = scanner.space(end);
    if (text.charCodeAt(i) === comma) i = scanner.space(i + 1);
  }
  return found;
}
