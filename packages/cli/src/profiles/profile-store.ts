import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../errors/cli-error.js';

/**
 * A named connection of the command line: base URL of the API, optionally another URL for writing events, the file or
 * shell command that yields the API key, and whether changes are protected. A profile never contains the key itself.
 */
export interface Profile {
  url: string;
  ingest_url?: string;
  key_file?: string;
  key_command?: string;
  /** Changes require an explicit `--profile`; commands that destroy something also require `--confirm`. */
  protected?: boolean;
}

/** The content of the file with all profiles of the user. */
interface ProfileFile {
  /** The profile that is used if a command names none. */
  current?: string;
  profiles: Record<string, Profile>;
}

/** Validates the name of a profile. @throws UsageError */
export function requireProfileName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name)) return name;
  throw new UsageError(
    `"${name}" is not a name for a profile: use letters, digits, ".", "_" and "-", at most 64.`,
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The profiles of this user, in a file that only the user can read. */
export class ProfileStore {
  readonly file: string;

  constructor(env: Environment) {
    const folder = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
    this.file = env.TRIBUTARY_CONFIG || join(folder, 'tributary', 'profiles.json');
  }

  /** Reads the file. @throws UsageError if the file cannot be read or is not valid */
  async read(): Promise<ProfileFile> {
    const text = await readFile(this.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{"profiles":{}}';
      throw new UsageError(`${this.file} cannot be read: ${error.message}`);
    });
    try {
      return checked(JSON.parse(text));
    } catch (error) {
      throw new UsageError(`${this.file} is not a file of profiles: ${(error as Error).message}`);
    }
  }

  /**
   * Returns a profile. A relative `key_file`, which somebody wrote into the file, is relative to the file's folder.
   * @throws UsageError if there is no profile with this name
   */
  async get(name: string): Promise<Profile> {
    const { profiles } = await this.read();
    if (Object.hasOwn(profiles, name)) return this.withAbsolutePath(profiles[name]!);
    throw new UsageError(
      `There is no profile "${name}". \`tributary profile list\` shows those that are there.`,
    );
  }

  private withAbsolutePath({ key_file, ...profile }: Profile): Profile {
    return { ...profile, ...(key_file !== undefined && { key_file: resolve(dirname(this.file), key_file) }) };
  }

  /** Replaces the file atomically: another process reads the old or the new content. */
  async write(file: ProfileFile): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    const draft = `${this.file}.${process.pid}`;
    await writeFile(draft, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, this.file);
  }
}

function checked(value: unknown): ProfileFile {
  const { current, profiles } = value as Partial<ProfileFile>;
  if (typeof profiles !== 'object' || profiles === null) throw new Error('"profiles" is missing.');
  for (const [name, profile] of Object.entries(profiles))
    if (typeof profile?.url !== 'string') throw new Error(`The profile "${name}" has no "url".`);
  return { ...(current !== undefined && { current }), profiles };
}
