import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operators } from '#features/pipelines/computation';
import { completionsOf, type OpenApiDocument } from '../../packages/console/src/logic/json-completion.js';

const document = JSON.parse(readFileSync('packages/client/openapi.json', 'utf8')) as OpenApiDocument;
const resources = { streams: ['orders', 'payments'], projections: ['totals'] };

/** Returns the completions of a definition at `|`. */
function labels(text: string, schema = 'PipelineInput'): string[] {
  const at = completionsOf(document, schema, resources);
  const found = at(text.replace('|', ''), text.indexOf('|'));
  return found?.options.map(({ label }) => label) ?? [];
}

describe('the completion of a definition', () => {
  it('has the members of the OpenAPI document, without those that are there', () => {
    expect(labels('{"|')).toEqual(['name', 'source', 'operators', 'from']);
    expect(labels('{"name": "x", "|')).toEqual(['source', 'operators', 'from']);
    expect(labels('{"source": {"|')).toEqual(['idle_after', 'streams', 'event_types', 'where']);
  });

  it('has every operator of the engine, also in a branch', () => {
    expect(labels('{"operators": [{"|').sort()).toEqual(Object.keys(operators).sort());
    expect(labels('{"operators": [{"branch": [{"operators": [{"|').sort()).toEqual(
      Object.keys(operators).sort(),
    );
  });

  it.each([
    ['window', 'tumbling hopping session calendar zone key lateness emit late'],
    ['map', 'data event_type entity_id'],
    ['enrich', 'from key as as_of'],
    ['join', 'with left right within as kind lateness late'],
    ['expect', 'after event key within as lateness late'],
    ['emit', 'stream event_type'],
    ['webhook', 'url secret_ref format'],
    ['dedupe', 'key within'],
    ['flat_map', 'list as'],
  ])('has the members of %s', (operator, members) => {
    expect(labels(`{"operators": [{"${operator}": {"|`)).toEqual(members.split(' '));
  });

  it('has the members inside of operators', () => {
    expect(labels('{"operators": [{"enrich": {"from": {"|')).toEqual(['projection', 'table']);
    expect(labels('{"operators": [{"branch": [{"|')).toEqual(['when', 'operators']);
    expect(labels('{"operators": [{"join": {"with": {"|')).toContain('streams');
    expect(labels('{"operators": [{"reduce": {"n": {"|')).toContain('op');
  });

  it('has values that the document lists, and names of streams and projections', () => {
    expect(labels('{"from": "|')).toEqual(['beginning', 'now']);
    expect(labels('{"fields": {"n": {"op": "|', 'ProjectionInput')).toContain('count_distinct');
    expect(labels('{"source": {"streams": ["orders", "|')).toEqual(['orders', 'payments']);
    expect(labels('{"operators": [{"emit": {"stream": "|')).toEqual(['orders', 'payments']);
    expect(labels('{"operators": [{"enrich": {"from": {"projection": "|')).toEqual(['totals']);
  });
});
