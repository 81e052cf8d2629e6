/** An output format. Each method returns a part of the output. */
export interface OutputFormat {
  open(): string;
  item(item: object): string;
  close(): string;
}

export const formNames = ['table', 'json', 'ndjson', 'yaml', 'csv'] as const;

export type FormName = (typeof formNames)[number];
