/**
 * `node deploy/checks/scrape.mjs`, after `npm run build`: a real Prometheus scrapes the running system while clients
 * send correct and incorrect requests. Then every query of the dashboards and rules runs, and must return series. The
 * script starts Kafka, ClickHouse, the apps and Prometheus on free ports, and stops them at the end.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { freePort } from '../../dist/local/src/index.js';
import { PrivateKafkaAndClickHouse, TestSystem } from '../../dist/testkit/src/index.js';
import { Report } from './report.mjs';
import { debianProgram, root } from './tools.mjs';
import { useAndMisuse } from './use-and-misuse.mjs';

const chart = join(root, 'helm', 'tributary');
const namespace = 'checked';

/** Patterns of queries that return no series here, each with the reason. A query that returns series must not match. */
const nothing = [
  [/\bkubelet_volume_stats_/, 'the metric is from the kubelet'],
  [/\bcertmanager_/, 'the metric is from cert-manager'],
  [/\bkube_cronjob_/, 'the metric is from kube-state-metrics'],
  [/\b(jvm|kafka)_/, 'the metric is from the JMX exporter of Kafka'],
  [/\btributary_tls_certificate_expiry_/, 'Kafka has no TLS here'],
  [
    /^\w+:tributary_projection_state:max\{state="(failed|building)"\}$/,
    'no projection fails or takes long to build here',
  ],
  [/^\w+:tributary_pipeline_state:max\{state="failed"\}$/, 'no pipeline fails here'],
  [/^\w+:tributary_subscription_state:max\{state=~"paused\|failed"\}$/, 'no subscription is paused here'],
  [/\btributary_webhook_/, 'no pipeline has a webhook here'],
];
const reasonForNothing = (query) => nothing.find(([pattern]) => pattern.test(query))?.[1];

const log = (line) => console.log(`# ${Math.round(performance.now() / 1000)} s: ${line}`);
const folder = mkdtempSync(join(tmpdir(), 'tributary-scrape-'));
const report = new Report();
let engines;
let stack;
let prometheus;
try {
  engines = await PrivateKafkaAndClickHouse.start();
  stack = await TestSystem.start({
    brokers: engines.brokers,
    clickhouseUrl: engines.clickhouseUrl,
    clickhousePassword: engines.clickhousePassword,
    processors: 1,
  });
  prometheus = await startPrometheus(stack);
  await useAndMisuse({ stack, engines, log });
  log('running every query');
  await checkMetrics(stack);
  await checkRules();
  await checkPanels();
} catch (error) {
  await report.check('the system can be scraped', () => Promise.reject(error));
  console.log(stack?.logTails() ?? '');
} finally {
  log('stopping all processes');
  prometheus?.child.kill();
  await stack?.stop();
  await engines?.stop();
  rmSync(folder, { recursive: true, force: true });
}
report.end();
// Ends connections of Kafka clients that the incorrect requests may have left open.
process.exit();

async function startPrometheus({ apps }) {
  const port = await freePort();
  const jobs = apps.map(({ name, probeUrl }) => ({
    job_name: `tributary-${name.replace(/-\d+$/, '')}`,
    static_configs: [{ targets: [new URL(probeUrl).host], labels: { namespace } }],
  }));
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['recording.yaml', 'alerts.yaml'].map((name) => join(chart, 'rules', name)),
    scrape_configs: jobs,
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const child = spawn(
    debianProgram('prometheus', 'prometheus'),
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
    if (answer?.ok) return { child, url };
    await sleep(100);
  }
  throw new Error('Prometheus was not ready within 10 s');
}

/** @returns the current series of a query. @throws Error with the message of Prometheus if the query fails */
async function ask(query) {
  const answer = await fetch(`${prometheus.url}/api/v1/query`, {
    method: 'POST',
    body: new URLSearchParams({ query }),
  });
  const { status, error, data } = await answer.json();
  if (status !== 'success') throw new Error(`${error}: ${query}`);
  return Array.isArray(data.result) ? data.result : [data.result];
}

