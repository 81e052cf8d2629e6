import { describe, expect, it } from 'vitest';
import { dryRun } from './dry-run.js';
import { flowOf, logEvent, outcomesOf, pipelineOf } from './pipeline.fixture.js';
import type { OperatorJson } from './operators/operator.js';
import { addToStateEntries } from './add-to-state-entries.js';

const data = JSON.stringify({ l: [...Array(60).keys()] });
/** A CEL expression whose evaluation takes more than half of the steps that one event is allowed. */
const costly = 'event.data.l.all(a, event.data.l.all(b, event.data.l.all(c, c >= 0)))';
const emit: OperatorJson = { emit: { stream: 'out' } };
const tooMany = {
  kind: 'fail',
  detail: expect.stringMatching('those before it take too many steps for this event') as string,
};

describe('an event that is expensive for one operator', () => {
  it('passes that operator', () => {
    expect(outcomesOf([{ filter: costly }, emit], data)).toMatchObject([{ kind: 'emit' }]);
  });
});

describe('an event that is too expensive for all operators of a stage together', () => {
  const operators: OperatorJson[] = [{ filter: costly }, { filter: costly }, emit];

  it('fails at the operator that would exceed the budget', () => {
    const at = '/operators/1/filter';
    expect(outcomesOf(operators, data)).toMatchObject([{ ...tooMany, at, pointer: at }]);
  });

  it('fails at that operator in each branch', () => {
    const branch = { branch: [{ when: 'true', operators }] };
    const at = '/operators/0/branch/0/operators/1/filter';
    expect(outcomesOf([branch], data)).toMatchObject([{ ...tooMany, at }]);
  });

  it('fails at that operator in a dry run, too', async () => {
    const result = await dryRun(pipelineOf(...operators), [logEvent(data)], () => Promise.resolve([]));
    expect(result.failed).toMatchObject([{ at: '/operators/1/filter' }]);
  });

  it('can be replayed at that operator as a dead letter', () => {
    const chain = pipelineOf(...operators).entry('/operators/1/filter')!;
    expect(chain.run(flowOf(data), () => null)).toMatchObject([{ kind: 'emit' }]);
  });
});

describe('an event that is too expensive for all its windows together', () => {
  it('is added to none of them', () => {
    const { stages } = pipelineOf(
      { window: { hopping: { size: '3s', every: '1s' }, key: 'event.entity_id', lateness: '0s' } },
      { reduce: { n: { op: 'sum', value: `${costly} ? 1 : 0` } } },
      emit,
    );
    const { operator } = stages[0]!;
    const flow = flowOf(data);
    const there = { names: operator.rowsOf('k', flow.event.timestamp), rowOf: () => undefined };
    const { rows, outcome } = addToStateEntries(operator, there, { key: 'k', flow, watermark: -1 });
    expect(there.names).toHaveLength(3);
    expect(rows).toEqual([]);
    expect(outcome).toMatchObject({ ...tooMany, pointer: '/operators/1/reduce/n/value' });
  });
});
