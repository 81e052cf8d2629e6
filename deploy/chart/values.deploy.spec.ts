import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appNames, settingsOf } from '../app-settings.js';
import { chart, helmArgs, tool, valuesFile } from './chart.js';

const bundled =
  'clickhouse.bundled=true,clickhouse.url=,clickhouse.password=p,clickhouse.analysts.password=q';

/** Values to set in addition to ci/minimal.yaml, and the message that Helm must print. */
const refused: [set: string, says: RegExp][] = [
  ['kafka.brokers={nowhere}', /kafka\/brokers\/0.*does not match pattern/],
  ['kafka.brokers=null', /kafka.brokers is empty: name your brokers as host:port, or set kafka.bundled=true/],
  ['kafka.bundled=true', /kafka.brokers and kafka.bundled=true exclude each other: set one/],
  ['kafka.sasl.mechanism=gssapi', /kafka\/sasl\/mechanism.*one of.*scram-sha-512/],
  ['clickhouse.replicated=true', /clickhouse.replicated=true needs clickhouse.cluster/],
  ['kafka.sasl.mechanism=plain', /kafka.sasl.mechanism needs kafka.sasl.username/],
  [
    'kafka.sasl.username=u,kafka.sasl.mechanism=plain',
    /needs kafka.sasl.existingSecret or kafka.sasl.password/,
  ],
  ['kafka.sasl.existingSecret=s', /kafka.sasl needs kafka.sasl.mechanism/],
  ['kafka.tls.ca.secret=s', /kafka.tls names a Secret, but kafka.tls.enabled is false/],
  ['kafka.topicPrefix=a/b', /kafka\/topicPrefix.*does not match pattern/],
  ['clickhouse.url=', /clickhouse.url is empty: name your server/],
  ['clickhouse.url=clickhouse:8123', /clickhouse\/url.*does not match pattern/],
  ['clickhouse.url=http://u:p@clickhouse:8123', /clickhouse\/url.*does not match pattern/],
  ['clickhouse.bundled=true', /clickhouse.url and clickhouse.bundled=true exclude each other: set one/],
  ['clickhouse.bundled=true,clickhouse.url=', /needs clickhouse.password or clickhouse.existingSecret/],
  [
    'clickhouse.bundled=true,clickhouse.url=,clickhouse.password=p',
    /clickhouse.bundled=true needs clickhouse.analysts.password or clickhouse.analysts.existingSecret/,
  ],
  [
    'clickhouse.bundled=true,clickhouse.url=,clickhouse.password=a&b,clickhouse.analysts.password=q',
    /clickhouse.password contains < or &: ClickHouse inserts it into its XML and would not start/,
  ],
  [
    'clickhouse.bundled=true,clickhouse.url=,clickhouse.password=p,clickhouse.analysts.password=a<b',
    /clickhouse.analysts.password contains < or &/,
  ],
  [`${bundled},clickhouse.database=events`, /row policies name the database tributary: leave/],
  [`${bundled},clickhouse.username=events`, /the user tributary for the apps: leave/],
  [`${bundled},clickhouse.analysts.username=analysts`, /the user sql for analysts: leave/],
  ['clickhouse.analysts.username=analysts', /needs clickhouse.analysts.password or/],
  ['clickhouse.analysts.password=p', /needs clickhouse.analysts.username: without it, SQL is off/],
  ['clickhouse.database=a-b', /clickhouse\/database.*does not match pattern/],
  ['apiKeys.value=secret', /apiKeys\/value.*does not match pattern/],
  ['config.LOG_LEVL=debug', /at '\/config': additional properties 'LOG_LEVL' not allowed/],
  ['config.KAFKA_BROKERS=k:1', /additional properties 'KAFKA_BROKERS' not allowed/],
  ['ingest.config.READS_QUEUED=1', /at '\/ingest\/config': additional properties 'READS_QUEUED' not allowed/],
  ['gateway.replicas=0', /gateway\/replicas.*minimum: got 0, want 1/],
  ['gateway.replica=2', /at '\/gateway': additional properties 'replica' not allowed/],
  ['gateway.autoscaling.minReplicas=9', /gateway.autoscaling.minReplicas is above maxReplicas/],
  ['gateway.podDisruptionBudget.maxUnavailable=0', /maxUnavailable/],
  ['processor.autoscaling.enabled=true', /needs processor.autoscaling.prometheusUrl/],
  ['webhooks.secrets=whsec_c2VjcmV0', /webhooks\/secrets.*got string, want object/],
  ['webhooks.secrets.shop.value=whsec_c2VjcmV0', /webhooks\/secrets\/shop.*missing property 'hosts'/],
  [
    'webhooks.secrets.shop.value=c2VjcmV0,webhooks.secrets.shop.hosts={a.example}',
    /webhooks.secrets.shop.value must be whsec_…, or a list of two of them/,
  ],
  ['commonLabels.app\\.kubernetes\\.io/name=x', /at '\/commonLabels\/app.kubernetes.io~1name'/],
  [
    'gateway.podLabels.app\\.kubernetes\\.io/component=x',
    /at '\/gateway\/podLabels\/app.kubernetes.io~1component'/,
  ],
  [
    'kafka.brokers=null,kafka.bundled=true,materializer.autoscaling.enabled=true',
    /materializer.autoscaling.enabled needs a Kafka that KEDA can connect to/,
  ],
  ['backup.enabled=true', /backup.enabled needs backup.existingClaim/],
  ['backup.keep=0', /backup\/keep.*minimum: got 0, want 1/],
  ['backup.schedule=daily', /backup\/schedule.*does not match pattern/],
  ['ingress.enabled=true', /ingress.enabled needs ingress.host/],
  ['ingress.host=events.example/', /ingress\/host.*does not match pattern/],
  ['tracing.enabled=true', /tracing.enabled needs tracing.endpoint/],
  ['image.digest=abc', /image\/digest.*does not match pattern/],
  ['shutdownSeconds=0', /shutdownSeconds.*minimum: got 0, want 1/],
  [
    'metrics.serviceMonitor.enabled=true,ingest.requireKeys=true',
    /needs metrics.serviceMonitor.ingestKeySecret/,
  ],
  [
    'networkPolicy.core.from[0].pods=x',
    /at '\/networkPolicy\/core\/from\/0': additional properties 'pods' not allowed/,
  ],
];

