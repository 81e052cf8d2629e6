import { LogUnavailableError } from '../../errors.js';
import type { ProducerRecord, RecordPosition } from '../../log.js';

/** Upper limit of the bytes of a record on the wire, without its key, value and headers. */
const recordOverhead = 24;

/** One call of `Producer.append`, with the positions that Kafka has acknowledged so far. */
export class PendingAppend {
  readonly result: Promise<RecordPosition[]>;
  readonly bytes: number;
  /** Size in bytes of each record. */
  readonly sizes: Int32Array;
  /** Partition of each record. */
  readonly partitions: Int32Array;
  settled = false;
  private readonly positions: RecordPosition[];
  private missing: number;
  private resolve!: (positions: RecordPosition[]) => void;
  private reject!: (error: Error) => void;

  constructor(
    readonly records: readonly ProducerRecord[],
    readonly deadline: number,
    /** Whether the records must be in one record batch; see `AppendOptions`. */
    readonly isAtomic = false,
  ) {
    this.sizes = new Int32Array(records.length);
    this.partitions = new Int32Array(records.length);
    this.positions = new Array<RecordPosition>(records.length);
    this.missing = records.length;
    this.bytes = this.measure();
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  /** Sets the position of the record with this index. Resolves the append once all records have one. */
  written(index: number, position: RecordPosition): void {
    this.positions[index] = position;
    this.missing--;
    if (this.missing > 0 || this.settled) return;
    this.settled = true;
    this.resolve(this.positions);
  }

  fail(error: Error): void {
    if (this.settled) return;
    this.settled = true;
    this.reject(error);
  }

  expire(): void {
    this.fail(new LogUnavailableError('the records were not acknowledged in time'));
  }

  private measure(): number {
    let sum = 0;
    let lastHeaders: ProducerRecord['headers'] = undefined;
    let headerBytes = 0;
    for (let i = 0; i < this.records.length; i++) {
      const { key, value, headers } = this.records[i] as ProducerRecord;
      if (headers !== lastHeaders) {
        lastHeaders = headers;
        headerBytes = measureHeaders(headers);
      }
      const valueBytes = value === null ? 0 : Buffer.byteLength(value);
      const size = Buffer.byteLength(key) + valueBytes + headerBytes + recordOverhead;
      this.sizes[i] = size;
      sum += size;
    }
    return sum;
  }
}

function measureHeaders(headers: ProducerRecord['headers']): number {
  let sum = 0;
  for (const [name, value] of Object.entries(headers ?? {})) {
    sum += Buffer.byteLength(name) + Buffer.byteLength(value) + 8;
  }
  return sum;
}
