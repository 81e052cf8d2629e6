/** The URLs of a Tributary instance and the source of its key. A profile never contains the key itself. */
export interface Profile {
  url: string;
  ingest_url?: string;
  key_file?: string;
  key_command?: string;
  /** Changes require an explicit `--profile`; commands that destroy something also require `--confirm`. */
  protected?: boolean;
}

/** The content of the file with the profiles. */
export interface ProfileFile {
  /** The profile that is used if a command names none. */
  current?: string;
  profiles: Record<string, Profile>;
}
