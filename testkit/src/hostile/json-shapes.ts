/**
 * A shape of JSON objects that is expensive to process, and a function that generates such an object of at most a given
 * size.
 */
interface HostileJsonShape {
  name: string;
  /** Returns a JSON object of this shape with at most `bytes` bytes, where `bytes` must be at least 200. */
  text: (bytes: number) => string;
}

/** The most expensive known shapes of JSON objects. Each object is valid JSON within the depth limit. */
export const hostileJson: readonly HostileJsonShape[] = [
  list('lists 60 deep', () => '['.repeat(60) + ']'.repeat(60)),
  list('objects 60 deep', () => '{"a":'.repeat(60) + '1' + '}'.repeat(60)),
  list('empty lists', () => '[]'),
  list('empty objects', () => '{}'),
  list('small numbers', (i) => String(i % 10)),
  list('numbers of 300 digits', () => '7'.repeat(300)),
  list('numbers of 300 decimals', () => `0.${'3'.repeat(300)}`),
  list('large and small exponents', (i) => (i % 2 ? '1e308' : '1e-320')),
  list('escaped characters', () => '"\\u0000\\ud83d\\ude00\\""'),
  list('characters beyond the basic plane', () => `"${'😀'.repeat(20)}"`),
  members('members of one name', () => '"a":1'),
  members('members of many names', (i) => `"${i}":1`),
  members(
    'members named as those of every object',
    (i) => ['"__proto__":{"x":1}', '"constructor":1', '"toString":null'][i % 3]!,
  ),
  { name: 'one number', text: (bytes) => `{"n":${'9'.repeat(bytes - 6)}}` },
  { name: 'one text', text: (bytes) => `{"t":"${'a'.repeat(bytes - 8)}"}` },
  { name: 'one text of escapes', text: (bytes) => `{"t":"${'\\n'.repeat(Math.floor((bytes - 8) / 2))}"}` },
  { name: 'one name', text: (bytes) => `{"${'k'.repeat(bytes - 6)}":1}` },
  { name: 'white space', text: (bytes) => `{${' '.repeat(bytes - 8)}"a":1}` },
];

function list(name: string, element: (i: number) => string): HostileJsonShape {
  return { name, text: (bytes) => `{"l":[${joined(element, bytes - 8)}]}` };
}

function members(name: string, member: (i: number) => string): HostileJsonShape {
  return { name, text: (bytes) => `{${joined(member, bytes - 2)}}` };
}

function joined(part: (i: number) => string, bytes: number): string {
  const parts: string[] = [];
  for (let i = 0, left = bytes; ; i++) {
    const next = part(i);
    left -= Buffer.byteLength(next) + 1;
    if (left < 0) return parts.join(',');
    parts.push(next);
  }
}
