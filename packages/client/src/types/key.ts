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
  /** Streams that the key is limited to; `orders.*` covers those that begin so. Default: all. */
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
  /** The secret. It is in this answer and nowhere else. */
  key: string;
}

export interface RotationInput {
  /** How long the old secret goes on working, `24h` for example. Default: not at all. */
  overlap?: string | null;
}
