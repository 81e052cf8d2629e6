import { compileEmit } from './emit.js';
import { compileEnrich } from './enrich.js';
import { compileFilter } from './filter.js';
import { compileFlatMap } from './flat-map.js';
import { compileMap } from './map.js';
import type { Operator } from './operator.js';
import { compileWebhook, type Webhook } from './webhook.js';

/** A stateless operator, compiled, and what a pipeline has to know of it. */
export interface StatelessOperator {
  readonly operator: Operator;
  /** The stream that it writes to. */
  readonly stream?: string | undefined;
  readonly webhook?: Webhook;
  /** The projection that it asks. */
  readonly projection?: string | undefined;
}

/** Each by the name that definitions give it, with how it is compiled: of what was given, and its pointer. */
export const statelessOperators: Readonly<Record<string, (spec: unknown, at: string) => StatelessOperator>> =
  {
    filter: (spec, at) => ({ operator: compileFilter(spec, at) }),
    map: (spec, at) => ({ operator: compileMap(spec, at) }),
    flat_map: (spec, at) => ({ operator: compileFlatMap(spec, at) }),
    enrich: compileEnrich,
    emit: compileEmit,
    webhook: compileWebhook,
  };

/** Those that the compiler of lists knows of: they end a stage, or have operators of their own. */
export const structuralOperators = ['dedupe', 'window', 'reduce', 'branch'] as const;

export const operatorNames: readonly string[] = [...Object.keys(statelessOperators), ...structuralOperators];