async function mustReturn(query) {
  const reason = reasonForNothing(query);
  let found = await ask(query);
  // Metrics that are read from ClickHouse periodically are missing for a moment after its restart.
  for (let tries = 0; found.length === 0 && reason === undefined && tries < 30; tries++) {
    await sleep(1_000);
    found = await ask(query);
  }
  if (reason === undefined && found.length === 0) throw new Error(`no series is returned by ${query}`);
  if (found.length > 0 && found.every(({ value }) => value[1] === 'NaN')) throw new Error(`NaN: ${query}`);
  if (reason !== undefined && found.length > 0) throw new Error(`no longer an exception: ${query}`);
  return reason;
}

/** Runs `promtool check metrics` on the metrics of each app. */
async function checkMetrics({ apps }) {
  for (const { name, probeUrl } of apps) {
    await report.check(`metrics of ${name}: lint`, async () => {
      const text = await (await fetch(`${probeUrl}/metrics`)).text();
      const promtool = debianProgram('prometheus', 'promtool');
      try {
        execFileSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8', stdio: 'pipe' });
      } catch (error) {
        const found = `${error.stdout}${error.stderr}`
          .split('\n')
          .filter((line) => line.startsWith('tributary_'));
        if (found.length > 0) throw new Error(found.join('; '), { cause: error });
      }
    });
  }
}

/** Checks that each recording rule has series, that each alert can be evaluated, and that its metrics have series. */
async function checkRules() {
  const { data } = await (await fetch(`${prometheus.url}/api/v1/rules`)).json();
  for (const rule of data.groups.flatMap(({ rules }) => rules)) {
    const { name, type, query, health, lastError, alerts = [] } = rule;
    const title = `${type === 'alerting' ? `alert ${rule.labels.severity}` : 'recording'} rule: ${name}`;
    let reason;
    await report.check(title, async () => {
      if (health !== 'ok') throw new Error(`${health}: ${lastError}`);
      if (type === 'recording') reason = await mustReturn(name);
      else for (const selector of selectorsOf(query)) reason = (await mustReturn(selector)) ?? reason;
      for (const { annotations } of alerts) {
        const text = JSON.stringify(annotations);
        if (/<error|<no value>|%!/.test(text)) throw new Error(`its annotations are not valid: ${text}`);
      }
    });
    if (reason) console.log(`#   no series here: ${reason}`);
  }
}

async function checkPanels() {
  for (const file of readdirSync(join(chart, 'dashboards')).filter((name) => name.endsWith('.json'))) {
    const { title, panels, templating } = JSON.parse(readFileSync(join(chart, 'dashboards', file), 'utf8'));
    for (const { title: panel, targets = [] } of panels) {
      for (const { expr, refId } of targets) {
        let reason;
        await report.check(`${title} / ${panel} ${refId}`, async () => {
          reason = await mustReturn(withVariables(expr));
        });
        if (reason) console.log(`#   no series here: ${reason}`);
      }
    }
    for (const { name, type, definition } of templating.list) {
      if (type !== 'query') continue;
      await report.check(`${title} / variable ${name}`, async () => {
        const [, series, label] = /^label_values\((.+), (\w+)\)$/.exec(definition);
        const found = await ask(withVariables(series));
        if (!found.some(({ metric }) => metric[label])) throw new Error(`${label} has no values`);
      });
    }
  }
}

/** Replaces the variables of a query as Grafana does if all values are selected. */
function withVariables(query) {
  return query
    .replaceAll('$__rate_interval', '1m')
    .replaceAll('$namespace', namespace)
    .replace(/\$(job|instance)\b/g, '.+');
}

/**
 * Returns the selectors of a query with their labels. Even an alert that does not fire must have series for each
 * selector.
 */
function selectorsOf(query) {
  const texts = query.match(/\b[a-z][a-zA-Z0-9_:]*_[a-zA-Z0-9_:]+(\{[^}]*\})?/g) ?? [];
  // Names of PromQL functions look like metrics and are left out.
  return [...new Set(texts)].filter(
    (text) => !/_over_time$|^predict_linear$|^label_replace$|^group_left$/.test(text),
  );
}
