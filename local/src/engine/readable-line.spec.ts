import { describe, expect, it } from 'vitest';
import { readableLine } from './readable-line.js';

const hiding = '\u001b[2J\u009b1m\u202e\u200c\u{e0041}';
const shown = '\\u{1b}[2J\\u{9b}1m\\u{202e}\\u{200c}\\u{e0041}';

describe('a line of a log at the terminal', () => {
  it('contains no character that acts on the terminal or is not visible', () => {
    const entry = { level: 'error', msg: `m${hiding}`, err: { message: `e${hiding}` }, topic: `t${hiding}` };

    expect(readableLine(JSON.stringify(entry)).text).toBe(`error m${shown}: e${shown}: topic t${shown}`);
    expect(readableLine(`at${hiding}\tx`).text).toBe(`at${shown}\tx`);
  });

  it('stays on one line', () => {
    expect(readableLine(JSON.stringify({ level: 'warn', msg: 'a\nb' })).text).toBe('warn a\\u{a}b');
  });
});
