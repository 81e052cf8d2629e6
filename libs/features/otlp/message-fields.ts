import { WireType } from '@bufbuild/protobuf/wire';

/** The fields of a protobuf message that are read: by number with their wire type, and by their names in JSON. */
export interface MessageFields<F extends string> {
  byNumber: ReadonlyMap<number, { name: F; type: WireType }>;
  byName: ReadonlyMap<string, F>;
}

const { Varint, Bit64, Bit32, LengthDelimited } = WireType;

/*
 * The messages of an OTLP logs request (opentelemetry-proto 1.x, `logs.proto`, `common.proto`, `resource.proto`), with
 * the fields that are read. In JSON a field has its lowerCamelCase name or its original name.
 */
export const requestFields = fields({ resourceLogs: [1, LengthDelimited] });
export const resourceLogsFields = fields({
  resource: [1, LengthDelimited],
  scopeLogs: [2, LengthDelimited],
});
export const resourceFields = fields({ attributes: [1, LengthDelimited] });
export const scopeLogsFields = fields({ scope: [1, LengthDelimited], logRecords: [2, LengthDelimited] });
export const scopeFields = fields({
  name: [1, LengthDelimited],
  version: [2, LengthDelimited],
  attributes: [3, LengthDelimited],
});
export const logRecordFields = fields({
  timeUnixNano: [1, Bit64],
  severityNumber: [2, Varint],
  severityText: [3, LengthDelimited],
  body: [5, LengthDelimited],
  attributes: [6, LengthDelimited],
  flags: [8, Bit32],
  traceId: [9, LengthDelimited],
  spanId: [10, LengthDelimited],
  observedTimeUnixNano: [11, Bit64],
  eventName: [12, LengthDelimited],
});
export const keyValueFields = fields({ key: [1, LengthDelimited], value: [2, LengthDelimited] });
/** A list or map of values: `ArrayValue`, `KeyValueList`. */
export const valuesFields = fields({ values: [1, LengthDelimited] });
/** The fields are a oneof: the last one counts. */
export const anyValueFields = fields({
  stringValue: [1, LengthDelimited],
  boolValue: [2, Varint],
  intValue: [3, Varint],
  doubleValue: [4, Bit64],
  arrayValue: [5, LengthDelimited],
  kvlistValue: [6, LengthDelimited],
  bytesValue: [7, LengthDelimited],
});

/** The names of the enum `SeverityNumber`. */
export const severityNumbers: ReadonlyMap<string, bigint> = new Map([
  ['SEVERITY_NUMBER_UNSPECIFIED', 0n],
  ...['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'].flatMap((name, i) =>
    [1, 2, 3, 4].map((n) => [`SEVERITY_NUMBER_${name}${n === 1 ? '' : n}`, BigInt(4 * i + n)] as const),
  ),
]);

function fields<F extends string>(of: Readonly<Record<F, readonly [number, WireType]>>): MessageFields<F> {
  const all = Object.entries(of) as [F, readonly [number, WireType]][];
  return {
    byNumber: new Map(all.map(([name, [number, type]]) => [number, { name, type }])),
    byName: new Map(
      all.flatMap(([name]) => [
        [name, name],
        [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name],
      ]),
    ),
  };
}
