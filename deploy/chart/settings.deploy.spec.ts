import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppConfig, loadConfig } from '#api';
import { TopicAndGroupNames } from '#event';
import { clickHouseUsers } from '#store';
import {
  appNames,
  asOnThisNode,
  configOf,
  portsOf,
  probePortOf,
  settingsOf,
  type AppName,
} from '../app-settings.js';
import { usersFiles } from '../clickhouse-users.js';
import { readComposeFile } from '../compose/compose-file.js';
import { helmArgs, manifests, tool, valuesFile, valuesFiles, type KubernetesObject } from './chart.js';

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string } };
}
interface Probe {
  httpGet: { path: string; port: string };
}
interface Container {
  name: string;
  command: string[];
  env: Variable[];
  ports: { name: string; containerPort: number }[];
  volumeMounts?: { name: string; mountPath: string }[];
  lifecycle?: { preStop: { sleep: { seconds: number } } };
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
}
interface Pod {
  terminationGracePeriodSeconds: number;
  containers: Container[];
  volumes?: { name: string; configMap?: { name: string }; persistentVolumeClaim?: { claimName: string } }[];
}

/** Variables that are not settings of Tributary: those of Node and OpenTelemetry. */
const ofOthers = /^(NODE_EXTRA_CA_CERTS|NODE_OPTIONS|OTEL_[A-Z_]+)$/;

const component = ({ metadata }: KubernetesObject) => metadata.labels?.['app.kubernetes.io/component'];
interface Templated {
  template: { spec: Pod };
}
const podOf = ({ kind, spec }: KubernetesObject): Pod =>
  (kind === 'CronJob' ? (spec as { jobTemplate: { spec: Templated } }).jobTemplate.spec : (spec as Templated))
    .template.spec;

