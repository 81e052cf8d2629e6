/** Value of a hexadecimal digit by its character code, -1 for every other ASCII character. */
const digits = new Int32Array(128).fill(-1);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  digits[digit.charCodeAt(0)] = value;
  digits[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Where each group of four digits of `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` starts. */
const groups = [0, 4, 9, 14, 19, 24, 28, 32] as const;

/**
 * Writes a UUID's 16 bytes as four 32-bit words to `target` at `at`. Case does not matter.
 * @throws RangeError when the text is not a UUID in its canonical form.
 */
export function uuidWords(uuid: string, target: Uint32Array, at: number): void {
  let invalid = uuid.length === 36 ? 0 : -1;
  for (let word = 0; word < 4; word++) {
    const high = fourDigits(uuid, groups[word * 2]!);
    const low = fourDigits(uuid, groups[word * 2 + 1]!);
    invalid |= high | low;
    target[at + word] = (high << 16) | low;
  }
  if (invalid < 0 || !hasDashes(uuid)) throw new RangeError('not a UUID');
}

/** Negative when one of the four is not a hexadecimal digit. */
function fourDigits(text: string, at: number): number {
  const a = text.charCodeAt(at);
  const b = text.charCodeAt(at + 1);
  const c = text.charCodeAt(at + 2);
  const d = text.charCodeAt(at + 3);
  if ((a | b | c | d) > 127) return -1;
  return (digits[a]! << 12) | (digits[b]! << 8) | (digits[c]! << 4) | digits[d]!;
}

function hasDashes(uuid: string): boolean {
  return (
    uuid.charCodeAt(8) === 0x2d &&
    uuid.charCodeAt(13) === 0x2d &&
    uuid.charCodeAt(18) === 0x2d &&
    uuid.charCodeAt(23) === 0x2d
  );
}
