import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { foldOperations } from '#dataflow';
import { operators } from './index.js';

const page = (name: string) => readFileSync(`docs/${name}.md`, 'utf8');

describe('the documentation', () => {
  it.each(Object.keys(operators))('describes the operator %s', (name) => {
    expect(page('pipeline-operators')).toMatch(new RegExp(`^\\| .*"${name}": `, 'm'));
  });

  it.each(Object.keys(foldOperations))('describes the fold operation %s', (name) => {
    expect(page('projections')).toMatch(new RegExp(`^\\| .*\`${name}\`.*\\|`, 'm'));
  });
});
