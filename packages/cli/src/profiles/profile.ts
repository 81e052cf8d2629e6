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
export interface ProfileFile {
  /** The profile that is used if a command names none. */
  current?: string;
  profiles: Record<string, Profile>;
}
