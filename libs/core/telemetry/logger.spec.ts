import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.js';

function logged(details: object): unknown {
  let line = '';
  createLogger({ name: 'test' }, { write: (text: string) => void (line = text) }).info(details, 'starting');
  return JSON.parse(line);
}

describe('the log', () => {
  it('masks secrets', () => {
    const config = { CLICKHOUSE_PASSWORD: 'hunter2', KAFKA_SASL_PASSWORD: 'hunter2' };
    expect(logged({ config, authorization: 'Bearer hunter2' })).toMatchObject({
      config: { CLICKHOUSE_PASSWORD: '***', KAFKA_SASL_PASSWORD: '***' },
      authorization: '***',
    });
  });

  it('shows that a secret is unset, like the printed configuration', () => {
    const config = { CLICKHOUSE_PASSWORD: '', KAFKA_SASL_PASSWORD: undefined };
    expect(logged({ config })).toHaveProperty('config', { CLICKHOUSE_PASSWORD: '' });
  });
});
