// Messages from and to ProtoJSON. The library's own conversion takes seconds for the bytes of a large file, in which nobody
// else is served; all else is left to it.
import {
  create,
  fromJson,
  ScalarType,
  toJson,
  type DescField,
  type DescMessage,
  type Message,
} from '@bufbuild/protobuf';
import { TimestampSchema, type Timestamp } from '@bufbuild/protobuf/wkt';
import type { Json } from './wire.js';

/** What is empty, and no member of a oneof, is left out. */
export function protoToJson(type: DescMessage, message: Message): Json {
  const json: Json = {};
  for (const field of type.fields) {
    const value = valueIn(message as unknown as Json, field);
    if (value === undefined || (!field.oneof && field.fieldKind !== 'message' && isEmpty(value))) continue;
    json[field.jsonName] = each(field, value, (one) => oneToJson(field, one));
  }
  return json;
}

/** Members that the type does not have are left out. The values must be of the fields' types. */
export function protoFromJson(type: DescMessage, json: Json): Message {
  const init: Json = {};
  for (const field of type.fields) {
    const said = json[field.jsonName];
    if (said === undefined || said === null) continue;
    const value = each(field, said, (one) => oneFromJson(field, one));
    if (field.oneof) init[field.oneof.localName] = { case: field.localName, value };
    else init[field.localName] = value;
  }
  return create(type, init);
}

function valueIn(message: Json, { oneof, localName }: DescField): unknown {
  if (!oneof) return message[localName];
  const group = message[oneof.localName] as { case?: string; value?: unknown };
  return group.case === localName ? group.value : undefined;
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return !value;
  if (value instanceof Uint8Array || Array.isArray(value)) return value.length === 0;
  return Object.keys(value).length === 0;
}

/** Lists and maps value by value. */
function each({ fieldKind }: DescField, value: unknown, convert: (one: unknown) => unknown): unknown {
  if (fieldKind === 'list') return (value as unknown[]).map(convert);
  if (fieldKind !== 'map') return convert(value);
  return Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, convert(one)]));
}

function oneToJson({ message, enum: names, scalar }: DescField, value: unknown): unknown {
  if (names) return names.value[value as number]?.name ?? value;
  if (!message) return scalar === ScalarType.BYTES ? base64(value as Uint8Array) : value;
  // The library holds a Struct as the JSON that it is.
  if (message.typeName === STRUCT) return value;
  if (message.typeName === TimestampSchema.typeName) return toJson(TimestampSchema, value as Timestamp);
  return protoToJson(message, value as Message);
}

function oneFromJson({ message, enum: names, scalar }: DescField, said: unknown): unknown {
  if (names) return names.values.find(({ name }) => name === said)?.number ?? 0;
  if (!message) return scalar === ScalarType.BYTES ? Buffer.from(said as string, 'base64') : said;
  if (message.typeName === STRUCT) return said;
  if (message.typeName === TimestampSchema.typeName) return fromJson(TimestampSchema, said as string);
  return protoFromJson(message, said as Json);
}

const STRUCT = 'google.protobuf.Struct';

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
