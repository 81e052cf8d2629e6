/** Converts items to text in one output format. Each method returns the next part of the output. */
export interface OutputFormat {
  open(): string;
  item(item: object): string;
  close(): string;
}

export const formNames = ['table', 'json', 'ndjson', 'yaml', 'csv'] as const;

/** Name of an output format, as in `--output table`. */
export type OutputFormatName = (typeof formNames)[number];
