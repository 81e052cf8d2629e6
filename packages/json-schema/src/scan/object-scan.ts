import { maxJsonDepth } from '#json';
import type { SchemaKeywordReader } from './keywords.js';
import { anyValue, unvalidatedValue, type ScanningValidator } from './validating-json-scanner.js';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const closeBrace = 0x7d;

interface Member {
  name: string;
  scan: ScanningValidator;
  required: 0 | 1;
  /** The member that follows this one in the schema, and usually in events too. */
  next: Member | undefined;
}

/**
 * Returns a scan that validates objects: their known members in any order, required members, and
 * `additionalProperties`.
 */
export function objectScan(
  keywords: SchemaKeywordReader,
  scanOf: (schema: unknown) => ScanningValidator,
): ScanningValidator {
  const others = othersOf(keywords, scanOf);
  const members = membersOf(keywords, { others, scanOf });
  const byName = new Map(members.map((member) => [member.name, member]));
  const requiredCount = members.filter(({ required }) => required === 1).length;
  return (scanner, start, level) => {
    const inner = level + 1;
    if (inner > maxJsonDepth) return scanner.fail('depth', start + 1);
    const { text } = scanner;
    const base = scanner.openObject();
    let missing = requiredCount;
    let expected = members[0];
    let i = scanner.space(start + 1);
    if (text.charCodeAt(i) !== closeBrace) {
      for (;;) {
        if (text.charCodeAt(i) !== quote) return scanner.fail('syntax', i);
        const name = i + 1;
        i = scanner.name(name, base);
        if (i < 0) return -1;
        if (scanner.escaped) scanner.fits = false;
        // Members usually have the order of the schema.
        const likely = expected?.name.length === i - 1 - name && text.startsWith(expected.name, name);
        const member = likely ? expected : byName.get(text.slice(name, i - 1));
        i = scanner.space(i);
        if (text.charCodeAt(i) !== colon) return scanner.fail('syntax', i);
        i = scanner.space(i + 1);
        if (member) {
          i = member.scan(scanner, i, inner);
          missing -= member.required;
          expected = member.next;
        } else i = others(scanner, i, inner);
        if (i < 0) return -1;
        i = scanner.space(i);
        const code = text.charCodeAt(i);
        if (code === closeBrace) break;
        if (code !== comma) return scanner.fail('syntax', i);
        i = scanner.space(i + 1);
      }
      scanner.closeObject(base);
    }
    if (missing > 0) scanner.fits = false;
    return i + 1;
  };
}

/**
 * Returns the members that the schema names. A required member without a schema of its own must match
 * `additionalProperties`.
 */
function membersOf(
  keywords: SchemaKeywordReader,
  { others, scanOf }: { others: ScanningValidator; scanOf: (schema: unknown) => ScanningValidator },
): Member[] {
  const properties = keywords.take<Record<string, unknown>>('properties') ?? {};
  const required = new Set(keywords.take<string[]>('required'));
  const scans = new Map(Object.entries(properties).map(([name, schema]) => [name, scanOf(schema)]));
  for (const name of required) if (!scans.has(name)) scans.set(name, others);
  const members: Member[] = [];
  for (const [name, scan] of scans) {
    const member: Member = { name, scan, required: required.has(name) ? 1 : 0, next: undefined };
    const before = members.at(-1);
    if (before) before.next = member;
    members.push(member);
  }
  return members;
}

function othersOf(
  keywords: SchemaKeywordReader,
  scanOf: (schema: unknown) => ScanningValidator,
): ScanningValidator {
  const additional = keywords.take('additionalProperties');
  if (additional === false) return unvalidatedValue;
  return additional === undefined ? anyValue : scanOf(additional);
}
