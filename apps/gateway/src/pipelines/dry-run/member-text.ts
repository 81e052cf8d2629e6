import { JsonScanner } from '#event';

const quote = 0x22;
const comma = 0x2c;

/**
 * The text of a member of a JSON object, as it stands there: numbers keep the digits that parsing would round. Of several with
 * that name the last one, which is what parsing takes. Undefined when there is none.
 * @param text a JSON object, which has been parsed before
 */
export function memberText(text: string, name: string): string | undefined {
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
