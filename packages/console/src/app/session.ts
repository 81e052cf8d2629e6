import { computed, signal } from '@preact/signals';
import { Tributary, UnreachableError } from '#client';
import type { OpenApiDocument } from '../logic/json-completion.js';

/** What the gateway says of the port that served the page. */
interface GatewayPortSettings {
  /** Whether the port requires a key. */
  keys: boolean;
  /** Whether the console may offer changes on this port. */
  writes: boolean;
  version: string;
}

const storageName = 'tributary.key';

export const settings = signal<GatewayPortSettings | undefined>(undefined);
export const apiKey = signal<string | undefined>(sessionStorage.getItem(storageName) ?? undefined);

/** Why the sign-in page is shown again; undefined at the first visit. */
export const endedBecause = signal<string | undefined>(undefined);

export const client = computed(() => new Tributary({ url: location.origin, apiKey: apiKey.value }));

/** Whether the views may read: a port without keys, or a key. */
export const isOpen = computed(() => settings.value?.keys === false || apiKey.value !== undefined);
export const mayWrite = computed(() => settings.value?.writes === true);
export const target = computed(() => ({ origin: location.origin, keys: settings.value?.keys ?? true }));

export async function loadSettings(signal: AbortSignal): Promise<void> {
  const response = await fetch('/console/settings.json', { signal, cache: 'no-store' }).catch(unreachable);
  if (!response.ok) throw new UnreachableError(`The gateway answered ${response.status}.`);
  settings.value = (await response.json()) as GatewayPortSettings;
}

function unreachable(error: Error): never {
  throw new UnreachableError(`${location.origin} cannot be reached: ${error.message}`);
}

/** Keeps the key in this tab until it is closed. The key is only ever sent in a header. */
export function begin(key: string): void {
  sessionStorage.setItem(storageName, key);
  endedBecause.value = undefined;
  apiKey.value = key;
}

/** Forgets the key and shows the door. */
export function end(because?: string): void {
  sessionStorage.removeItem(storageName);
  endedBecause.value = because;
  apiKey.value = undefined;
}

/** A parsed answer, and its text with every digit. */
export interface ExactAnswer<T> {
  value: T;
  text: string;
}

/** Runs one request of the client and returns the text of its answer, too. */
export async function exact<T>(request: (client: Tributary) => Promise<T>): Promise<ExactAnswer<T>> {
  let text = '';
  const recording = async (url: string, init: RequestInit) => {
    const response = await fetch(url, init);
    text = await response.clone().text();
    return response;
  };
  const client = new Tributary({ url: location.origin, apiKey: apiKey.value, fetch: recording });
  return { value: await request(client), text };
}

/** Loads the OpenAPI document of the port. */
export async function loadOpenApi(signal: AbortSignal): Promise<OpenApiDocument> {
  const headers = apiKey.value === undefined ? undefined : { authorization: `Bearer ${apiKey.value}` };
  const response = await fetch('/openapi.json', { signal, headers }).catch(unreachable);
  if (!response.ok) throw new Error(`GET /openapi.json answers ${response.status}.`);
  return (await response.json()) as OpenApiDocument;
}
