import type { EpochMicros } from '#json';
import type {
  PipelineEvent,
  KeyedOperator,
  StateEntry,
  KeyedStage,
  OperatorOutcome,
} from '../flow/pipeline.js';
import { flowOf, pipelineOf } from '../pipeline.fixture.js';
import type { OperatorJson } from './operator.js';

export const second = 1_000_000;

/** Returns the stage that begins with these operators. */
export function stageOf(...operators: OperatorJson[]): KeyedStage {
  return pipelineOf(...operators, { emit: { stream: 'out' } }).stages[0] as KeyedStage;
}

/** The state entries of one keyed stage, as a task holds them. */
export class KeyedOperatorTestHarness {
  readonly rows = new Map<string, StateEntry>();
  readonly results: PipelineEvent[] = [];
  readonly outcomes: OperatorOutcome[] = [];
  #events = 0;

  constructor(readonly operator: KeyedOperator) {}

  /** Adds an event with the time `at`, while the watermark is at `watermark`; both in seconds. */
  add(at: number, { key = 'k', watermark = -1e6, data = '{"n":1}' } = {}): this {
    const timestamp = at * second;
    const flow = flowOf(data, { timestamp, offset: this.#events++ });
    for (const name of this.operator.rowsOf(key, timestamp)) {
      const step = this.operator.add(this.rows.get(name), name, { key, flow, watermark: watermark * second });
      if (step.row) this.rows.set(name, throughJson(step.row));
      if (step.outcome) this.outcomes.push(step.outcome);
      this.results.push(...step.results.filter((one) => one !== undefined));
    }
    return this;
  }

  /** Closes all entries that are due at the watermark, and returns their results in the order of a task. */
  close(watermark: EpochMicros): string[] {
    const due = [...this.rows]
      .filter(([, { closesAt }]) => closesAt <= watermark)
      .sort((a, b) => a[1].closesAt - b[1].closesAt || (a[0] < b[0] ? -1 : 1));
    return due.flatMap(([name, row]) => {
      const { row: rest, results } = this.operator.close(row, name, watermark);
      if (rest) this.rows.set(name, throughJson(rest));
      else this.rows.delete(name);
      return results.filter((one) => one !== undefined).map(resultText);
    });
  }
}

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Returns a window result as text such as `[0, 60) k {"n":2}`: start and end in seconds, key, and fields. */
export function resultText({ event }: PipelineEvent): string {
  const { key, window_start, window_end, ...fields } = JSON.parse(event.data) as Record<string, string>;
  const at = (time: string | undefined) => Date.parse(time as string) / 1000;
  return `[${at(window_start)}, ${at(window_end)}) ${key} ${JSON.stringify(fields)}`;
}
