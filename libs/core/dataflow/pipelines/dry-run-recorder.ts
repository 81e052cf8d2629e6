import { formatTime } from '#json';
import type { EventFromKafka } from '#event';
import type { OperatorOutcome, PassedOnEvent } from '../flow/pipeline.js';

/** What one operator did with one event in a dry run. */
export interface DryRunStep {
  readonly at: string;
  readonly operator: string;
  readonly outcome: 'passed' | 'dropped' | 'emitted' | 'late' | 'failed' | 'forwarded';
  /** The reason why the event was dropped, is late or failed. */
  readonly reason?: string;
  /** The key with which the event was forwarded to the stage of a window or a dedupe. */
  readonly key?: string;
  /** The event as the operator passed it on. */
  readonly result?: EventFromKafka;
}

/** What each operator of a pipeline would do with the given events, and what the pipeline would write. */
export interface DryRunResult {
  /** Each event that was given to the dry run, with what each operator did with it. */
  readonly events: readonly { readonly event: EventFromKafka; readonly steps: readonly DryRunStep[] }[];
  /** Results of windows that closed in the dry run, with what each later operator did with them. */
  readonly windows: readonly {
    readonly at: string;
    readonly event: EventFromKafka;
    readonly steps: readonly DryRunStep[];
  }[];
  /** Events that the pipeline would write, each with its target: a stream, or the URL of a webhook. */
  readonly emitted: readonly {
    readonly at: string;
    readonly stream?: string;
    readonly webhook?: string;
    readonly event: EventFromKafka;
  }[];
  /** Events that would be too late for their window: written to `stream`, or a dead letter without it. */
  readonly late: readonly { readonly at: string; readonly stream?: string; readonly event: EventFromKafka }[];
  /** Events that would become dead letters; `pointer` is the exact part that fails. */
  readonly failed: readonly {
    readonly at: string;
    readonly pointer: string;
    readonly error: string;
    readonly event: EventFromKafka;
  }[];
  /** True if the dry run's result reached its limit and is incomplete. */
  readonly truncated: boolean;
}

/**
 * Limits of a dry run: given events, steps of all evaluations together (see `StepBudget`), entries in all lists of the
 * result, and characters of their events.
 */
export const dryRunLimits = {
  ...{ events: 100, steps: 800_000 },
  ...{ entries: 10_000, characters: 4 * 1024 * 1024 },
} as const;

type MutableList<T> = T extends readonly (infer Item)[] ? Item[] : never;

/** Collects the entries of a dry run's result, up to `dryRunLimits`; entries beyond them are left out. */
export class DryRunRecorder {
  readonly #events: MutableList<DryRunResult['events']> = [];
  readonly #windows: MutableList<DryRunResult['windows']> = [];
  readonly #emitted: MutableList<DryRunResult['emitted']> = [];
  readonly #late: MutableList<DryRunResult['late']> = [];
  readonly #failed: MutableList<DryRunResult['failed']> = [];
  #entries: number = dryRunLimits.entries;
  #characters: number = dryRunLimits.characters;

  get isFull(): boolean {
    return this.#entries < 0 || this.#characters < 0;
  }

  get result(): DryRunResult {
    return {
      events: this.#events,
      windows: this.#windows,
      emitted: this.#emitted,
      late: this.#late,
      failed: this.#failed,
      truncated: this.isFull,
    };
  }

  /** Adds a given event. Returns the list of its steps, to which the caller adds. */
  event(event: EventFromKafka): DryRunStep[] {
    const steps: DryRunStep[] = [];
    this.#add(this.#events, { event, steps });
    return steps;
  }

  /** Adds the result of a window that closed. Returns the list of its steps, to which the caller adds. */
  window(at: string, event: EventFromKafka): DryRunStep[] {
    const steps: DryRunStep[] = [];
    this.#add(this.#windows, { at, event, steps });
    return steps;
  }

