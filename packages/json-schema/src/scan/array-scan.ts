import { maxJsonDepth } from '#json';
import type { SchemaKeywordReader } from './keywords.js';
import { anyValue, type ScanningValidator } from './validating-json-scanner.js';

const comma = 0x2c;
const closeBracket = 0x5d;

/** Returns a scan that validates arrays: the number of their items, and one schema for all items. */
export function arrayScan(
  keywords: SchemaKeywordReader,
  scanOf: (schema: unknown) => ScanningValidator,
): ScanningValidator {
  const least = keywords.take<number>('minItems') ?? 0;
  const most = keywords.take<number>('maxItems') ?? Infinity;
  const items = keywords.take('items');
  const item = items === undefined ? anyValue : scanOf(items);
  return (scanner, start, level) => {
    const inner = level + 1;
    if (inner > maxJsonDepth) return scanner.fail('depth', start + 1);
    const { text } = scanner;
    let count = 0;
    let i = scanner.space(start + 1);
    for (;;) {
      if (count === 0 && text.charCodeAt(i) === closeBracket) break;
      i = item(scanner, i, inner);
      if (i < 0) return -1;
      count++;
      i = scanner.space(i);
      const code = text.charCodeAt(i);
      if (code === closeBracket) break;
      if (code !== comma) return scanner.fail('syntax', i);
      i = scanner.space(i + 1);
    }
    if (count < least || count > most) scanner.fits = false;
    return i + 1;
  };
}
