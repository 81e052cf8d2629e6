/** A secret of a key, as it is kept. */
export interface KeySecret {
  /** SHA-256 of the key's whole text, in hex. */
  sha256: string;
  /** RFC 3339; until then it works beside a newer one. Undefined for the newest. */
  expires_at?: string;
}

export interface KeyDefinition {
  key_id: string;
  name: string;
  /** Newest first. */
  secrets: readonly KeySecret[];
  scopes: readonly string[];
  /** Stream names, or prefixes that end in `*`; undefined is no limit. */
  streams?: readonly string[];
  /** RFC 3339. */
  expires_at?: string;
  rate_limit?: { events_per_second?: number; requests_per_second?: number };
  created_at: string;
  rotated_at?: string;
  /** From then on it is refused. The definition stays for the audit's sake. */
  revoked_at?: string;
}
