import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { appNames, configOf, settingsOf, type AppName } from '../app-settings.js';
import { ConfigError, loadConfig } from '#api';
import { helmArgs, tool, valuesFile, type KubernetesObject } from './chart.js';

interface Container {
  name: string;
  env: { name: string; value?: string }[];
}

/** Settings that the chart itself sets, from values of other names or in addition to the given value. */
const ofTheChart =
  /^(ALLOWED_HOSTS|KAFKA_(BROKERS|COMPRESSION|TOPIC_PREFIX|REPLICATION_FACTOR|TLS.*|SASL_.*)|(SQL_)?CLICKHOUSE_.*|API_KEYS|WEBHOOK_SECRETS|SHUTDOWN_SECONDS|INGEST_REQUIRE_KEYS|.*_PORT|OTEL_.*)$/;
const namesOf = (app: AppName): string[] => settingsOf(app).filter((name) => !ofTheChart.test(name));

/** Renders the chart with ci/minimal.yaml and these values, as text. */
async function rendered(values: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-values-'));
  const file = join(folder, 'values.yaml');
  writeFileSync(file, JSON.stringify(values));
  const args = helmArgs('template', [...valuesFile('minimal'), '--values', file]);
  const { code, text } = await tool('helm', args);
  rmSync(folder, { recursive: true });
  expect(code, text).toBe(0);
  return text;
}

/** Returns the environment in which each app runs: Kubernetes replaces `$$` by `$`, and expands `$(NAME)`. */
async function environments(values: object): Promise<Map<string, Record<string, string>>> {
  const objects = parseAllDocuments(await rendered(values)).map(
    (document) => document.toJS() as KubernetesObject | null,
  );
  const pods = objects.filter((one) => one !== null).filter(({ kind }) => /^(Deployment|Job)$/.test(kind));
  const containers = pods.flatMap(
    ({ spec }) => (spec as { template: { spec: { containers: Container[] } } }).template.spec.containers,
  );
  return new Map(
    containers.map(({ name, env }) => [
      name,
      Object.fromEntries(env.map((one) => [one.name, asKubernetesReads(one.value ?? '')])),
    ]),
  );
}

function asKubernetesReads(value: string): string {
  return value.replace(/\$(\$|\([^)]*\))/g, (_, after: string) => (after === '$' ? '$' : 'expanded'));
}

const text = 'a "b" \'c\'\n\td: [e] #f \\n é {{ g }} $h $$i $(HOST) $$(HOST)';
const forms: [string, string | number | boolean][] = [
  ['a decimal', 0.5],
  ['a decimal above a million', 12_345_678.25],
  ['a small decimal', 0.0001],
  ['a large number', 384_000_000],
  ['the largest exact number', Number.MAX_SAFE_INTEGER],
  ['a negative number', -1],
  ['zero', 0],
  ['false', false],
  ['true', true],
  ['a text that looks like a decimal', '0.50'],
  ['a text that looks like a large number', '3.84e+08'],
  ['a text with quotes, newlines and dollar signs', text],
];

describe.each(forms)('%s in `config`', (_, value) => {
  it('reaches every app unchanged, from the values of all apps and from its own', async () => {
    const other = typeof value === 'boolean' ? !value : 'other';
    const all = new Set(appNames.flatMap(namesOf));
    const each = (names: Iterable<string>, set: unknown) =>
      Object.fromEntries([...names].map((name) => [name, set]));
    const expected = (app: AppName) => each(namesOf(app), String(value));
    const own = Object.fromEntries(appNames.map((app) => [app, { config: each(namesOf(app), value) }]));
    for (const values of [{ config: each(all, value) }, { config: each(all, other), ...own }]) {
      const found = await environments(values);
      for (const app of appNames) expect(found.get(app)).toMatchObject(expected(app));
      expect(found.get('migration')).toMatchObject(expected('materializer'));
    }
  });
});

it('an app reads a fraction of a minute as written, and says that it needs a whole number', async () => {
  const found = await environments({ config: { DEDUPE_FAR_MINUTES: 0.5 } });
  for (const app of ['gateway', 'materializer', 'processor'] as const) {
    const load = () => loadConfig(configOf(app), found.get(app) ?? {});
    expect(load).toThrow(ConfigError);
    expect(load).toThrow('DEDUPE_FAR_MINUTES is "0.5", but: it must be a whole number from 0 to 60');
  }
});

it('a user name of an engine reaches the apps unchanged', async () => {
  const password = { password: 'p' };
  const found = await environments({
    kafka: { sasl: { mechanism: 'plain', username: text, ...password } },
    clickhouse: { username: text, ...password, analysts: { username: text, ...password } },
  });
  expect(found.get('gateway')).toMatchObject({
    KAFKA_SASL_USERNAME: text,
    CLICKHOUSE_USER: text,
    SQL_CLICKHOUSE_USER: text,
  });
});

it('numbers of Kubernetes objects are whole numbers, however large', async () => {
  const large = 384_000_000;
  const autoscaling = { enabled: true, minReplicas: large, maxReplicas: large };
  const scaled = { ...autoscaling, lagThreshold: large, cooldownSeconds: large };
  const found = await rendered({
    migration: { timeoutSeconds: large },
    backup: { enabled: true, existingClaim: 'definitions', timeoutSeconds: large, keep: 999_999 },
    gateway: { autoscaling, podDisruptionBudget: { maxUnavailable: large } },
    ingest: { replicas: large, podDisruptionBudget: { maxUnavailable: '50%' } },
    materializer: { autoscaling: scaled },
    processor: { autoscaling: { ...scaled, prometheusUrl: 'http://prometheus' } },
  });
  // Kubernetes refuses 3.84e+08 where it needs an integer.
  const lines = found.split('\n').map((line) => line.trim());
  for (const [name, count] of [
    ...[['activeDeadlineSeconds', 2] as const, ['replicas', 1] as const, ['maxUnavailable', 1] as const],
    ...[['minReplicas', 1] as const, ['maxReplicas', 1] as const],
    ...[['minReplicaCount', 2] as const, ['maxReplicaCount', 2] as const, ['cooldownPeriod', 2] as const],
  ])
    expect(lines.filter((line) => line === `${name}: ${large}`).length, name).toBe(count);
  expect(found.split(`stabilizationWindowSeconds: ${large} }`)).toHaveLength(3);
  expect(lines).toContain('- "999999"');
  expect(lines).toContain(`lagThreshold: "${large}"`);
  expect(lines).toContain(`threshold: "${large}"`);
  expect(lines).toContain('maxUnavailable: "50%"');
});
