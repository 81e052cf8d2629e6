import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { appNames, portsOf } from '../app-settings.js';
import { all, readDockerfile } from './dockerfile.js';

const stages = readDockerfile();
const image = stages.at(-1) ?? expect.fail('the Dockerfile has no stage');

describe('the Dockerfile', () => {
  it('starts every stage from the same base image, pinned by tag and digest', () => {
    for (const { base } of stages) {
      expect(base).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/);
      expect(base).toBe(image.base);
    }
  });

  it('copies only existing files and files of earlier stages', () => {
    const before: (string | undefined)[] = [];
    for (const stage of stages) {
      for (const text of all(stage, 'COPY')) {
        const from = /^--from=(\S+)/.exec(text)?.[1];
        if (from) expect(before).toContain(from);
        else
          for (const source of text.split(/\s+/).slice(0, -1)) expect(existsSync(source), source).toBe(true);
      }
      before.push(stage.name);
    }
  });

  it('sets a numeric user other than root, and listens on all interfaces', () => {
    expect(all(image, 'USER')).toEqual(['1000:1000']);
    expect(all(image, 'ENV').join(' ')).toContain('HOST=0.0.0.0');
    expect(all(image, 'ENV').join(' ')).toContain('NODE_ENV=production');
    expect(all(image, 'RUN')).toEqual([]);
  });

  it('exposes the ports of the four apps', () => {
    const ports = appNames.flatMap((app) => portsOf(app)).sort();
    expect(all(image, 'EXPOSE').join(' ')).toBe(ports.join(' '));
  });

  it('has a health check', () => {
    const [check = ''] = all(image, 'HEALTHCHECK');
    expect(check).toContain('CMD ["node", "deploy/image/health-check.mjs"]');
  });
});
