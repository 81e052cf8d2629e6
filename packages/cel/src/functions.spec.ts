import { describe, expect, it } from 'vitest';
import { parseTime } from '#json';
import { compileParsed } from './compile.js';
import { EvaluationError } from './errors.js';
import { parseExpression } from './parse.js';
import { Timestamp, type CelObject } from './values.js';
import { eventVariable } from './variable.fixture.js';

const event = {
  timestamp: new Timestamp(parseTime('2026-07-01T23:59:58.123456Z') as number),
  winter: new Timestamp(parseTime('2026-01-01T00:30:00Z') as number),
  data: { text: 'añ🎉b', origin: 'SFO', list: ['a', 'b'] },
} as unknown as CelObject;
const run = (text: string) => compileParsed(parseExpression(text), eventVariable)(event);

describe('functions on times', () => {
  it.each([
    ['string(event.timestamp)', '2026-07-01T23:59:58.123456Z'],
    ['string(event.timestamp).substring(0, 13)', '2026-07-01T23'],
    ['event.data.origin + "/" + string(event.timestamp.getHours())', 'SFO/23'],
    ['event.timestamp.getHours("UTC")', 23],
    ['event.timestamp.getHours("Europe/Berlin")', 1],
    ['event.timestamp.getDate("Europe/Berlin")', 2],
    ['event.winter.getHours("Europe/Berlin")', 1],
    ['event.winter.getFullYear("America/New_York")', 2025],
    ['event.winter.getDayOfYear("America/New_York")', 364],
    ['event.winter.getHours("+05:30")', 6],
    ['event.winter.getHours("-05:30")', 19],
    ['event.winter.getMinutes("Asia/Kathmandu")', 15],
    ['event.timestamp.getMilliseconds()', 123],
    ['int(event.timestamp)', 1782950398],
    ['timestamp(1782950398) < event.timestamp', true],
    ['timestamp(event.timestamp) == event.timestamp', true],
    ['(event.timestamp - timestamp("2026-07-01T22:29:58Z")).getMinutes()', 90],
    ['duration("-90m").getHours()', -1],
    ['duration("1.5s").getMilliseconds()', 1500],
    ['duration("90m").getSeconds()', 5400],
    ['string(duration("90m"))', '5400s'],
    ['string(duration("-250ms"))', '-0.25s'],
    ['string(duration("0s"))', '0s'],
  ])('%s is %j', (text, expected) => {
    expect(run(text)).toBe(expected);
  });

  it.each([
    'event.timestamp.getHours("Nowhere/City")',
    'event.timestamp.getHours("")',
    '(event.timestamp + duration("99999999999h")).getHours()',
    'string(event.timestamp - duration("99999999999h"))',
    'timestamp(1e18)',
    '"x".getHours()',
  ])('%s has no value', (text) => {
    expect(() => run(text)).toThrow(EvaluationError);
  });
});

describe('functions on text', () => {
  it.each([
    ['event.data.text.substring(1)', 'ñ🎉b'],
    ['event.data.text.substring(2, 3)', '🎉'],
    ['event.data.text.indexOf("b")', 3],
    ['event.data.text.indexOf("x")', -1],
    ['"abab".lastIndexOf("b")', 3],
    ['" a ".trim()', 'a'],
    ['"a,b,c".split(",")[1]', 'b'],
    ['event.data.list.join("-") + event.data.list.join()', 'a-bab'],
    ['"abc".substring(3)', ''],
  ])('%s is %j', (text, expected) => {
    expect(run(text)).toBe(expected);
  });

  it.each([
    '"abc".substring(4)',
    '"abc".substring(2, 1)',
    '"abc".substring(-1)',
    '[1].join()',
    '"a".split(1)',
  ])('%s has no value', (text) => {
    expect(() => run(text)).toThrow(EvaluationError);
  });
});
