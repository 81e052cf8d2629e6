/** Where a Tributary is, and where its key is. The key itself is never in it. */
export interface Profile {
  url: string;
  ingest_url?: string;
  key_file?: string;
  key_command?: string;
  /** Changes need `--profile` spelled out; what destroys something needs `--confirm` too. */
  protected?: boolean;
}

/** The file of the profiles. */
export interface ProfileFile {
  /** The profile that is used where none is named. */
  current?: string;
  profiles: Record<string, Profile>;
}