describe.each(valuesFiles)('the apps in the chart with ci/%s.yaml', (name) => {
  let all: KubernetesObject[];
  beforeAll(async () => {
    all = await manifests(name);
  });
  const of = (kind: string, app: AppName): KubernetesObject =>
    all.find((one) => one.kind === kind && component(one) === app) ?? expect.fail(`no ${kind} of ${app}`);
  const containerOf = (app: AppName): Container =>
    podOf(of('Deployment', app)).containers[0] ?? expect.fail(`no container of ${app}`);
  const given = (app: AppName): Record<string, string> =>
    Object.fromEntries(
      containerOf(app).env.map(({ name: variable, value }) => [variable, value ?? exampleOf(variable)]),
    );

  it.each(appNames)('%s gets only existing settings, with valid values', (app) => {
    const { env } = containerOf(app);
    // A setting of only one app may be set for every app.
    const known = new Set(appNames.flatMap(settingsOf));
    const unknown = env
      .map((variable) => variable.name)
      .filter((one) => !known.has(one) && !ofOthers.test(one));
    expect(unknown).toEqual([]);
    expect(new Set(env.map((variable) => variable.name)).size).toBe(env.length);
    expect(loadConfig(configOf(app), asOnThisNode(given(app))).HOST).toBe('0.0.0.0');
  });

  it.each(appNames)('%s is started, and probed on its own ports', (app) => {
    const { command, ports, startupProbe, livenessProbe, readinessProbe } = containerOf(app);
    expect(command).toEqual(['node', `dist/bundle/${app}.js`]);
    expect(ports.map((port) => port.containerPort)).toEqual(portsOf(app));
    const numberOf = ({ httpGet }: Probe) => ports.find((port) => port.name === httpGet.port)?.containerPort;
    for (const probe of [startupProbe, livenessProbe, readinessProbe])
      expect(numberOf(probe)).toBe(probePortOf(app));
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
      '/health/live',
      '/health/live',
      '/health/ready',
    ]);
    const service = of('Service', app).spec as { ports: { port: number; targetPort: string }[] };
    expect(service.ports.map(({ port }) => port)).toEqual(portsOf(app));
    expect(service.ports.map(({ targetPort }) => targetPort)).toEqual(ports.map((port) => port.name));
  });

  it.each(appNames)('%s has more time to stop than it takes', (app) => {
    const { terminationGracePeriodSeconds: grace, containers } = podOf(of('Deployment', app));
    const before = containers[0]?.lifecycle?.preStop.sleep.seconds ?? 0;
    const { SHUTDOWN_SECONDS } = loadConfig(configOf(app), asOnThisNode(given(app)));
    expect(grace).toBeGreaterThanOrEqual(before + SHUTDOWN_SECONDS + 5);
    // Clients of gateway and ingest send requests for a while longer. The consumers have no clients.
    expect(before > 0).toBe(app === 'gateway' || app === 'ingest');
  });

  it.each(appNames)('%s mounts the files that its settings name', (app) => {
    const { volumes = [], containers } = podOf(of('Deployment', app));
    const mounts = containers[0]?.volumeMounts ?? [];
    expect(mounts.map((mount) => mount.name)).toEqual(volumes.map((volume) => volume.name));
    for (const [variable, value] of Object.entries(given(app))) {
      if (/^KAFKA_TLS_|^NODE_EXTRA/.test(variable)) {
        expect(
          mounts.some(({ mountPath }) => value.startsWith(`${mountPath}/`)),
          variable,
        ).toBe(true);
      }
    }
  });

  it('ingest does not get the password of ClickHouse, and requires keys if there is an Ingress', () => {
    const settings = given('ingest');
    expect(Object.keys(settings).join()).not.toContain('CLICKHOUSE');
    if (all.some(({ kind }) => kind === 'Ingress')) expect(settings.INGEST_REQUIRE_KEYS).toBe('true');
  });

  it('KEDA uses the consumer group of the materializer', () => {
    const scaled = all.filter((one) => one.kind === 'ScaledObject' && component(one) === 'materializer');
    for (const { spec } of scaled) {
      const { triggers } = spec as { triggers: { metadata: Record<string, string> }[] };
      const { KAFKA_TOPIC_PREFIX: prefix = '', KAFKA_BROKERS: brokers } = given('materializer');
      expect(triggers[0]?.metadata).toMatchObject({
        consumerGroup: new TopicAndGroupNames(prefix).materializerGroup,
        bootstrapServers: brokers,
      });
    }
  });

  it('every Secret of the release that a pod refers to exists', () => {
    const secrets = new Map(
      all.filter(({ kind }) => kind === 'Secret').map((one) => [one.metadata.name, one.data ?? {}]),
    );
    for (const manifest of all.filter(({ kind }) => /^(Deployment|Job|CronJob)$/.test(kind))) {
      for (const { valueFrom } of podOf(manifest).containers.flatMap(({ env }) => env)) {
        if (!valueFrom?.secretKeyRef.name.startsWith('live-') && valueFrom?.secretKeyRef.name !== 'events')
          continue;
        const { name: secret, key } = valueFrom.secretKeyRef;
        expect(secrets.get(secret), secret).toHaveProperty(key);
      }
    }
  });
});

