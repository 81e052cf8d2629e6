/** Where in a pipeline an event failed. Part of the identity of its dead letter. */
export interface PipelineFailureLocation {
  /** Id of the pipeline job in which the event failed. */
  readonly run: string;
  /** JSON pointer to the operator, such as `/operators/2/map`; empty if the event failed before the first one. */
  readonly operator: string;
  /** Source stream of the event. Empty for a window result: its dead letter names the target stream instead. */
  readonly stream: string;
  /** Emission index: distinguishes the events that a pipeline has derived from the same source event. */
  readonly path: string;
  /** 0, or the number of the replay in which the event failed again: that is another dead letter. */
  readonly replay: number;
  /** For the result of an `expect`, the id of its stage, on which the ids of emitted events depend. */
  readonly expected?: string;
}

/** Returns the failure location as stored text; empty without one. */
export function formatFailureLocation(step: PipelineFailureLocation | undefined): string {
  if (!step) return '';
  const { run, operator, stream, path, replay, expected } = step;
  return JSON.stringify([run, operator, stream, path, replay, ...(expected === undefined ? [] : [expected])]);
}

/** Parses a stored failure location, as `formatFailureLocation` writes it; undefined for an empty text. */
export function parseFailureLocation(text: string): PipelineFailureLocation | undefined {
  if (text === '') return undefined;
  type Members = [string, string, string, string, number, string?];
  const [run, operator, stream, path, replay, expected] = JSON.parse(text) as Members;
  return { run, operator, stream, path, replay, ...(expected !== undefined && { expected }) };
}
