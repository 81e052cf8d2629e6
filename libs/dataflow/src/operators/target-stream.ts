import { limits, streamNamePattern, streamNameRule } from '#event';
import { type Members, refusal } from '../definition/members.js';

/** Reads the member `stream`: the name of a stream that the pipeline writes to. @throws DefinitionError */
export function targetStream(members: Members): string {
  const stream = members.text('stream', limits.streamCharacters);
  if (streamNamePattern.test(stream)) return stream;
  throw refusal(members.at('stream'), streamNameRule);
}
