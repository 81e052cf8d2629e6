import { LocalClickHouseRequestError, code } from './errors.js';
import { elementTypes, parseType, widthOf } from './native-types.js';

/** The first version of ClickHouse's protocol in which a byte before each column says how it is serialized. */
const customSerialization = 54_454;

/** `BlockInfo`: field 1 (is_overflows) is false, field 2 (bucket_num) is -1, and 0 ends the fields. */
const blockInfo = Buffer.from([1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0]);

/**
 * Converts blocks in the format Native to the form that a client of this protocol version expects
 * (`client_protocol_version`): chdb always writes the form of version 0. Each block gets a `BlockInfo`, and each column a
 * byte that says that it is serialized as usual.
 * @param bytes whole blocks
 * @throws LocalClickHouseRequestError for a column whose type is not known here
 */
export function nativeBlocks(bytes: Uint8Array, version: number): Uint8Array {
  if (version <= 0) return bytes;
  const reader = new NativeReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const parts: Uint8Array[] = [];
  while (!reader.atEnd) {
    parts.push(blockInfo);
    let from = reader.position;
    const columns = reader.varint();
    const rows = reader.varint();
    for (let column = 0; column < columns; column++) {
      reader.text();
      const type = reader.text();
      if (version >= customSerialization) {
        parts.push(bytes.subarray(from, reader.position), Buffer.of(0));
        from = reader.position;
      }
      if (rows > 0) reader.column(type, rows);
    }
    parts.push(bytes.subarray(from, reader.position));
  }
  return Buffer.concat(parts);
}

/** Finds the ends of values in blocks in the format Native. */
class NativeReader {
  position = 0;

  constructor(private readonly bytes: Buffer) {}

  get atEnd(): boolean {
    return this.position >= this.bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes.readUInt8(this.position++);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  text(): string {
    const length = this.varint();
    return this.bytes.toString('utf8', this.position, (this.position += length));
  }

  /** Moves behind the data of a column: first the versions of its dictionaries, then its values. */
  column(type: string, rows: number): void {
    this.position += 8 * dictionaries(type);
    this.values(type, rows);
  }

  private values(type: string, rows: number): void {
    const { name, args } = parseType(type);
    const width = widthOf(type);
    if (width !== undefined) this.position += width * rows;
    else if (name === 'String') for (let row = 0; row < rows; row++) this.skip(this.varint());
    else if (name === 'Nullable') this.nullable(args[0] ?? '', rows);
    else if (name === 'LowCardinality') this.dictionary(args[0] ?? '', rows);
    else if (name === 'Tuple') for (const element of elementTypes(type)) this.values(element, rows);
    else if (name === 'Array') this.array(args[0] ?? '', rows);
    else if (name === 'Map' || name === 'Nested') this.array(`Tuple(${args.join(', ')})`, rows);
    else
      throw new LocalClickHouseRequestError(
        code.notImplemented,
        'NOT_IMPLEMENTED',
        `The embedded ClickHouse does not support client_protocol_version with a column of the type ${type}`,
      );
  }

  private skip(bytes: number): void {
    this.position += bytes;
  }

  private nullable(type: string, rows: number): void {
    this.position += rows;
    this.values(type, rows);
  }

  private array(type: string, rows: number): void {
    if (rows === 0) return;
    this.position += 8 * rows;
    this.values(type, Number(this.bytes.readBigUInt64LE(this.position - 8)));
  }

  /** A dictionary: flags with the width of an index, the distinct values, and an index for each row. */
  private dictionary(type: string, rows: number): void {
    if (rows === 0) return;
    const width = 1 << this.bytes.readUInt8(this.position);
    const keys = Number(this.bytes.readBigUInt64LE(this.position + 8));
    this.position += 16;
    this.values(type.replace(/^Nullable\((.*)\)$/s, '$1'), keys);
    this.position += 8 + width * rows;
  }
}

function dictionaries(type: string): number {
  const { name, args } = parseType(type);
  if (name === 'LowCardinality') return 1;
  const parts = name === 'Tuple' || name === 'Map' || name === 'Nested' ? elementTypes(type) : args;
  const composite = ['Nullable', 'Array', 'Tuple', 'Map', 'Nested'].includes(name);
  return composite ? parts.reduce((sum, part) => sum + dictionaries(part), 0) : 0;
}
