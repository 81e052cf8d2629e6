/** Path, body and headers of the most expensive known request to an endpoint. */
export interface WorstCaseRequest {
  name: string;
  path: string;
  body?: string | Buffer;
  headers?: Readonly<Record<string, string>>;
}
