import { describe, expect, it } from 'vitest';
import {
  CsvFormat,
  exactJson,
  type OutputFormat,
  JsonFormat,
  ndjsonForm,
  recordForm,
  TableFormat,
  YamlFormat,
} from './formats.js';

/** An item as the client reads it: it keeps the text of its data with every digit. */
class Read {
  constructor(
    readonly id: string,
    readonly dataText: string,
  ) {}
  get data(): unknown {
    return JSON.parse(this.dataText) as unknown;
  }
  toJSON(): object {
    return { id: this.id, data: this.data };
  }
}

const text = (form: OutputFormat, ...items: object[]) =>
  (form.open?.() ?? '') + items.map((item) => form.item(item)).join('') + (form.close?.() ?? '');
const exact = new Read('a', '{"big":9007199254740993,\n  "price":1.10,"list":[],"text":"12"}');

describe('exact JSON', () => {
  it('has every digit, on one line', () => {
    expect(exactJson(exact)).toBe(
      '{"id":"a","data":{"big":9007199254740993, "price":1.10,"list":[],"text":"12"}}',
    );
  });

  it('writes other items as JSON, also a member whose name ends with "Text"', () => {
    expect(exactJson({ dataText: 'x' })).toBe('{"dataText":"x"}');
    expect(exactJson({ token: 't', event: exact })).toBe(`{"token":"t","event":${exactJson(exact)}}`);
  });
});

describe('JSON', () => {
  it('is an array, or a single item', () => {
    expect(text(new JsonFormat(false), { a: 1 }, { a: 2 })).toBe('[\n  {"a":1},\n  {"a":2}\n]\n');
    expect(text(new JsonFormat(false))).toBe('[]\n');
    expect(text(new JsonFormat(true), { a: 1 })).toBe('{"a":1}\n');
  });
});

describe('NDJSON', () => {
  it('has one item per line', () => {
    expect(text(ndjsonForm, { a: 1 }, { a: 2 })).toBe('{"a":1}\n{"a":2}\n');
  });
});

describe('YAML', () => {
  it('has every digit, and quotes texts that would be parsed as another type', () => {
    expect(text(new YamlFormat(), exact, { a: 'true', b: null, c: 'x: y' })).toBe(
      'id: a\ndata:\n  big: 9007199254740993\n  price: 1.10\n  list: []\n  text: "12"\n---\na: "true"\nb: null\nc: "x: y"\n',
    );
  });
});

describe('CSV', () => {
  it('quotes, writes objects as JSON, and escapes formulas', () => {
    const form = new CsvFormat([{ name: 'a' }, { name: 'b' }]);
    expect(text(form, { a: 'x"y', b: { c: 1 } }, { a: '=1+1', b: -5 }, { a: null, b: '-x' })).toBe(
      'a,b\r\n"x""y","{""c"":1}"\r\n\'=1+1,-5\r\n,\'-x\r\n',
    );
  });
});

describe('the names of columns', () => {
  it('are no formulas in CSV', () => {
    expect(text(new CsvFormat([{ name: '=1+1' }]), { '=1+1': 'x' })).toBe("'=1+1\r\nx\r\n");
  });

  it('with escapes are aligned in the form of one item', () => {
    expect(text(recordForm, { 'a\nb': 1, c: 2 })).toBe('a\\u{a}b  1\nc        2\n');
  });
});

describe('a table', () => {
  const columns = [{ name: 'a' }, { name: 'b' }];

  it('has the column widths of its first items, and is cut at the width of the terminal', () => {
    const form = new TableFormat(columns, { width: 12 });
    expect(text(form, { a: 'one', b: 'x' }, { a: 'four', b: 'a long text' })).toBe(
      'A     B\none   x\nfour  a lon…\n',
    );
  });

  it('shows the items of a live list immediately', () => {
    const form = new TableFormat(columns, { width: 80, live: true });
    expect(form.item({ a: 'one', b: 'x' })).toBe('A    B\none  x\n');
    expect(form.item({ a: 'longer', b: 'y' })).toBe('longer  y\n');
  });

  it('escapes control characters', () => {
    const form = new TableFormat(columns, { width: 80 });
    expect(text(form, { a: '\u001b[2J', b: '\u202e\n' })).toContain('\\u{1b}[2J  \\u{202e}\\u{a}\n');
  });

  it('escapes control characters in the names of columns', () => {
    const form = new TableFormat([{ name: 'a\nevil\u001b[31m' }], { width: 80 });
    expect(text(form, { 'a\nevil\u001b[31m': 1 })).toBe('A\\u{a}EVIL\\u{1b}[31M\n1\n');
  });

  it('of no items is empty', () => {
    expect(text(new TableFormat(columns, { width: 80 }))).toBe('');
  });
});

describe('one item on a terminal', () => {
  it('has one member per line', () => {
    expect(text(recordForm, { name: 'x', state: { a: 1 }, none: null })).toBe(
      'name   x\nstate  {"a":1}\nnone   \n',
    );
  });
});
