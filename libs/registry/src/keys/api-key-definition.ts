/** The hash and the expiry of one secret of an API key, as stored in the key's definition. */
export interface ApiKeySecretHash {
  /** SHA-256 of the whole key text, in hex. */
  sha256: string;
  /** RFC 3339 time until which the secret is valid beside a newer one; undefined for the newest secret. */
  expires_at?: string;
}

/**
 * The definition of an issued API key, as stored in the definitions topic; it contains hashes of secrets, never the
 * key's text.
 */
export interface ApiKeyDefinition {
  key_id: string;
  name: string;
  /** Secrets of the key, the newest first. */
  secrets: readonly ApiKeySecretHash[];
  scopes: readonly string[];
  /** Stream names, or prefixes that end in `*`; undefined allows all streams. */
  streams?: readonly string[];
  /** Expiry of the whole key, as RFC 3339; absent if it does not expire. */
  expires_at?: string;
  rate_limit?: { events_per_second?: number; requests_per_second?: number };
  created_at: string;
  rotated_at?: string;
  /** RFC 3339 time of revocation. A revoked key is rejected, and its definition remains for the audit. */
  revoked_at?: string;
}
