import { Tributary } from '#client';
import { apiKey } from './session.js';

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
