import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { metricsOfEveryApp } from './metrics-of-every-app.js';
import { metricsIn } from './promql.js';

const chart = join('helm', 'tributary');
const filesOf = (folder: string, ending: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
const textOf = (file: string) => readFileSync(file, 'utf8');

interface Rule {
  alert?: string;
  record?: string;
  text: string;
  expr: string;
}

/** Parses the rules of a file in the layout of this repository. promtool checks that Prometheus can read them. */
function rulesOf(file: string): Rule[] {
  const rules = textOf(file)
    .split(/^ {6}- /m)
    .slice(1);
  return rules.map((text) => ({
    alert: /^alert: (\w+)$/m.exec(text)?.[1],
    record: /^record: (\S+)$/m.exec(text)?.[1],
    text,
    expr: /^ {8}expr: (?:\|\n)?([\s\S]*?)(?=^ {8}\w+:|^ {2}- |^\s*$|(?![\s\S]))/m.exec(text)?.[1] ?? '',
  }));
}

interface Panel {
  type: string;
  title: string;
  description?: string;
  targets?: { expr: string }[];
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig?: { defaults: { unit?: string; thresholds?: { steps: object[] } } };
}
interface Dashboard {
  uid: string;
  title: string;
  description: string;
  templating: { list: { name: string; type: string; definition?: string }[] };
  panels: Panel[];
}

const rules = filesOf(join(chart, 'rules'), '.yaml').flatMap(rulesOf);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const dashboards = filesOf(join(chart, 'dashboards'), '.json').map(
  (file) => JSON.parse(textOf(file)) as Dashboard,
);
const panels = dashboards.flatMap(({ title, panels }) =>
  panels.filter(({ type }) => type !== 'row').map((panel) => [`${title} / ${panel.title}`, panel] as const),
);

/** Metrics of other exporters, and of Prometheus itself. */
const foreign = [
  'up',
  'ALERTS',
  'kubelet_volume_stats_available_bytes',
  'kubelet_volume_stats_capacity_bytes',
  'certmanager_certificate_expiration_timestamp_seconds',
  'kube_cronjob_status_last_successful_time',
  'kube_cronjob_created',
  'jvm_memory_used_bytes',
  'jvm_memory_bytes_used',
  'jvm_gc_collection_seconds_sum',
  'kafka_server_replicamanager_underreplicatedpartitions',
  'container_cpu_cfs_throttled_seconds_total',
];
const known = new Set([
  ...foreign,
  ...rules.flatMap(({ record }) => record ?? []),
  ...metricsOfEveryApp.flatMap(({ name, type }) => {
    const parts = type === 'histogram' || type === 'summary' ? ['_bucket', '_sum', '_count'] : [''];
    return parts.map((part) => `${name}${part}`);
  }),
]);
const unknownIn = (query: string) => metricsIn(query).filter((name) => !known.has(name));

describe('each alert', () => {
  const pages = filesOf(join('docs', 'runbooks'), '.md')
    .map((file) => /(\w+)\.md$/.exec(file)?.[1])
    .filter((name) => name !== 'README');
  const tests = filesOf(join(chart, 'rules', 'tests'), '.yaml')
    .map(textOf)
    .join('');

  it('has a runbook page, and each page has an alert', () => {
    expect([...pages].sort()).toEqual([...new Set(alerts.map(({ alert }) => alert))].sort());
  });

  it.each(alerts.map((rule) => [rule.alert, rule.text] as const))(
    '%s has a severity, a summary, a description, a runbook and a test',
    (...row) => {
      const [name, text] = row;
      expect(text).toMatch(/^ {10}severity: (critical|warning|info)$/m);
      for (const annotation of ['summary', 'description'])
        expect(text).toMatch(new RegExp(`^ {10}${annotation}: ".{10,}"$`, 'm'));
      expect(text).toContain(`runbook_url: docs/runbooks/${name}.md`);
      expect(tests).toContain(`- name: ${name}\n`);
    },
  );

  it.each(pages)('%s: its page describes the checks and the actions', (name) => {
    const page = textOf(join('docs', 'runbooks', `${name}.md`));
    expect(page.match(/^#+ .+$/gm)?.filter((line) => !line.startsWith('# '))).toContain('## What to do');
    expect(page.startsWith(`# ${name}\n`)).toBe(true);
    for (const [, queries] of page.matchAll(/^```promql\n([\s\S]*?)^```$/gm))
      for (const query of (queries ?? '').trim().split('\n')) expect(unknownIn(query)).toEqual([]);
  });
});

describe('each query', () => {
  it.each(rules.map((rule) => [rule.alert ?? rule.record, rule.expr] as const))(
    'of %s uses existing metrics',
    (...row) => {
      expect(metricsIn(row[1])).not.toEqual([]);
      expect(unknownIn(row[1])).toEqual([]);
    },
  );

  it.each(panels)('of %s uses existing metrics', (_title, { targets = [] }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr } of targets) expect(unknownIn(expr)).toEqual([]);
  });
});

describe('each panel', () => {
  it.each(panels)('%s has a description, a unit and thresholds', (_title, panel) => {
    const { unit, thresholds } = panel.fieldConfig?.defaults ?? {};
    expect(panel.description?.length).toBeGreaterThan(20);
    expect(unit).toBeTruthy();
    expect(thresholds?.steps.length).toBeGreaterThan(0);
  });

  it.each(dashboards.map((dashboard) => [dashboard.title, dashboard.panels] as const))(
    'of %s does not overlap others',
    (...row) => {
      const cells = row[1].flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
      );
      expect(new Set(cells).size).toBe(cells.length);
      for (const { gridPos } of row[1]) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    },
  );
});

describe('each dashboard', () => {
  it.each(dashboards.map((one) => [one.title, one] as const))(
    '%s is selected by variables',
    (_title, one) => {
      expect(one.templating.list.map(({ name }) => name)).toEqual([
        'datasource',
        'namespace',
        'job',
        'instance',
      ]);
      // The only data sources are the selected one and Grafana's own.
      for (const [, uid] of JSON.stringify(one.panels).matchAll(/"type":"prometheus","uid":"([^"]*)"/g))
        expect(uid).toBe('${datasource}');
      expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
    },
  );
});
