import type { ApiKeyInput, IssuedApiKey } from '#client';
import type { Options } from '../arguments/options.js';
import type { ParsedArguments } from '../arguments/parse.js';
import { UsageError } from '../errors/cli-error.js';
import { IssuedKeysFile } from '../manifests/issued-keys-file.js';
import type { CommandSession } from '../session/session.js';
import type { Command } from './command.js';

const keyId = { name: 'ID', about: 'id of the key, see `tributary get keys`', completes: 'keys' as const };

const toOption: Options = {
  'keys-to': {
    ...{ value: 'FILE', completes: 'file' },
    about: 'new file for the key, which only you can read; default: standard output',
  },
};

export const keysIssue: Command = {
  name: 'keys issue',
  summary: 'Issues an API key, and shows it once.',
  positionals: [{ name: 'NAME', about: 'purpose of the key' }],
  options: {
    scope: { value: 'SCOPE', multiple: true, about: 'scope, such as events:read' },
    stream: { value: 'STREAM', multiple: true, about: 'stream, or prefix such as web.*; default: all' },
    'expires-at': { value: 'TIME', about: 'time from which the key is refused; default: never' },
    'events-per-second': { value: 'N', least: 1, about: 'events that the key may write in a second' },
    'requests-per-second': { value: 'N', least: 1, about: 'requests that the key may send in a second' },
    ...toOption,
  },
  effect: 'writes',
  async run(session, input) {
    const [events, requests] = [input.whole('events-per-second'), input.whole('requests-per-second')];
    const isLimited = events !== undefined || requests !== undefined;
    const definition: ApiKeyInput = {
      name: input.word('NAME'),
      scopes: requiredScopes(input) as ApiKeyInput['scopes'],
      streams: input.texts('stream'),
      expires_at: input.text('expires-at'),
      ...(isLimited && { rate_limit: { events_per_second: events, requests_per_second: requests } }),
    };
    const client = await session.client();
    await showOnce(session, input, () => client.keys.issue(definition, { signal: session.signal }));
  },
};

function requiredScopes(input: ParsedArguments): string[] {
  const scopes = input.texts('scope');
  if (scopes) return scopes;
  throw new UsageError('--scope SCOPE is missing, such as --scope events:read. It is repeatable.');
}

export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'Gives an API key a new secret, and shows it once. The key keeps its id and its permissions.',
  positionals: [keyId],
  options: {
    overlap: { value: 'SPAN', about: 'how long the current secrets remain valid: 24h; default: not at all' },
    ...toOption,
  },
  details:
    'Without --overlap the current secrets are refused at once, so the command asks for a confirmation.',
  effect: 'destroys',
  async run(session, input) {
    const [id, overlap] = [input.word('ID'), input.text('overlap')];
    const what = `Gives the key ${id} a new secret. Its current secrets are refused at once; --overlap 24h keeps them valid for a day.`;
    if (overlap === undefined || /^0+\D*$/.test(overlap)) await session.requireConfirmed(id, { what });
    const client = await session.client();
    await showOnce(session, input, () => client.keys.rotate(id, { overlap }, { signal: session.signal }));
  },
};

/** Writes an issued key to the file of `--keys-to`, which exists before the key is issued, or to standard output. */
async function showOnce(
  session: CommandSession,
  input: ParsedArguments,
  issue: () => Promise<IssuedApiKey>,
): Promise<void> {
  const name = input.text('keys-to');
  const file = name === undefined ? undefined : await IssuedKeysFile.create(name);
  try {
    const issued = await issue();
    await (file ? file.add(issued) : session.output.one(issued));
    session.report(`The key ${issued.key_id} is shown only now${file ? `: it is in ${name}` : ''}.`);
  } finally {
    await file?.close();
  }
}

export const keysRevoke: Command = {
  name: 'keys revoke',
  summary: 'Revokes an API key: from now on it is refused.',
  positionals: [keyId],
  effect: 'destroys',
  async run(session, input) {
    const id = input.word('ID');
    await session.requireConfirmed(id, { what: `Revokes the key ${id}. This cannot be undone.` });
    await (await session.client()).keys.revoke(id, { signal: session.signal });
    session.report(`revoked key ${id}`);
  },
};