  step(steps: DryRunStep[], step: Omit<DryRunStep, 'operator'>): void {
    const { at, ...rest } = step;
    this.#add(steps, { at, operator: operatorAt(at), ...rest });
  }

  outcome(outcome: OperatorOutcome | PassedOnEvent, steps: DryRunStep[]): void {
    const { at } = outcome;
    const { event } = outcome.flow;
    switch (outcome.kind) {
      case 'pass':
        return this.step(steps, { at, outcome: 'passed', result: event });
      case 'drop':
        return this.step(steps, { at, outcome: 'dropped', reason: outcome.reason });
      case 'forward':
        return this.step(steps, { at, outcome: 'forwarded', key: outcome.key });
      case 'emit':
        this.#add(this.#emitted, { at, stream: outcome.stream, event });
        return this.step(steps, { at, outcome: 'emitted' });
      case 'webhook':
        this.#add(this.#emitted, { at, webhook: outcome.url, event });
        return this.step(steps, { at, outcome: 'emitted' });
      case 'late': {
        const { stream } = outcome;
        this.#add(this.#late, { at, ...(stream === undefined ? {} : { stream }), event });
        return this.step(steps, { at, outcome: 'late', reason: 'The window has closed.' });
      }
      case 'fail': {
        const { pointer, detail } = outcome;
        this.#add(this.#failed, { at, pointer, error: detail, event });
        return this.step(steps, { at, outcome: 'failed', reason: `${pointer}: ${detail}` });
      }
    }
  }

  #add<T extends { event?: EventFromKafka; result?: EventFromKafka }>(list: T[], item: T): void {
    const event = item.event ?? item.result;
    this.#entries -= 1;
    if (event) this.#characters -= event.data.length + event.metadata.length;
    if (!this.isFull) list.push(item);
  }
}

const branchPattern = /\/branch\/\d+$/;

/** Returns the operator's name in a pointer: `map` for `/operators/2/map`, `branch` for `/operators/3/branch/1`. */
function operatorAt(at: string): string {
  return branchPattern.test(at) ? 'branch' : at.slice(at.lastIndexOf('/') + 1);
}

/** Returns the result as JSON text. `data` and `metadata` keep their original text; fields of the log are left out. */
export function dryRunText(result: DryRunResult): string {
  const events = listText(result.events, ({ event, steps }) => ({
    event: eventText(event),
    steps: stepsText(steps),
  }));
  const windows = listText(result.windows, ({ at, event, steps }) => ({
    at: JSON.stringify(at),
    event: eventText(event),
    steps: stepsText(steps),
  }));
  const plain = (items: readonly { readonly event: EventFromKafka }[]) => listText(items, entryTexts);
  return objectText({
    events,
    windows,
    emitted: plain(result.emitted),
    late: plain(result.late),
    failed: plain(result.failed),
    truncated: String(result.truncated),
  });
}

function stepsText(steps: readonly DryRunStep[]): string {
  return listText(steps, ({ result, ...step }) => ({
    ...textsOf(step),
    ...(result ? { result: eventText(result) } : {}),
  }));
}

function entryTexts({ event, ...entry }: { readonly event: EventFromKafka }): Record<string, string> {
  return { ...textsOf(entry), event: eventText(event) };
}

function textsOf(members: object): Record<string, string> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]));
}

function eventText({ event_type, entity_id, timestamp, data, metadata }: EventFromKafka): string {
  const time = JSON.stringify(formatTime(timestamp));
  return objectText({ ...textsOf({ event_type, entity_id }), timestamp: time, data, metadata });
}

function listText<T>(items: readonly T[], textsOfItem: (item: T) => Record<string, string>): string {
  return `[${items.map((item) => objectText(textsOfItem(item))).join(',')}]`;
}

function objectText(texts: Readonly<Record<string, string>>): string {
  const members = Object.entries(texts).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${members.join(',')}}`;
}
