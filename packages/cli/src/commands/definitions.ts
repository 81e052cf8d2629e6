import type { Tributary } from '#client';
import { members } from '../output/formats.js';
import { isActive, keyResource, kindPositional, plurals, resourceOf, resources } from '../resources/index.js';
import type { Manifest } from '../resources/resource.js';
import type { CommandSession } from '../session/session.js';
import type { Command } from './command.js';

export const get: Command = {
  name: 'get',
  summary: 'Shows definitions: one, all of a kind, or everything as files for `apply`.',
  positionals: [
    kindPositional([...plurals, 'all']),
    {
      name: 'NAME',
      optional: true,
      completes: 'kind',
      about: 'name; for a schema STREAM/EVENT_TYPE, for a key its id',
    },
  ],
  details:
    '`tributary get all -o yaml` writes files for `tributary apply -f`. Secrets of keys are never shown.',
  effect: 'reads',
  async run(session, input) {
    const [kind, name] = [input.word('KIND'), input.optionalWord('NAME')];
    const client = await session.client();
    const { signal, output } = session;
    if (kind === 'all') return output.list(manifests(client, session), members('kind', 'name', 'stream'));
    const resource = resourceOf(kind);
    if (name === undefined) return output.list(resource.list(client, { signal }), resource.columns);
    await output.one(await resource.get(client, name, { signal }));
  },
};

/** Yields every definition as a manifest, in the order in which they can be created, without those of the system. */
async function* manifests(client: Tributary, { signal }: CommandSession): AsyncGenerator<Manifest> {
  for (const resource of resources)
    for await (const item of resource.list(client, { signal })) {
      const definition = resource.definitionOf(item);
      const isOwn = !resource.nameOf(definition).startsWith('tributary.');
      if (isOwn && (resource !== keyResource || isActive(item))) yield { kind: resource.kind, ...definition };
    }
}

export const remove: Command = {
  name: 'delete',
  summary: 'Deletes a definition: a stream with its events, a projection with its states.',
  positionals: [
    kindPositional(plurals),
    { name: 'NAME', completes: 'kind', about: 'name; for a schema STREAM/EVENT_TYPE, for a key its id' },
  ],
  details:
    'A schema is retired and a key is revoked. On a terminal the command asks for a confirmation; elsewhere the deletion of a stream\nneeds --yes or --confirm NAME. With a protected profile every deletion needs --confirm NAME.',
  effect: 'destroys',
  async run(session, input) {
    const [resource, name] = [resourceOf(input.word('KIND')), input.word('NAME')];
    const what = `Deletes the ${resource.kind} ${name}${resource.kind === 'stream' ? ' with all its events' : ''}. This cannot be undone.`;
    await session.requireConfirmed(name, { what, inPipes: resource.kind === 'stream' });
    const client = await session.client();
    await resource.delete(client, name, { confirm: name, signal: session.signal });
    session.report(`deleted ${resource.kind} ${name}`);
  },
};
