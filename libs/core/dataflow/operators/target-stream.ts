import { limits, streamNamePattern, streamNameRule } from '#event';
import { type DefinitionMemberReader, definitionError } from '../definition/members.js';

/** Reads the member `stream`: the name of a stream that the pipeline writes to. @throws DefinitionError */
export function targetStream(members: DefinitionMemberReader): string {
  const stream = members.text('stream', limits.streamCharacters);
  if (streamNamePattern.test(stream)) return stream;
  throw definitionError(members.at('stream'), streamNameRule);
}
