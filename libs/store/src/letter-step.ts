/** Where in a pipeline it was that an event could not go on, and which of the events that were made of one it is. */
export interface LetterStep {
  /** The pipeline's run. */
  readonly run: string;
  /** Pointer of the operator into the definition, such as `/operators/2/map`; empty where none had it yet. */
  readonly operator: string;
  /** Of the source; empty for the result of a window, whose letter has the stream that it was to go to. */
  readonly stream: string;
  /** What tells several events of one origin apart. */
  readonly path: string;
  /** 0, or which replay it failed again in: the letter that was replayed is another one. */
  readonly replay: number;
}

/** The text of a step as it is stored, which is part of the letter's identity; empty without one. */
export function stepText(step: LetterStep | undefined): string {
  if (!step) return '';
  const { run, operator, stream, path, replay } = step;
  return JSON.stringify([run, operator, stream, path, replay]);
}

/** What `stepText` has made. */
export function readStep(text: string): LetterStep | undefined {
  if (text === '') return undefined;
  const [run, operator, stream, path, replay] = JSON.parse(text) as [string, string, string, string, number];
  return { run, operator, stream, path, replay };
}
