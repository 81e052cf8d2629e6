import { exitCodes } from '../errors/exit-code.js';
import { planOf, type PlanStep } from '../manifests/plan.js';
import { members } from '../output/column.js';
import type { Command } from './command.js';
import { manifestOptions, wantedOf } from './manifest-option.js';

export const diff: Command = {
  name: 'diff',
  summary: 'Shows the differences between definitions and files; exits with 1 if there are any.',
  options: manifestOptions,
  effect: 'reads',
  answersWithCode: true,
  async run(session, input) {
    const wanted = await wantedOf(session, input);
    const client = await session.client();
    const { signal } = session;
    const steps = await planOf(client, wanted, { prune: input.flag('prune'), signal });
    const rows = steps.flatMap(rowsOf);
    await session.output.list(rows, members('action', 'kind', 'name', 'path', 'found', 'wanted'));
    return rows.length > 0 ? exitCodes.differs : exitCodes.done;
  },
};

function rowsOf({ action, resource: { kind }, name, definition, differences }: PlanStep): object[] {
  if (action === 'create') return [{ action, kind, name, path: '', found: null, wanted: definition }];
  if (action === 'delete') return [{ action, kind, name, path: '', found: definition, wanted: null }];
  return differences.map(({ path, found = null, wanted = null }) => ({
    ...{ action, kind, name, path, found, wanted },
  }));
}
