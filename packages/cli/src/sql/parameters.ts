import type { SqlParameters } from '#client';
import { UsageError } from '../errors/cli-error.js';

/** Parses the parameters of a statement: `name=value`. @throws UsageError */
export function parametersOf(texts: readonly string[]): SqlParameters {
  return Object.fromEntries(texts.map(parameterOf));
}

function parameterOf(text: string): readonly [string, string] {
  const [, name, value] = /^(\w{1,128})=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`--param is "${text}", but must be NAME=VALUE.`);
  return [name, value];
}
