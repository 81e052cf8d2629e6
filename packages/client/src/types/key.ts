export type Scope =
  'events:read' | 'events:write' | 'definitions:read' | 'definitions:write' | 'sql:read' | 'admin';

export interface RateLimit {
  events_per_second?: number;
  requests_per_second?: number;
}

export interface RateLimitInput {
  events_per_second?: number | null;
  requests_per_second?: number | null;
}

export interface KeyInput {
  name: string;
  scopes: Scope[];
  /** The streams that the key is limited to; `orders.*` covers all names with this prefix. Default: all. */
  streams?: string[] | null;
  expires_at?: string | null;
  rate_limit?: RateLimitInput | null;
}

export interface Key {
  key_id: string;
  name: string;
  status: 'active' | 'expired' | 'revoked';
  scopes: Scope[];
  streams: string[] | null;
  rate_limit: RateLimit | null;
  created_at: string;
  expires_at: string | null;
  rotated_at: string | null;
  overlap_until: string | null;
  revoked_at: string | null;
}

export interface IssuedKey extends Key {
  /** The secret. Only this answer contains it. */
  key: string;
}

export interface RotationInput {
  /** The time for which the old secret remains valid, for example `24h`. Default: it ends at once. */
  overlap?: string | null;
}
