import type { ParsedArguments } from '../arguments/parse.js';
import { UsageError } from '../errors/cli-error.js';
import type { ProfileStore, Profile } from '../profiles/profile-store.js';
import { readKey, type ApiKeySources } from './key.js';

/** The URLs to which a command sends requests, and how to get its API key. */
export interface ConnectionSettings {
  /** The profile from which the URL comes; undefined if it comes from another source. */
  profile?: { name: string; spelledOut: boolean; protected: boolean };
  url: string;
  ingestUrl: string;
  /** Reads the key when the first request needs it. */
  key: () => Promise<string | undefined>;
}

interface Given {
  input: ParsedArguments;
  env: Readonly<Record<string, string | undefined>>;
  profiles: ProfileStore;
}

const defaultUrl = 'http://127.0.0.1:3902';
const defaultIngestUrl = 'http://127.0.0.1:3901';

/**
 * Determines the destination of requests. The sources in order: `--url`, `--profile`, TRIBUTARY_URL,
 * TRIBUTARY_PROFILE, the current profile, the ports of this machine. The URL for events comes from the same source:
 * TRIBUTARY_INGEST_URL is used only together with TRIBUTARY_URL. The key of a profile is sent only to the URLs of
 * that profile. @throws UsageError
 */
export async function connectionOf(given: Given): Promise<ConnectionSettings> {
  const { input, env, profiles } = given;
  const [spelled, url, ingest_url] = [input.text('profile'), input.text('url'), input.text('ingest-url')];
  if (url !== undefined && spelled !== undefined)
    throw new UsageError('--url and --profile exclude each other: a profile has a URL.');
  if (url !== undefined) return addressed(given, { url, ingest_url });
  if (spelled === undefined && env.TRIBUTARY_URL)
    return addressed(given, {
      url: env.TRIBUTARY_URL,
      ingest_url: ingest_url ?? (env.TRIBUTARY_INGEST_URL || undefined),
    });
  const name = spelled ?? (env.TRIBUTARY_PROFILE || (await profiles.read()).current);
  if (name === undefined)
    return addressed(given, { url: defaultUrl, ingest_url: ingest_url ?? defaultIngestUrl });
  if (ingest_url !== undefined)
    throw new UsageError(
      `The profile "${name}" has its own URL for events, and its key is sent to no other: leave --ingest-url out, change the profile with \`tributary profile add\`, or give --url too.`,
    );
  const profile = await profiles.get(name);
  const { protected: guarded = false } = profile;
  return {
    ...addressed(given, profile),
    profile: { name, spelledOut: spelled !== undefined, protected: guarded },
  };
}

function addressed({ input, env }: Given, profile: Profile): ConnectionSettings {
  const url = requireUrl(profile.url);
  const ingestUrl = requireUrl(profile.ingest_url ?? url);
  const source = keySource(input, profile) ?? { value: env.TRIBUTARY_KEY };
  return { url, ingestUrl, key: () => readKey(source) };
}

function keySource(input: ParsedArguments, { key_command, key_file }: Profile): ApiKeySources | undefined {
  const [command, file] = [input.text('key-command'), input.text('key-file')];
  if (command ?? file) return { command, file };
  return (key_command ?? key_file) ? { command: key_command, file: key_file } : undefined;
}

/** Validates a URL. @throws UsageError */
export function requireUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`"${text}" is not a URL: a URL begins with http:// or https://.`);
  if (url.username || url.password)
    throw new UsageError('A URL must not contain a user or a password: see --key-file and --key-command.');
  return text;
}

/** Refuses a change if the profile is protected and not named on the command line. @throws UsageError */
export function requireSpelledOut({ profile }: ConnectionSettings): void {
  if (!profile?.protected || profile.spelledOut) return;
  throw new UsageError(
    `The profile "${profile.name}" is protected: a command that changes something must name it, --profile ${profile.name}.`,
  );
}

/** Refuses to destroy something unless its name was given in `--confirm`. @throws UsageError */
export function requireConfirmed(
  what: string,
  confirmed: string | undefined,
  why = 'This cannot be undone. Confirm it',
): void {
  if (confirmed === what) return;
  const said = confirmed === undefined ? '' : ` The value of --confirm is "${confirmed}".`;
  throw new UsageError(`${why}: --confirm ${what}.${said}`);
}

/** Refuses to remove the protection of a profile unless its name was given in `--confirm`. @throws UsageError */
export function requireUnprotection(name: string, confirmed: string | undefined): void {
  requireConfirmed(name, confirmed, `The profile "${name}" is protected. Confirm it`);
}
