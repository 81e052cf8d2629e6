/** A permission of an API key. */
export type ApiKeyScope =
  'events:read' | 'events:write' | 'definitions:read' | 'definitions:write' | 'sql:read' | 'admin';

/** Rate limits of an API key, per gateway or ingest process. */
export interface RateLimit {
  events_per_second?: number;
  requests_per_second?: number;
}

/** Rate limits of a new API key; null or no member means no limit. */
export interface RateLimitInput {
  events_per_second?: number | null;
  requests_per_second?: number | null;
}

/** An API key to issue. */
export interface ApiKeyInput {
  name: string;
  scopes: ApiKeyScope[];
  /** The streams that the key is limited to; `orders.*` covers all names with this prefix. Default: all. */
  streams?: string[] | null;
  expires_at?: string | null;
  rate_limit?: RateLimitInput | null;
}

/** An API key without its secret text. */
export interface ApiKey {
  key_id: string;
  name: string;
  status: 'active' | 'expired' | 'revoked';
  scopes: ApiKeyScope[];
  streams: string[] | null;
  rate_limit: RateLimit | null;
  created_at: string;
  expires_at: string | null;
  rotated_at: string | null;
  overlap_until: string | null;
  revoked_at: string | null;
}

/** An API key that was just issued or rotated, with its secret text. */
export interface IssuedApiKey extends ApiKey {
  /** The secret text of the key, which no later answer contains. */
  key: string;
}

/** How long the old secret remains valid after a rotation. */
export interface ApiKeyRotationInput {
  /** The time for which the old secret remains valid, for example `24h`. Default: it ends at once. */
  overlap?: string | null;
}
