import { expect, it } from 'vitest';
import { locatedErrors } from './definition-errors.js';

const text = '{"operators": [{"filter": "event.data.amount >> 1"}], "quoted": "a \\"b\\" ?"}';

function marked(pointer: string, detail: string): string | undefined {
  const [error] = locatedErrors(text, [{ pointer, detail }]);
  return error && text.slice(error.from, error.to);
}

it('marks an error of an expression from its character', () => {
  expect(marked('/operators/0/filter', 'unexpected > (at character 20)')).toBe('> 1');
  expect(marked('/operators/0/filter', 'the expression ends (at character 23)')).toBe('"');
});

it('marks the whole value if the detail names no character, or the text has escapes', () => {
  expect(marked('/operators/0/filter', 'is not valid')).toBe('"event.data.amount >> 1"');
  expect(marked('/quoted', 'unexpected ? (at character 7)')).toBe('"a \\"b\\" ?"');
});

it('knows the pointers of a dry run', () => {
  const [error] = locatedErrors(text, [{ pointer: '/definition/operators/0', detail: 'x' }]);
  expect(error).toMatchObject({ pointer: '/operators/0', message: 'x' });
  expect(text.slice(error!.from, error!.to)).toBe('{"filter": "event.data.amount >> 1"}');
});
