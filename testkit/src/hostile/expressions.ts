import { doubling } from './patterns.js';

/** A CEL expression with an event for which the evaluation of the expression is, or once was, expensive. */
interface HostileExpression {
  /** Describes why the expression is expensive to evaluate. */
  name: string;
  /** The CEL expression, of at most 4096 characters: a `where`, a `filter` or the condition of a branch. */
  where: string;
  /** A valid event of at most 1 MiB as JSON. */
  event: { event_type: string; data: Readonly<Record<string, unknown>> };
}

/** The most expensive known conditions, each with its worst event. */
export const hostileExpressions: readonly HostileExpression[] = [
  of('a pattern of a program with 18 000 instructions', `event.data.t.matches("${repeated(20)}")`, {
    t: 'ab'.repeat(2_500),
  }),
  of('a pattern of a program with 90 000 instructions', `event.data.t.matches("${repeated(100)}")`, {
    t: 'ab'.repeat(2_500),
  }),
  of(
    'twenty patterns of the largest permitted program',
    anyOf(20, () => 'event.data.t.matches("(?:[ab]?){140}c")'),
    {
      t: 'ab'.repeat(400_000),
    },
  ),
  of('a pattern with nested repeats over a long text', 'event.data.t.matches("^((a+)+)+$")', {
    t: `${'a'.repeat(1_000_000)}!`,
  }),
  of('a pattern that is in the event', 'event.data.t.matches(event.data.p)', {
    t: 'ab'.repeat(300_000),
    p: repeated(3),
  }),
  of('a pattern of groups, each of which doubles', `event.data.t.matches("${doubling}")`, {
    t: 'ab'.repeat(2_500),
  }),
  of('such a pattern for each element', 'event.data.p.exists(p, event.data.t.matches(p))', {
    t: 'ab'.repeat(1_000),
    p: Array.from({ length: 500 }, (_, i) => `${doubling}${i}`),
  }),
  of('another pattern for each element', 'event.data.p.exists(p, event.data.t.matches(p))', {
    t: 'ab'.repeat(1_000),
    p: Array.from({ length: 5_000 }, (_, i) => `(?:[ab]?){100}c${i}`),
  }),
  of('a search in a text that nearly has it everywhere', 'event.data.t.contains(event.data.p)', nearMiss()),
  of('the same for its first place', 'event.data.t.indexOf(event.data.p) > 0', nearMiss()),
  of('the same for its last place', 'event.data.t.lastIndexOf(event.data.p) > 0', nearMiss()),
  of('the same for a separator', 'event.data.t.split(event.data.p).size() > 5', nearMiss()),
  of('a search of half a text in the whole', 'event.data.t.lastIndexOf(event.data.p) > 0', {
    t: 'a'.repeat(600_000),
    p: `b${'a'.repeat(300_000)}`,
  }),
  of('comparing every element with every other', 'event.data.l.all(x, event.data.l.exists(y, y == x + 1))', {
    l: Array.from({ length: 50_000 }, (_, i) => i),
  }),
  of('looking for every element in the list', 'event.data.l.all(x, x in event.data.l)', {
    l: Array.from({ length: 100_000 }, (_, i) => i),
  }),
  of('a list that grows in a loop', 'event.data.l.all(x, size(event.data.l + event.data.l) > 0)', {
    l: Array.from({ length: 100_000 }, (_, i) => i),
  }),
  of('a text that doubles', `size(${doubled('event.data.t', 5)}) > 0`, { t: 'a'.repeat(500_000) }),
  of('nested loops', nestedLoops(6), { l: Array.from({ length: 40_000 }, (_, i) => i) }),
  of('errors in a loop', 'event.data.l.exists(x, x.missing == 1)', {
    l: Array.from({ length: 300_000 }, () => 1),
  }),
  of('equality of deep lists', 'event.data.l.all(x, event.data.l == event.data.l)', {
    l: Array.from({ length: 20_000 }, () => [[1], [2]]),
  }),
  of('products of long numbers', 'event.data.l.all(x, x * x * x * x != 1.5)', {
    l: Array.from({ length: 40_000 }, (_, i) => 0.123456789012345 + i / 1e9),
  }),
  of('quotients that never end', 'event.data.l.all(x, 1 / x / 7 / 11 / 13 != 1.5)', {
    l: Array.from({ length: 40_000 }, (_, i) => i + 3),
  }),
  of(
    'characters of a text beyond the basic plane',
    'event.data.t.substring(1, 2).size() == event.data.t.size()',
    {
      t: '😀'.repeat(250_000),
    },
  ),
  of('a long name of a zone', 'event.data.l.exists(x, event.timestamp.getHours(event.data.z) == 1)', {
    l: Array.from({ length: 700 }, () => 0),
    z: 'A'.repeat(900_000),
  }),
  of('letters of either case in turn', `size(${lowered(20)}) > 0`, { t: 'aA'.repeat(125_000) }),
  of(
    'a wide condition',
    anyOf(30, (i) => `event.data.m${i} + ${i} == event.data.m${i + 1} * 2`),
    {
      m0: 0,
    },
  ),
];

function of(name: string, where: string, data: Readonly<Record<string, unknown>>): HostileExpression {
  return { name, where, event: { event_type: 'hostile', data } };
}

function repeated(times: number): string {
  return '(?:[ab]?){900}'.repeat(times);
}

/**
 * Returns `data` for which a naive text search compares a thousand characters at each position before it finds a
 * difference.
 */
function nearMiss(): Readonly<Record<string, unknown>> {
  return { t: 'a'.repeat(300_000), p: `${'a'.repeat(1_000)}b${'a'.repeat(150_000)}` };
}

function anyOf(count: number, part: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => part(i)).join(' || ');
}

function lowered(times: number): string {
  return Array.from({ length: times }, () => 'event.data.t.lowerAscii()').join(' + ');
}

function doubled(text: string, times: number): string {
  return times === 0 ? text : doubled(`(${text} + ${text})`, times - 1);
}

function nestedLoops(depth: number): string {
  const open = Array.from({ length: depth }, (_, i) => `event.data.l.all(x${i}, `).join('');
  return `${open}x0 >= 0${')'.repeat(depth)}`;
}
