import { expect, it } from 'vitest';
import { healthFindings } from './findings.js';

const findingOf = (check: object) =>
  healthFindings({ status: 'ok', version: '0.1.0', uptime_seconds: 1, checks: { definitions: check } })[0];

it('given a check that passes, doctor says so', () => {
  expect(findingOf({ status: 'ok', unreadable: 0 })).toMatchObject({ verdict: 'ok', detail: 'It is up.' });
});

it('given definitions of a newer version, doctor warns, and advises to update the processes', () => {
  const check = { status: 'degraded', unreadable: 3, failed_projections: 0, failed_pipelines: 1 };
  expect(findingOf(check)).toMatchObject({
    ...{ check: 'definitions', verdict: 'warning' },
    detail: expect.stringContaining('cannot read 3 definitions') as string,
    advice: expect.stringMatching(/^Update all processes/) as string,
  });
});

it('given failed projections and pipelines, doctor warns with their numbers', () => {
  const check = { status: 'degraded', unreadable: 0, failed_projections: 1, failed_pipelines: 2 };
  expect(findingOf(check)).toMatchObject({
    verdict: 'warning',
    detail: 'Failed projections: 1. Failed pipelines: 2.',
  });
});

it('given servers of ClickHouse that are down, doctor names them', () => {
  expect(findingOf({ status: 'degraded', servers_missing: ['ch-1-2', 'ch-2-2'] })).toMatchObject({
    verdict: 'warning',
    detail: 'Servers of ClickHouse are down, or lack rows of the others: ch-1-2, ch-2-2.',
  });
});

it('given a degraded check without counts, doctor warns', () => {
  expect(findingOf({ status: 'degraded' })).toMatchObject({ verdict: 'warning', advice: 'See GET /health.' });
});

it('given a check that fails, doctor tells its error', () => {
  expect(findingOf({ status: 'failing', error: 'no answer' })).toMatchObject({
    ...{ verdict: 'wrong', detail: 'no answer' },
  });
});
