/** The run cannot go on from where it stands. */
export class LostPlaceError extends Error {
  override readonly name = 'LostPlaceError';
}

/** An internal topic is not there any more, and what was in it with it. */
export function goneTopic(topic: string): LostPlaceError {
  return new LostPlaceError(`Its topic ${topic} is gone, with what was in it. Reset the pipeline.`);
}