describe.each(['full', 'mutual-tls'])('the backup in the chart with ci/%s.yaml', (name) => {
  it("runs the image's program with the settings of Kafka, the mounted certificates, and no password of ClickHouse", async () => {
    const job = (await manifests(name)).find(({ kind }) => kind === 'CronJob') ?? expect.fail('no CronJob');
    const { containers, volumes = [] } = podOf(job);
    const [container = expect.fail('no container')] = containers;
    const [node, program = '', ...args] = container.command;
    expect([node, existsSync(program)]).toEqual(['node', true]);
    expect(args).toEqual(['export', '--folder', '/backup', '--keep', name === 'full' ? '100' : '30']);
    const given = Object.fromEntries(
      container.env.map(({ name: variable, value }) => [variable, value ?? exampleOf(variable)]),
    );
    expect(Object.keys(given).join()).not.toMatch(/CLICKHOUSE|API_KEYS|WEBHOOK_SECRETS/);
    const { KAFKA_BROKERS, KAFKA_TLS_CA } = loadConfig(AppConfig, asOnThisNode(given));
    expect(KAFKA_BROKERS.length).toBeGreaterThan(1);
    expect(KAFKA_TLS_CA).toBe('/etc/tributary/kafka-ca/ca.crt');
    const mounts = container.volumeMounts ?? [];
    expect(mounts.map((mount) => mount.name)).toEqual(volumes.map((volume) => volume.name));
    expect(mounts.map(({ mountPath }) => mountPath)).toContain('/etc/tributary/kafka-ca');
    expect(volumes[0]?.persistentVolumeClaim).toEqual({ claimName: 'definitions' });
  });
});

describe('the migration', () => {
  it('has the settings of the materializer, and a Secret that is created before it', async () => {
    const all = await manifests('trial');
    const job = all.find(({ kind }) => kind === 'Job') ?? expect.fail('no Job');
    const [container] = podOf(job).containers;
    expect(container?.command).toEqual(['node', 'dist/bundle/materializer.js', '--migrate']);
    const deployment = all.find(
      (one) => one.kind === 'Deployment' && component(one) === 'materializer',
    ) as KubernetesObject;
    const names = (env: Variable[] = []) => env.map(({ name }) => name);
    expect(names(container?.env)).toEqual(names(podOf(deployment).containers[0]?.env));
    const secret = all.find((one) => one.kind === 'Secret' && component(one) === 'migration');
    const weight = (one?: KubernetesObject) =>
      Number(one?.metadata.annotations?.['helm.sh/hook-weight'] ?? 0);
    expect(weight(secret)).toBeLessThan(weight(job));
  });
});

it('the bundled Kafka has the settings of docker-compose.yml and another address', async () => {
  const all = await manifests('trial');
  const kafka = all.find(
    (one) => one.kind === 'StatefulSet' && component(one) === 'kafka',
  ) as KubernetesObject;
  const { env = [] } = podOf(kafka).containers[0] ?? {};
  const settings = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const { environment = {} } = readComposeFile().services.kafka ?? {};
  const texts = Object.entries(environment).map(([name, value]) => [name, String(value)]);
  expect(settings).toEqual({
    ...Object.fromEntries(texts),
    KAFKA_ADVERTISED_LISTENERS: 'PLAINTEXT://live-tributary-kafka:9092',
  });
});

