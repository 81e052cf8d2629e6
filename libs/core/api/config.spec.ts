import { describe, expect, it } from 'vitest';
import { AppConfig, ConfigError, describeConfig, loadConfig, Secret } from './config.js';

const load = (env: NodeJS.ProcessEnv): AppConfig => loadConfig(AppConfig, env);
const sasl = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'hunter2' };

describe('the configuration', () => {
  it('has a default for each setting, and treats an empty variable as unset', () => {
    expect(load({ KAFKA_BROKERS: '', LOG_LEVEL: '' })).toEqual(load({}));
    expect(load({})).toMatchObject({ KAFKA_BROKERS: ['127.0.0.1:9092'], CLICKHOUSE_DATABASE: 'tributary' });
  });

  it('parses lists, numbers and booleans', () => {
    const env = { KAFKA_BROKERS: ' a:9092, b:65535 ,', STREAM_PARTITIONS: '3', KAFKA_TLS: 'true' };
    expect(load(env)).toMatchObject({
      KAFKA_BROKERS: ['a:9092', 'b:65535'],
      STREAM_PARTITIONS: 3,
      KAFKA_TLS: true,
    });
  });

  it.each([
    ['KAFKA_BROKERS', ','],
    ['KAFKA_BROKERS', 'mybroker'],
    ['KAFKA_BROKERS', 'a:9092,b:65536'],
    ['KAFKA_BROKERS', 'a:0'],
    ['CLICKHOUSE_URL', 'localhost:8123'],
    ['CLICKHOUSE_URL', 'http://localhost:65536'],
    ['CLICKHOUSE_URL', 'http://'],
    ['STREAM_PARTITIONS', '8x'],
    ['STREAM_PARTITIONS', '257'],
    ['KAFKA_TLS', 'yes'],
    ['CLICKHOUSE_DATABASE', 'a-b'],
    ['LOG_LEVEL', 'loud'],
    ['ALLOWED_HOSTS', 'gateway:3900'],
    ['ALLOWED_HOSTS', '*'],
    ['ALLOWED_HOSTS', 'http://gateway'],
    ['ALLOWED_HOSTS', 'a..b'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '1'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '10.0.0.1,fe80::1%eth0'],
    ['TRUST_PROXY', 'load-balancer.local'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_SDK_DISABLED', 'yes'],
    ['OTEL_SERVICE_NAME', 'a b'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
    ['OTEL_TRACES_SAMPLER_ARG', '-1'],
    ['OTEL_TRACES_SAMPLER_ARG', '1%'],
  ])('rejects %s=%s, with its name and value in the error', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(ConfigError);
    expect(() => load({ [name]: value })).toThrow(`  ${name} is ${JSON.stringify(value)}, but: `);
  });

  it.each([
    ['CLICKHOUSE_URL', 'http://me:hunter2@localhost:8123'],
    ['CLICKHOUSE_URL', 'http://me:hun/hunter2@localhost:8123'],
    ['CLICKHOUSE_URL', 'http://hunter2@localhost:8123'],
    ['CLICKHOUSE_URL', 'http://localhost:8123/?user=me&password=hunter2'],
    ['CLICKHOUSE_URL', 'me:hunter2@localhost'],
    ['KAFKA_BROKERS', 'a:9092,me:hunter2@b:9092'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://me:hunter2@collector:4318'],
  ])('rejects credentials in %s (%s), and does not print them', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(`  ${name} is "`);
    expect(() => load({ [name]: value })).not.toThrow(/hunter2/);
  });

  it.each(['hunter2', 'a=hunter2,b', 'a b=hunter2', 'a=hunter2%', 'a=hunter2\nb'])(
    'rejects %j as headers, and does not print them',
    (value) => {
      expect(() => load({ OTEL_EXPORTER_OTLP_HEADERS: value })).toThrow(
        '  OTEL_EXPORTER_OTLP_HEADERS is ***, but: it must be name=value',
      );
    },
  );

  it('accepts headers with percent-encoded values', () => {
    for (const value of ['api-key=abc', 'authorization=Basic%20aGk6aGk==, x-scope-orgid=1'])
      expect(load({ OTEL_EXPORTER_OTLP_HEADERS: value }).OTEL_EXPORTER_OTLP_HEADERS).toBe(value);
  });

  it('parses a share as a decimal number', () => {
    for (const [text, share] of [
      ['0.25', 0.25],
      ['1', 1],
      ['.5', 0.5],
      ['0', 0],
    ] as const)
      expect(load({ OTEL_TRACES_SAMPLER_ARG: text }).OTEL_TRACES_SAMPLER_ARG).toBe(share);
  });

  it('names the settings for the credentials of ClickHouse', () => {
    expect(() => load({ CLICKHOUSE_URL: 'https://me:hunter2@clickhouse' })).toThrow(
      /CLICKHOUSE_URL .*CLICKHOUSE_USER and CLICKHOUSE_PASSWORD/,
    );
  });

  it.each([
    ['KAFKA_SASL_MECHANISM', /KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD/],
    ['KAFKA_SASL_USERNAME', /KAFKA_SASL_MECHANISM/],
    ['KAFKA_SASL_PASSWORD', /KAFKA_SASL_MECHANISM/],
  ] as const)('rejects %s alone, and names the settings that it needs', (name, message) => {
    expect(() => load({ [name]: sasl[name] })).toThrow(message);
    expect(() => load({ [name]: sasl[name] })).not.toThrow(/hunter2/);
  });

  it.each([
    ['KAFKA_TLS_CERT', 'KAFKA_TLS_KEY'],
    ['KAFKA_TLS_KEY', 'KAFKA_TLS_CERT'],
  ])('rejects %s without %s', (name, other) => {
    expect(() => load({ [name]: 'file.pem' })).toThrow(other);
  });

  it('accepts host names; the default is an empty list', () => {
    expect(load({}).ALLOWED_HOSTS).toEqual([]);
    const names = ['gateway', 'live-gateway.events.svc.cluster.local', 'Events.Example.com'];
    expect(load({ ALLOWED_HOSTS: names.join(', ') }).ALLOWED_HOSTS).toEqual(names);
  });

  it('accepts proxies as addresses and networks; the default is none', () => {
    expect(load({}).TRUST_PROXY).toEqual([]);
    const proxies = ['10.1.2.3', '10.0.0.0/8', 'fd00::/8', '::1'];
    expect(load({ TRUST_PROXY: proxies.join(', ') }).TRUST_PROXY).toEqual(proxies);
  });

  it.each([
    ['KAFKA_TLS', 'yes', 'it must be true or false'],
    ['SHUTDOWN_SECONDS', 'soon', 'it must be a whole number from 1 to 300'],
    ['SHUTDOWN_SECONDS', '1.5', 'it must be a whole number from 1 to 300'],
    ['SHUTDOWN_SECONDS', '301', 'SHUTDOWN_SECONDS must not be greater than 300'],
  ])('says in one sentence what %s=%s must be', (name, value, sentence) => {
    const said = `The configuration is wrong:\n  ${name} is "${value}", but: ${sentence}`;
    expect(() => load({ [name]: value })).toThrow(new ConfigError(said));
  });

  it('lists all invalid settings at once', () => {
    expect(() => load({ KAFKA_BROKERS: 'x', LOG_LEVEL: 'x' })).toThrow(/LOG_LEVEL[^]*KAFKA_BROKERS/);
  });

  it('shows that a secret is unset', () => {
    expect(describeConfig(load({}))).toMatchObject({ CLICKHOUSE_PASSWORD: '' });
    class WithKeys extends AppConfig {
      @Secret() KEYS: string[] = [];
    }
    expect(describeConfig(loadConfig(WithKeys, {}))).toMatchObject({ KEYS: [] });
  });

  it('shows the effective settings with masked secrets', () => {
    const shown = describeConfig(load({ ...sasl, CLICKHOUSE_PASSWORD: 'hunter2' }));
    expect(shown).toMatchObject({
      KAFKA_SASL_USERNAME: 'u',
      KAFKA_SASL_PASSWORD: '***',
      CLICKHOUSE_PASSWORD: '***',
    });
    expect(JSON.stringify(shown)).not.toContain('hunter2');
  });
});
