import { randomBytes } from 'node:crypto';

/**
 * Names one incarnation of a stream for ever: its name, `#`, and ten random characters of `0-9a-z`, such as
 * `orders#0k3v9x2m1q`. A stream that is deleted and made again has another id. `#` sorts before every character of a
 * name, so ids sort as their names do.
 */
export type StreamId = `${string}#${string}`;

const randomCharacters = 10;
const pattern = /^([^#]+)#[0-9a-z]{1,10}$/;

/** Returns an id that no stream has had. */
export function newStreamId(stream: string): StreamId {
  // 64 bits are more than ten characters can tell apart.
  const random = randomBytes(8).readBigUInt64BE().toString(36);
  return `${stream}#${random.padStart(randomCharacters, '0').slice(-randomCharacters)}`;
}

/** Returns the name in a stream's id; a text that is no id comes back as it is. */
export function streamName(id: string): string {
  const end = id.lastIndexOf('#');
  return end < 0 ? id : id.slice(0, end);
}

/** Whether the text is the id of an incarnation of the stream. */
export function isIdOf(stream: string, id: string): id is StreamId {
  return pattern.exec(id)?.[1] === stream;
}
