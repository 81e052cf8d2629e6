import { describe, expect, it } from 'vitest';
import { jsonMemberText } from './member-text.js';

describe('the text of a member', () => {
  it.each([
    ['{"a":1,"events":[ {"n":0.10} ],"b":2}', '[ {"n":0.10} ]'],
    [' { "x" : {"events":[1]} , "events" : [12345678901234567890] } ', '[12345678901234567890]'],
    ['{"events":[1],"events":[2]}', '[2]'],
    ['{"\\u0065vents":[3]}', '[3]'],
    ['{"a":"\\"events\\":[1]"}', undefined],
    ['{}', undefined],
  ])('is found: in %s it is %s', (text, found) => {
    expect(jsonMemberText(text, 'events')).toBe(found);
  });
});
