import { randomBytes } from 'node:crypto';

/**
 * Permanent id of one incarnation of a stream: its name, `#`, and ten random characters of `0-9a-z`, such as
 * `orders#0k3v9x2m1q`. A stream that is deleted and created again gets another id. `#` sorts before every character of
 * a name, so ids sort like their names.
 */
export type StreamId = `${string}#${string}`;

const randomCharacters = 10;
const pattern = /^([^#]+)#[0-9a-z]{1,10}$/;

/** Returns a new stream id: the given name of the stream, `#`, and ten random characters. */
export function newStreamId(stream: string): StreamId {
  // Ten characters of base 36 hold less than 52 bits, so 64 random bits are enough.
  const random = randomBytes(8).readBigUInt64BE().toString(36);
  return `${stream}#${random.padStart(randomCharacters, '0').slice(-randomCharacters)}`;
}

/** Returns the name of the stream with this id; a text that is not an id is returned unchanged. */
export function streamNameOf(id: string): string {
  const end = id.lastIndexOf('#');
  return end < 0 ? id : id.slice(0, end);
}

/** Whether the text is the id of an incarnation of the stream with this name. */
export function isStreamIdOf(stream: string, id: string): id is StreamId {
  return pattern.exec(id)?.[1] === stream;
}
