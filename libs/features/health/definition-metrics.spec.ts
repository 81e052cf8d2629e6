import { describe, expect, it } from 'vitest';
import { metricsText } from '#telemetry';
import { givenGateway } from '../../../apps/gateway/src/gateway.fixture.js';
import { earliestExpiry, publishDefinitionMetrics } from './definition-metrics.js';

const at = (day: number) => `2100-01-0${day}T00:00:00Z`;
const shown = async (name: string) =>
  (await metricsText())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
const kind = (all: object[]) => ({ all: () => all }) as never;

describe('metrics of definitions that may need attention', () => {
  it('have the next expiry of the active keys', () => {
    const keys = [{}, { expires_at: at(3) }, { expires_at: at(2) }, { expires_at: at(1), revoked_at: at(1) }];
    expect(earliestExpiry(keys, 0)).toBe(Date.parse(at(2)));
    expect(earliestExpiry(keys, Date.parse(at(2)))).toBe(Date.parse(at(3)));
    expect(earliestExpiry([{}], 0)).toBeUndefined();
  });

  it('have the current states, and none of removed definitions', async () => {
    const projection = { paused: false, failure: null, serving: null };
    publishDefinitionMetrics({
      keys: kind([{ expires_at: at(2) }]),
      projections: kind([
        { name: 'a', ...projection },
        { name: 'b', ...projection, failure: 'no' },
      ]),
      pipelines: kind([
        { name: 'c', paused: false, failure: null },
        { name: 'd', paused: false, failure: 'no' },
      ]),
    });
    expect(await shown('tributary_key_earliest_expiry_timestamp_seconds')).toEqual([
      `tributary_key_earliest_expiry_timestamp_seconds ${Date.parse(at(2)) / 1000}`,
    ]);
    expect(await shown('tributary_projection_state')).toEqual([
      'tributary_projection_state{projection="a",state="building"} 1',
      'tributary_projection_state{projection="b",state="failed"} 1',
    ]);
    expect(await shown('tributary_pipeline_state')).toEqual([
      'tributary_pipeline_state{pipeline="c",state="running"} 1',
      'tributary_pipeline_state{pipeline="d",state="failed"} 1',
    ]);
    publishDefinitionMetrics({ keys: kind([]), projections: kind([]), pipelines: kind([]) });
    expect(await shown('tributary_key_earliest_expiry_timestamp_seconds')).toEqual([]);
    expect(await shown('tributary_projection_state')).toEqual([]);
    expect(await shown('tributary_pipeline_state')).toEqual([]);
  });

  it('have no expiry of keys while the gateway starts: 0 would be an alert', async () => {
    const gateway = await givenGateway();
    expect(await shown('tributary_key_earliest_expiry_timestamp_seconds')).toEqual([]);
    await gateway.close();
  });
});
