import { describe, expect, it } from 'vitest';
import { jsonDiff } from './json-diff.js';

describe('the difference of two JSON texts', () => {
  it('has what was added, removed and changed, with every digit', () => {
    const before = '{"a":1,"b":{"c":9223372036854775807},"d":[1,2],"same":{"x":1}}';
    const after = '{"a":1,"b":{"c":9223372036854775808},"d":[1],"e/f":true,"same": {"x": 1}}';
    expect(jsonDiff(before, after)).toEqual([
      { pointer: '/b/c', before: '9223372036854775807', after: '9223372036854775808' },
      { pointer: '/d/1', before: '2', after: undefined },
      { pointer: '/e~1f', before: undefined, after: 'true' },
    ]);
  });

  it('is the whole value where the kinds differ', () => {
    expect(jsonDiff('{"a":{}}', '{"a":[]}')).toEqual([{ pointer: '/a', before: '{}', after: '[]' }]);
  });

  it('is empty for the same text, and bounded', () => {
    expect(jsonDiff('{}', '{}')).toEqual([]);
    expect(jsonDiff('[1,2,3]', '[4,5,6]', 2)).toHaveLength(2);
  });
});
