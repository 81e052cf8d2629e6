import { describe, expect, it } from 'vitest';
import { curlOf, shellWord, tributary } from './shell.js';

const target = { origin: 'http://127.0.0.1:3902', keys: true };

describe('a word of a shell', () => {
  it.each([
    ['orders', 'orders'],
    ['a b', "'a b'"],
    ["it's $(rm -rf /)`x`", "'it'\\''s $(rm -rf /)`x`'"],
    ['', "''"],
  ])('%j is %s', (text, word) => expect(shellWord(text)).toBe(word));
});

describe('a curl command', () => {
  it('has the URL with encoded parameters, and the key from the environment', () => {
    const query = { stream: ['a', 'b'], where: "x == '1'", since: undefined };
    expect(curlOf(['/api/v1/events/query', query], target)).toBe(
      `curl -s 'http://127.0.0.1:3902/api/v1/events/query?stream=a&stream=b&where=x+%3D%3D+%271%27' -H "authorization: Bearer $TRIBUTARY_KEY"`,
    );
  });

  it('has no key on a port without keys', () => {
    expect(curlOf(['/api/v1/keys'], { ...target, keys: false })).toBe(
      'curl -s http://127.0.0.1:3902/api/v1/keys',
    );
  });
});

describe('a command of the command line', () => {
  it('quotes values and leaves out what is not set', () => {
    const options = { type: ['a', 'b c'], since: undefined, where: '-1 < event.data.n', 'dry-run': true };
    expect(tributary('query', ['orders'], options)).toBe(
      "npx tributary query orders --type a --type 'b c' --where='-1 < event.data.n' --dry-run",
    );
  });
});