describe('invalid values', () => {
  it.each(refused)('%s is rejected', async (set, says) => {
    const { code, text } = await tool('helm', helmArgs('template', [...valuesFile('minimal'), '--set', set]));
    expect(code, text).toBe(1);
    expect(text).toMatch(says);
  });
});

it.each(['default', 'tributary'])('the bundled ClickHouse accepts the user name %s', async (username) => {
  const set = ['--set', `${bundled},clickhouse.username=${username},clickhouse.analysts.username=sql`];
  const { code, text } = await tool('helm', helmArgs('template', [...valuesFile('minimal'), ...set]));
  expect(code, text).toBe(0);
});

it('a release whose name is not valid for a Service is rejected', async () => {
  const args = helmArgs('template', valuesFile('minimal'));
  const named = (name: string) => args.map((arg) => (arg === 'live' ? name : arg));
  for (const name of ['1st', 'a.b']) {
    const { code, text } = await tool('helm', named(name));
    expect(code, text).toBe(1);
    expect(text).toContain('set fullnameOverride');
  }
});

describe('the schema of the values', () => {
  const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')) as {
    properties: Record<string, { properties: { config: { properties: object } } & Record<string, object> }>;
  };
  /** Settings that have a separate chart value, or that the chart sets itself. */
  const elsewhere =
    /^(KAFKA_(BROKERS|COMPRESSION|TOPIC_PREFIX|REPLICATION_FACTOR|TLS.*|SASL_.*)|(SQL_)?CLICKHOUSE_.*|API_KEYS|WEBHOOK_SECRETS|SHUTDOWN_SECONDS|INGEST_REQUIRE_KEYS|.*_PORT|OTEL_.*)$/;

  it.each(appNames)('has every setting of %s that has no separate chart value', (app) => {
    const allowed = Object.keys(schema.properties[app]?.properties.config.properties ?? {});
    expect(allowed).toEqual(
      settingsOf(app)
        .filter((name) => !elsewhere.test(name))
        .sort(),
    );
  });

  it('has every setting of every app in `config`', () => {
    const { config } = schema.properties as unknown as { config: { properties: object } };
    const all = new Set(appNames.flatMap(settingsOf).filter((name) => !elsewhere.test(name)));
    expect(Object.keys(config.properties)).toEqual([...all].sort());
  });
});