describe('the bundled ClickHouse', () => {
  let all: KubernetesObject[];
  let pod: Pod;
  beforeAll(async () => {
    all = await manifests('trial');
    const found = all.find((one) => one.kind === 'StatefulSet' && component(one) === 'clickhouse');
    pod = podOf(found ?? expect.fail('no StatefulSet'));
  });
  const variablesOf = ({ containers }: Pod) =>
    Object.fromEntries((containers[0]?.env ?? []).map((one) => [one.name, one]));

  it('mounts the file of users into users.d', () => {
    const { name: volume } =
      pod.containers[0]?.volumeMounts?.find(
        ({ mountPath }) => mountPath === '/etc/clickhouse-server/users.d/tributary.xml',
      ) ?? expect.fail('no mount');
    const { configMap } = pod.volumes?.find(({ name }) => name === volume) ?? expect.fail('no volume');
    const map = all.find((one) => one.kind === 'ConfigMap' && one.metadata.name === configMap?.name);
    expect(map?.data).toEqual({ 'tributary.xml': readFileSync(usersFiles.xml, 'utf8') });
  });

  it('gets the passwords that the file names, and no user of the image', () => {
    const variables = [...readFileSync(usersFiles.xml, 'utf8').matchAll(/from_env="(\w+)"/g)];
    expect(Object.keys(variablesOf(pod))).toEqual(variables.map(([, variable]) => variable));
  });

  it('has the users, passwords and database with which the apps log in', () => {
    const server = variablesOf(pod);
    for (const app of ['gateway', 'materializer', 'processor']) {
      const found = all.find((one) => one.kind === 'Deployment' && component(one) === app);
      const given = variablesOf(podOf(found ?? expect.fail(`no Deployment of ${app}`)));
      expect(given.CLICKHOUSE_USER?.value).toBe(clickHouseUsers.apps);
      expect(given.CLICKHOUSE_DATABASE?.value).toBe('tributary');
      expect(given.CLICKHOUSE_PASSWORD?.valueFrom).toEqual(server.CLICKHOUSE_APP_PASSWORD?.valueFrom);
      const sqlUser = app === 'gateway' ? clickHouseUsers.analysts : undefined;
      expect(given.SQL_CLICKHOUSE_USER?.value).toBe(sqlUser);
      const sqlPassword = app === 'gateway' ? server.SQL_CLICKHOUSE_PASSWORD?.valueFrom : undefined;
      expect(given.SQL_CLICKHOUSE_PASSWORD?.valueFrom).toEqual(sqlPassword);
    }
  });

  it.each(['clickhouse', 'clickhouse.analysts'])(
    'reads the password of `%s` from an existing Secret',
    async (user) => {
      const set = ['--set', `${user}.existingSecret=there,${user}.passwordKey=word`];
      const { text } = await tool('helm', helmArgs('template', [...valuesFile('trial'), ...set]));
      const variable = user === 'clickhouse' ? 'CLICKHOUSE_APP_PASSWORD' : 'SQL_CLICKHOUSE_PASSWORD';
      expect(text).toMatch(
        new RegExp(`${variable}\\s+valueFrom:\\s+secretKeyRef: { name: "there", key: "word" }`),
      );
    },
  );

  it('restarts when a password changes', async () => {
    const checksum = async (set: string) => {
      const args = helmArgs('template', [...valuesFile('trial'), '--set', set]);
      return /checksum\/users: ([0-9a-f]{64})/.exec((await tool('helm', args)).text)?.[1];
    };
    const sums = await Promise.all(
      [
        'shutdownSeconds=25',
        'shutdownSeconds=26',
        'clickhouse.password=x',
        'clickhouse.analysts.password=x',
      ].map(checksum),
    );
    expect(sums).not.toContain(undefined);
    expect(sums[1]).toBe(sums[0]);
    expect(new Set(sums).size).toBe(3);
  });
});

it('SQL is off if no user for analysts is named', async () => {
  const gateway = (await manifests('minimal')).find(
    (one) => one.kind === 'Deployment' && component(one) === 'gateway',
  );
  const names = podOf(gateway ?? expect.fail('no gateway')).containers[0]?.env.map(({ name }) => name);
  expect(names?.join()).not.toContain('SQL_CLICKHOUSE');
});

it('a changed password restarts the pods, an unchanged password does not', async () => {
  const checksums = async (password: string) => {
    const set = ['--set', `clickhouse.password=${password}`];
    const { text } = await tool('helm', helmArgs('template', [...valuesFile('minimal'), ...set]));
    const found = [...text.matchAll(/checksum\/secret: ([0-9a-f]{64})/g)].map(([, sum]) => sum);
    expect(found).toHaveLength(appNames.length);
    return found;
  };
  const [first, again, other] = await Promise.all([checksums('one'), checksums('one'), checksums('two')]);
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
});

/** Returns a valid value of a variable that is in a Secret. */
function exampleOf(variable: string): string {
  if (variable === 'API_KEYS') return `abcdefghijkl:${'0'.repeat(64)}:events:read`;
  if (variable !== 'WEBHOOK_SECRETS') return 'a-secret';
  return JSON.stringify({ shop: { value: `whsec_${'A'.repeat(32)}`, hosts: ['hooks.example.com'] } });
}
