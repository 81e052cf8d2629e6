import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { appNames, portsOf } from '../app-settings.js';
import { all, readDockerfile } from './dockerfile.js';

const stages = readDockerfile();
const image = stages.at(-1) ?? expect.fail('the Dockerfile has no stage');

describe('the Dockerfile', () => {
  it('begins every stage with one base, pinned by tag and digest', () => {
    for (const { base } of stages) {
      expect(base).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/);
      expect(base).toBe(image.base);
    }
  });

  it('copies only what is there or what a stage before has made', () => {
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

  it('makes an image that is not root by number, and listens to more than itself', () => {
    expect(all(image, 'USER')).toEqual(['1000:1000']);
    expect(all(image, 'ENV').join(' ')).toContain('HOST=0.0.0.0');
    expect(all(image, 'ENV').join(' ')).toContain('NODE_ENV=production');
    expect(all(image, 'RUN')).toEqual([]);
  });

  it('names the ports of the four apps', () => {
    const ports = appNames.flatMap((app) => portsOf(app)).sort();
    expect(all(image, 'EXPOSE').join(' ')).toBe(ports.join(' '));
  });

  it('asks how the app is', () => {
    const [check = ''] = all(image, 'HEALTHCHECK');
    expect(check).toContain('CMD ["node", "deploy/image/health-check.mjs"]');
  });
});
