import { describe, expect, it } from 'vitest';
import { reachableHost, readSettings } from './settings.js';

describe('the settings of npm start', () => {
  it('have defaults for everything', () => {
    expect(readSettings({}, '/repository')).toMatchObject({
      dataDir: '/repository/.tributary',
      brokers: undefined,
      clickhouseUrl: undefined,
      ports: {
        GATEWAY_CORE_PORT: 3900,
        INGEST_PORT: 3901,
        GATEWAY_QUERY_PORT: 3902,
        MATERIALIZER_PORT: 3903,
        PROCESSOR_PORT: 3904,
      },
    });
  });

  it('are read from the environment; an empty variable counts as not set', () => {
    const env = {
      TRIBUTARY_DATA_DIR: '/data',
      KAFKA_BROKERS: 'a:1,b:2',
      CLICKHOUSE_URL: '',
      INGEST_PORT: '4901',
    };
    expect(readSettings(env, '/repository')).toMatchObject({
      dataDir: '/data',
      brokers: 'a:1,b:2',
      clickhouseUrl: undefined,
      ports: { INGEST_PORT: 4901 },
    });
  });

  it.each([
    ['KAFKA_BROKERS', 'mybroker'],
    ['KAFKA_BROKERS', ','],
    ['CLICKHOUSE_URL', 'localhost:8123'],
    ['CLICKHOUSE_URL', 'http://me:secret@localhost:8123'],
    ['SHUTDOWN_SECONDS', 'x'],
  ])('refuse %s=%s like the apps, and name the variable', (name, value) => {
    expect(() => readSettings({ [name]: value }, '/')).toThrow(`${name} is "`);
    expect(() => readSettings({ [name]: value }, '/')).not.toThrow(/secret/);
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['192.168.1.5', '192.168.1.5'],
    ['0.0.0.0', '127.0.0.1'],
    ['::', '[::1]'],
    ['fe80::1', '[fe80::1]'],
  ])('convert the listen address %s to the reachable address %s', (host, reached) => {
    expect(reachableHost(readSettings({ HOST: host }, '/'))).toBe(reached);
  });

  it.each(['x', '0', '70000', '1.5', '-1'])('refuse %s as a port, and name the variable', (text) => {
    expect(() => readSettings({ KAFKA_PORT: text }, '/')).toThrow(/^ {2}KAFKA_PORT is "/m);
  });

  it('report all errors at once', () => {
    const env = { KAFKA_PORT: 'abc', INGEST_PORT: '0', KAFKA_TLS: 'yes' };
    expect(() => readSettings(env, '/')).toThrow(/KAFKA_PORT[^]*INGEST_PORT[^]*KAFKA_TLS/);
  });

  it('refuse the same port for two services and name both; the port of an engine that is not started is ignored', () => {
    const env = { GATEWAY_CORE_PORT: '4000', GATEWAY_QUERY_PORT: '4000' };
    expect(() => readSettings(env, '/')).toThrow(/^GATEWAY_CORE_PORT and GATEWAY_QUERY_PORT are both 4000/);
    expect(readSettings({ KAFKA_PORT: '3900', KAFKA_BROKERS: 'a:1' }, '/').ports.KAFKA_PORT).toBe(3900);
  });

  it('are kept in shell syntax, without secrets', () => {
    const env = {
      TRIBUTARY_DATA_DIR: "/my data's",
      KAFKA_BROKERS: 'a:1,b:2',
      CLICKHOUSE_PASSWORD: 'hunter2',
      HOST: '',
    };
    expect(readSettings(env, '/').given).toEqual({
      TRIBUTARY_DATA_DIR: `'/my data'\\''s'`,
      KAFKA_BROKERS: 'a:1,b:2',
      CLICKHOUSE_PASSWORD: '"$CLICKHOUSE_PASSWORD"',
    });
  });
});
