import { describe, expect, it } from 'vitest';
import { Tributary } from '../tributary.js';

const url = 'http://127.0.0.1:3902';
const made = (options?: object) => () => new Tributary(options as { url: string });

describe('the options of a client', () => {
  it.each([
    ['no options', undefined],
    ['no url', {}],
    ['an undefined url', { url: undefined }],
    ['a url without a scheme', { url: '127.0.0.1:3902' }],
    ['an ingestUrl without a scheme', { url, ingestUrl: 'localhost' }],
  ])('with %s are a TypeError that says what is needed', (_name, options) => {
    expect(made(options)).toThrow(TypeError);
    expect(made(options)).toThrow(/[uU]rl must be a URL that begins with http/);
  });

  it('with an unknown name are a TypeError that lists the names', () => {
    expect(made({ url, apikey: 'k' })).toThrow(TypeError);
    expect(made({ url, apikey: 'k' })).toThrow(
      'Tributary has no option "apikey". The options are: url, apiKey,',
    );
  });

  it('may be undefined', () => {
    expect(made({ url, apiKey: undefined, ingestUrl: undefined })).not.toThrow();
  });
});

it('an unknown option of a producer is a TypeError', () => {
  expect(() => new Tributary({ url }).producer({ lingerMS: 5 } as object)).toThrow(
    'A producer has no option "lingerMS". The options are: batchEvents,',
  );
});
