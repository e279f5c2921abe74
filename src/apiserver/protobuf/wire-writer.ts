/** A number as protobuf writes one; negative ones take ten bytes. */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

/** A field that holds a number. */
export function numberField(field: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

/** A field that holds a text, or a message made of the given fields. */
export function field(number: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  return Buffer.concat([varint(number * 8 + 2), varint(body.length), body]);
}

/** For tests: a whole body. */
export function envelope(apiVersion: string, kind: string, ...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('k8s\0'), field(1, field(1, apiVersion), field(2, kind)), field(2, ...parts)]);
}

/** For tests: the metadata of an object with that name. */
export function named(name: string): Buffer {
  return field(1, field(1, name));
}
