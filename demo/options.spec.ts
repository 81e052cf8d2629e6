import { describe, expect, it } from 'vitest';
import { OptionError, parseOptions } from './options.js';

describe('the demo’s options', () => {
  it('have the ports of npm start as defaults', () => {
    expect(parseOptions([], {})).toMatchObject({
      ingestUrl: 'http://127.0.0.1:3901',
      queryUrl: 'http://127.0.0.1:3902',
      apiKeyFile: '.tributary/api-key',
      batchSize: 1000,
      limit: Infinity,
    });
  });

  it('use the same variables as npm start', () => {
    const env = { INGEST_PORT: '4901', GATEWAY_QUERY_PORT: '4902', TRIBUTARY_DATA_DIR: '/data' };
    expect(parseOptions([], env)).toMatchObject({
      ingestUrl: 'http://127.0.0.1:4901',
      queryUrl: 'http://127.0.0.1:4902',
      apiKeyFile: '/data/api-key',
    });
  });

  it('can select another installation, with a key from the environment', () => {
    const options = parseOptions(['--ingest', 'http://a:1/', '--query=http://b:2'], {
      TRIBUTARY_KEY: 'trb_x',
    });
    expect(options).toMatchObject({ ingestUrl: 'http://a:1', queryUrl: 'http://b:2', apiKey: 'trb_x' });
  });

  it.each([
    [['--limit', '0']],
    [['--batch', '10001']],
    [['--concurrency', 'many']],
    [['--unknown']],
    [['word']],
  ])('refuse %j', (args) => {
    expect(() => parseOptions(args, {})).toThrow(OptionError);
  });
});
