import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { helmArgs, kubernetesVersions, render, tool, valuesFile, valuesFiles } from './chart.js';

describe.each(valuesFiles)('the chart with ci/%s.yaml', (name) => {
  it('passes helm lint', async () => {
    const { code, text } = await tool('helm', helmArgs('lint', valuesFile(name)));
    expect(code, text).toBe(0);
  });

  it('has pods that meet the restricted Pod Security Standard', async () => {
    const { code, text } = await tool('pod-security', [], await render(name));
    expect(code, text).toBe(0);
    expect(text).toMatch(/^\d+ pods, 0 rules broken$/m);
  });
});

it('reports a pod that violates the standard', async () => {
  const careless = (await render('minimal')).replaceAll(
    'allowPrivilegeEscalation: false',
    'privileged: true',
  );
  const { code, text } = await tool('pod-security', [], careless);
  expect(code).toBe(1);
  expect(text).toContain('privileged');
});

describe('the manifests of all values files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-manifests-'));
    for (const name of valuesFiles) await writeFile(join(folder, `${name}.yaml`), await render(name));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Validates the files of `path`, or `input` if there is no path. */
  const conform = (version: string, { path = '-', input = '' }) => {
    const args = [
      ...['-strict', '-summary', '-kubernetes-version', version],
      ...[
        '-schema-location',
        join('.tools', 'deploy', 'schemas', version, '{{ .ResourceKind }}{{ .KindSuffix }}.json'),
      ],
      ...[
        '-schema-location',
        '.tools/deploy/schemas/custom/{{ .ResourceKind }}-{{ .Group }}-{{ .ResourceAPIVersion }}.json',
      ],
      path,
    ];
    return tool('kubeconform', args, input);
  };

  it.each(kubernetesVersions)(
    'conform to the schemas of Kubernetes %s and of the operators',
    async (version) => {
      const { code, text } = await conform(version, { path: folder });
      expect(code, text).toBe(0);
      expect(text).toMatch(/Invalid: 0, Errors: 0, Skipped: 0/);
    },
  );

  it.each(['Deployment', 'CronJob', 'ServiceMonitor', 'ScaledObject'])(
    'are rejected if a %s has an unknown field',
    async (kind) => {
      const documents = (await render('full')).split(/^---$/m);
      const one = documents.find((text) => new RegExp(`^kind: ${kind}$`, 'm').test(text)) ?? '';
      const wrong = one.replace(/^spec:$/m, 'spec:\n  speling: wrong');
      const { code, text } = await conform(kubernetesVersions[0] ?? '', { input: wrong });
      expect(code).toBe(1);
      expect(text).toContain('speling');
    },
  );
});
