import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The members of a service of docker-compose.yml that the specs check. */
interface ComposeService {
  image: string;
  command?: string[];
  environment?: Record<string, string | number>;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  read_only?: boolean;
  stop_grace_period?: string;
}

/** The parsed docker-compose.yml. */
interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

/** Parses docker-compose.yml, merges its anchors, and replaces `${NAME:-default}` by the default. */
export function readComposeFile(): ComposeFile {
  const text = readFileSync('docker-compose.yml', 'utf8');
  return parse(text, (_, value: unknown) => withDefaults(value), { merge: true }) as ComposeFile;
}

function withDefaults(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, (_, byDefault: string) => byDefault);
}
