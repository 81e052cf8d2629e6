import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { openApiFile } from './client/openapi-document.js';

interface PackageManifest {
  version: string;
  dependencies?: Record<string, string>;
}

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as PackageManifest;
const { version } = manifestOf('.');
const packages = readdirSync('packages').map((name) => `packages/${name}`);

describe('a release has one version', () => {
  it.each(packages)('in %s, and in what it needs of the others', (folder) => {
    const { version: own, dependencies = {} } = manifestOf(folder);
    const ofOthers = Object.entries(dependencies).filter(([name]) => name.startsWith('@tributary/'));
    expect([own, ...ofOthers.map(([, range]) => range)]).toEqual([own, ...ofOthers].map(() => version));
  });

  it('in the chart, the OpenAPI document, and the changelog', () => {
    const chart = parse(readFileSync('helm/tributary/Chart.yaml', 'utf8')) as Record<string, string>;
    const document = JSON.parse(readFileSync(openApiFile, 'utf8')) as { info: PackageManifest };
    expect([chart.version, chart.appVersion, document.info.version]).toEqual([version, version, version]);
    expect(readFileSync('CHANGELOG.md', 'utf8')).toContain(`\n## [${version}]`);
  });
});
