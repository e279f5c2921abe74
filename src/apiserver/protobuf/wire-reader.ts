/** Why bytes are not the message they should be, in the words of the server that clients know. */
export class ProtobufFault extends Error {
  override readonly name = 'ProtobufFault';
}

const endedEarly = 'unexpected EOF';
const twoTo32 = 2 ** 32;

/** How a value stands on the wire. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** Reads the fields of one message in the order they stand in. */
export class WireReader {
  /** The number of the field that `next` came to. */
  field = 0;
  /** How the value of that field stands on the wire. */
  wireType = 0;
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;
  // The last number read, in halves: JavaScript has no 64-bit integers that are fast.
  #low = 0;
  #high = 0;

  constructor(bytes: Buffer, start = 0, end: number = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Goes to the next field of a message of that name; false at its end. */
  next(message: string): boolean {
    if (this.#at >= this.#end) return false;
    this.#readVarint();
    this.wireType = this.#low & 7;
    this.field = (this.#low >>> 3) | (this.#high << 29);
    if (this.wireType === wireTypes.endGroup) {
      throw new ProtobufFault(`proto: ${message}: wiretype end group for non-group`);
    }
    if (this.field > 0) return true;
    const tag = BigInt(this.#high) * BigInt(twoTo32) + BigInt(this.#low);
    throw new ProtobufFault(`proto: ${message}: illegal tag ${this.field} (wire type ${tag})`);
  }

  /** The 64-bit integer of a field; refuses one that JavaScript would round. */
  int64(name: string): number {
    this.#expect(wireTypes.varint, name);
    return this.packedInt64(name);
  }

  /** The 32-bit integer of a field. */
  int32(name: string): number {
    this.#expect(wireTypes.varint, name);
    return this.packedInt32();
  }

  /** The flag of a field. */
  bool(name: string): boolean {
    this.#expect(wireTypes.varint, name);
    this.#readVarint();
    return (this.#low | this.#high) !== 0;
  }

  /** The floating point number of a field; refuses those that JSON has no way to write. */
  double(name: string): number {
    this.#expect(wireTypes.fixed64, name);
    const start = this.#advance(8);
    const value = this.#bytes.readDoubleLE(start);
    if (!Number.isFinite(value)) throw new ProtobufFault(`json: unsupported value: ${value} in field ${name}`);
    return value + 0; // JSON knows no negative zero
  }

  /** The bytes of a field; they share memory with the body. */
  bytes(name: string): Buffer {
    this.#expect(wireTypes.bytes, name);
    const length = this.#readLength();
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** The text of a field. */
  text(name: string): string {
    return this.bytes(name).toString('utf8');
  }

  /** A reader of the message inside a field. */
  inner(name: string): WireReader {
    this.#expect(wireTypes.bytes, name);
    const length = this.#readLength();
    const start = this.#advance(length);
    return new WireReader(this.#bytes, start, start + length);
  }

  /** True when nothing is left, for lists that are packed into one field. */
  isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** A 64-bit integer without a tag. */
  packedInt64(name: string): number {
    this.#readVarint();
    const value = (this.#high | 0) * twoTo32 + this.#low;
    if (!Number.isSafeInteger(value)) {
      throw new ProtobufFault(`integer in field ${name} is not kept exactly beyond 2^53`);
    }
    return value;
  }

  /** A 32-bit integer without a tag. */
  packedInt32(): number {
    this.#readVarint();
    return this.#low | 0;
  }

  /** Passes over the value of a field that is not known, groups with all that is in them. */
  skip(): void {
    let depth = this.#skipOne(this.wireType);
    while (depth > 0) {
      this.#readVarint();
      depth += this.#skipOne(this.#low & 7);
    }
  }

  /** Passes over one value and tells by how much it nests deeper. */
  #skipOne(wireType: number): number {
    switch (wireType) {
      case wireTypes.varint:
        this.#readVarint();
        return 0;
      case wireTypes.fixed64:
        this.#advance(8);
        return 0;
      case wireTypes.bytes:
        this.#advance(this.#readLength());
        return 0;
      case wireTypes.startGroup:
        return 1;
      case wireTypes.endGroup:
        return -1;
      case wireTypes.fixed32:
        this.#advance(4);
        return 0;
      default:
        throw new ProtobufFault(`proto: illegal wireType ${wireType}`);
    }
  }

  #expect(wireType: number, name: string): void {
    if (this.wireType === wireType) return;
    throw new ProtobufFault(`proto: wrong wireType = ${this.wireType} for field ${name}`);
  }

  #readLength(): number {
    this.#readVarint();
    if (this.#high >= 0x80000000) throw new ProtobufFault('proto: negative length found during unmarshaling');
    return this.#high * twoTo32 + this.#low;
  }

  /** Passes `count` bytes and tells where they begin. */
  #advance(count: number): number {
    const start = this.#at;
    if (count > this.#end - start) throw new ProtobufFault(endedEarly);
    this.#at = start + count;
    return start;
  }

  #readVarint(): void {
    this.#low = 0;
    this.#high = 0;
    for (let shift = 0; shift < 64; shift += 7) {
      if (this.#at >= this.#end) throw new ProtobufFault(endedEarly);
      const byte = this.#bytes[this.#at++] ?? 0;
      const bits = byte & 0x7f;
      if (shift < 32) this.#low = (this.#low | (bits << shift)) >>> 0;
      if (shift >= 28) this.#high = (this.#high | (shift < 32 ? bits >>> (32 - shift) : bits << (shift - 32))) >>> 0;
      if (byte < 0x80) return;
    }
    throw new ProtobufFault('proto: integer overflow');
  }
}
