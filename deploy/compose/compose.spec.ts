import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '#api';
import { clickHouseUsers } from '#store';
import { appNames, asOnThisNode, configOf, portsOf, probePortOf, settingsOf } from '../app-settings.js';
import { usersFiles } from '../clickhouse-users.js';
import { readComposeFile } from './compose-file.js';

const { services, volumes } = readComposeFile();
const service = (name: string) => services[name] ?? expect.fail(`there is no service ${name}`);

describe.each(appNames)('the service %s of docker-compose.yml', (app) => {
  const { command, environment = {}, ports = [], healthcheck, ...rest } = service(app);

  it('starts the app of its name', () => {
    expect(command).toEqual(['node', `dist/bundle/${app}.js`]);
    expect(existsSync(command?.[1] ?? '')).toBe(true);
  });

  it('sets only settings of the app, to valid values', () => {
    const known = new Set(settingsOf(app));
    const unknown = Object.keys(environment).filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
    const config = loadConfig(configOf(app), asOnThisNode(environment));
    expect(config.HOST).toBe('0.0.0.0');
    expect(config.KAFKA_BROKERS).toEqual(['kafka:9092']);
    // Ingest does not connect to ClickHouse, so it must not get the password.
    if (app === 'ingest') expect(Object.keys(environment).join()).not.toContain('CLICKHOUSE');
    else expect(config.CLICKHOUSE_URL).toBe('http://clickhouse:8123');
  });

  it('publishes the ports that clients use, on this machine only', () => {
    const published = ['gateway', 'ingest'].includes(app) ? portsOf(app) : [];
    expect(ports).toEqual(published.map((port) => `127.0.0.1:${port}:${port}`));
  });

  it('is healthy when the app is ready', () => {
    const address = new URL(healthcheck?.test.at(-1) ?? '');
    expect(Number(address.port)).toBe(probePortOf(app));
    expect(address.pathname).toBe('/health/ready');
    expect(existsSync(healthcheck?.test[2] ?? '')).toBe(true);
  });

  it('has more time to stop than the app takes, and a read-only file system', () => {
    const { SHUTDOWN_SECONDS } = new (configOf(app))();
    expect(Number.parseInt(rest.stop_grace_period ?? '')).toBeGreaterThanOrEqual(SHUTDOWN_SECONDS + 5);
    expect(rest.read_only).toBe(true);
  });
});

describe('docker-compose.yml', () => {
  it('starts each service after its dependencies are healthy', () => {
    for (const [name, { depends_on: needs = {} }] of Object.entries(services)) {
      for (const [needed, { condition }] of Object.entries(needs)) {
        expect(condition, `${name} → ${needed}`).toBe('service_healthy');
        expect(service(needed).healthcheck, needed).toBeDefined();
      }
    }
    expect(Object.keys(service('gateway').depends_on ?? {})).toEqual(['kafka', 'clickhouse']);
    expect(Object.keys(service('ingest').depends_on ?? {})).toEqual(['kafka']);
  });

  it('names an exact version of every image except its own', () => {
    const images = Object.values(services).map(({ image }) => image);
    const others = images.filter((image) => !image.startsWith('tributary:'));
    expect(others).toHaveLength(4);
    for (const image of others)
      expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+\.\d+(\.\d+)?(@sha256:[0-9a-f]{64})?$/);
  });

  it('has the Kafka version of `npm start`', () => {
    const [, version] =
      /kafka_2\.13<\/artifactId>\s*<version>([\d.]+)</.exec(readFileSync('local/kafka/pom.xml', 'utf8')) ??
      [];
    expect(service('kafka').image).toContain(`apache/kafka:${version}@`);
  });

  it('mounts existing files, and keeps data in volumes', () => {
    for (const mount of Object.values(services).flatMap((one) => one.volumes ?? [])) {
      const [from = ''] = mount.split(':');
      if (from.startsWith('./')) expect(existsSync(from), from).toBe(true);
      else expect(volumes, mount).toHaveProperty(from);
    }
  });
});

describe('ClickHouse of docker-compose.yml', () => {
  it('makes its users from the mounted file, and the image makes none', () => {
    const { environment = {}, volumes: mounts } = service('clickhouse');
    expect(mounts).toContain(`./${usersFiles.xml}:/etc/clickhouse-server/users.d/tributary.xml:ro`);
    const variables = [...readFileSync(usersFiles.xml, 'utf8').matchAll(/from_env="(\w+)"/g)];
    expect(Object.keys(environment)).toEqual(variables.map(([, variable]) => variable));
  });

  it('has the users, passwords and database with which the apps log in', () => {
    const { CLICKHOUSE_APP_PASSWORD: password, SQL_CLICKHOUSE_PASSWORD: sqlPassword } =
      service('clickhouse').environment ?? {};
    for (const app of ['gateway', 'materializer', 'processor']) {
      expect(service(app).environment, app).toMatchObject({
        CLICKHOUSE_USER: clickHouseUsers.apps,
        CLICKHOUSE_PASSWORD: password,
        CLICKHOUSE_DATABASE: 'tributary',
      });
    }
    expect(service('gateway').environment).toMatchObject({
      SQL_CLICKHOUSE_USER: clickHouseUsers.analysts,
      SQL_CLICKHOUSE_PASSWORD: sqlPassword,
    });
  });

  it('has passwords that are not empty', () => {
    expect(Object.values(service('clickhouse').environment ?? {})).not.toContain('');
  });
});

describe('Prometheus and Grafana of docker-compose.yml', () => {
  it('scrape each app at the port of its metrics, and load the rules', () => {
    const { scrape_configs: jobs, rule_files: rules } = parse(
      readFileSync('deploy/prometheus/prometheus.yml', 'utf8'),
    ) as {
      scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
      rule_files: string[];
    };
    const targets = jobs.map(({ job_name: job, static_configs: [one] }) => [job, one?.targets]);
    expect(Object.fromEntries(targets)).toEqual(
      Object.fromEntries(appNames.map((app) => [app, [`${app}:${probePortOf(app)}`]])),
    );
    expect(service('prometheus').volumes).toContain('./helm/tributary/rules:/etc/prometheus/rules:ro');
    expect(rules).toEqual(['/etc/prometheus/rules/*.yaml']);
  });

  it('show the mounted dashboards with data from that Prometheus', () => {
    const provisioned = (file: string): unknown =>
      parse(readFileSync(`deploy/grafana/provisioning/${file}`, 'utf8'));
    expect(provisioned('dashboards/tributary.yml')).toMatchObject({
      providers: [{ type: 'file', options: { path: '/var/lib/grafana/dashboards' } }],
    });
    expect(service('grafana').volumes).toContain(
      './helm/tributary/dashboards:/var/lib/grafana/dashboards:ro',
    );
    expect(provisioned('datasources/prometheus.yml')).toMatchObject({
      datasources: [{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }],
    });
  });

  it('query events on the query port with a separate key', () => {
    const file = 'deploy/grafana/provisioning/datasources/events.yml';
    expect(parse(readFileSync(file, 'utf8'))).toMatchObject({
      datasources: [
        { jsonData: { host: 'gateway', port: 3902 }, secureJsonData: { password: '$TRIBUTARY_SQL_KEY' } },
      ],
    });
    expect(service('grafana').environment).toMatchObject({
      GF_PLUGINS_PREINSTALL: 'grafana-clickhouse-datasource',
      TRIBUTARY_SQL_KEY: '',
    });
  });
});
