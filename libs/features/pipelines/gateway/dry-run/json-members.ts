import { JsonScanner } from '#json';
import { limits } from '#event';
import { ProblemError } from '#api';

const quote = 0x22;
const comma = 0x2c;
const closeBracket = 0x5d;
const openBrace = 0x7b;

/** The members of a JSON object, as text: numbers keep the digits that parsing would round. */
interface JsonMemberTexts {
  /** The texts of the desired members. Of several members with the same name, the last one, like `JSON.parse`. */
  desired: ReadonlyMap<string, string>;
  /** The names of some other members. */
  others: readonly string[];
}

/** Limit of `JsonMemberTexts.others`. */
const mostOthers = 100;

/**
 * Checks that a text is a JSON object, and returns its members without creating their values: that takes a fraction of
 * the time of parsing, whatever the text.
 * @returns undefined for JSON that is not an object
 * @throws ProblemError `invalid_json`
 */
export function jsonMembers(text: string, names: readonly string[]): JsonMemberTexts | undefined {
  const scanner = new JsonScanner(text);
  const start = scanner.space(0);
  const end = scanner.value(start, 0);
  if (end < 0) throw notJson(scanner);
  const rest = scanner.space(end);
  if (rest < text.length) {
    scanner.fail('syntax', rest);
    throw notJson(scanner);
  }
  if (text.charCodeAt(start) !== openBrace) return undefined;
  const desired = new Map<string, string>();
  const others: string[] = [];
  let i = scanner.space(start + 1);
  while (text.charCodeAt(i) === quote) {
    const nameEnd = scanner.string(i + 1);
    const name = scanner.escaped
      ? (JSON.parse(text.slice(i, nameEnd)) as string)
      : text.slice(i + 1, nameEnd - 1);
    const valueStart = scanner.space(scanner.space(nameEnd) + 1);
    const valueEnd = scanner.value(valueStart, 1);
    if (names.includes(name)) desired.set(name, text.slice(valueStart, valueEnd));
    else if (others.length < mostOthers) others.push(name);
    i = scanner.space(valueEnd);
    if (text.charCodeAt(i) === comma) i = scanner.space(i + 1);
  }
  return { desired, others };
}

/**
 * Counts the elements of a JSON array up to `most`; undefined for JSON that is not an array.
 * @param text JSON that a scanner has accepted before
 */
export function jsonElements(text: string, most: number): number | undefined {
  if (!text.startsWith('[')) return undefined;
  const scanner = new JsonScanner(text);
  let count = 0;
  for (let i = scanner.space(1); count < most && text.charCodeAt(i) !== closeBracket; count++) {
    i = scanner.space(scanner.value(i, 1));
    if (text.charCodeAt(i) === comma) i = scanner.space(i + 1);
  }
  return count;
}

function notJson({ failure, failedAt }: JsonScanner): ProblemError {
  const detail =
    failure === 'depth'
      ? `JSON may be nested ${limits.jsonDepth} levels deep at most.`
      : `This is not valid JSON (RFC 8259): character ${failedAt + 1} of the body is unexpected.`;
  return new ProblemError('invalid_json', detail);
}
