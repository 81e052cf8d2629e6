import { BinaryReader } from '@bufbuild/protobuf/wire';
import { doubleText, objectText, type OtlpAttribute } from './log-record.js';
import { messages } from './protobuf-messages.js';
import { mostLevels, tooDeep } from './otlp-request-errors.js';

/**
 * Converts an encoded OTLP AnyValue to JSON text. Bytes become Base64, as in the JSON encoding of OTLP.
 *
 *     AnyValue {
 *       oneof value {
 *         string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
 *         ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7;
 *       }
 *     }
 */
export function protobufValue(bytes: Uint8Array, level: number): string {
  if (level > mostLevels) throw tooDeep();
  const reader = new BinaryReader(bytes);
  let text = 'null';
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) text = JSON.stringify(reader.string(true));
    else if (field === 2) text = String(reader.bool());
    else if (field === 3) text = String(reader.int64());
    else if (field === 4) text = doubleText(reader.double());
    else if (field === 5) text = listText(reader.bytes(), level);
    else if (field === 6) text = objectText(protobufAttributes(messages(reader.bytes(), 1), level + 1));
    else if (field === 7) text = JSON.stringify(Buffer.from(reader.bytes()).toString('base64'));
    else reader.skip(type, field);
  }
  return text;
}

/**
 * Parses OTLP attributes in the protobuf encoding, each a `KeyValue { string key = 1; AnyValue value = 2; }`. Returns
 * their names with their values as JSON text.
 */
export function protobufAttributes(pairs: Iterable<Uint8Array>, level = 0): OtlpAttribute[] {
  return Array.from(pairs, (pair) => attributeOf(pair, level));
}

function attributeOf(pair: Uint8Array, level: number): OtlpAttribute {
  const reader = new BinaryReader(pair);
  let [name, value] = ['', 'null'];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) name = reader.string(true);
    else if (field === 2) value = protobufValue(reader.bytes(), level);
    else reader.skip(type, field);
  }
  return [name, value];
}

function listText(list: Uint8Array, level: number): string {
  return `[${Array.from(messages(list, 1), (value) => protobufValue(value, level + 1)).join(',')}]`;
}
