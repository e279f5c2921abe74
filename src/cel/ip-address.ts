import { CelOpaque } from './values.ts';

/** An IP address. */
export class CelIp extends CelOpaque {
  override readonly typeName = 'net.IP';
  readonly family: 4 | 6;
  readonly bits: bigint;

  constructor(family: 4 | 6, bits: bigint) {
    super();
    this.family = family;
    this.bits = bits;
  }

  override get size(): number {
    return this.family === 4 ? 4 : 16;
  }

  override equals(other: CelOpaque): boolean {
    return other instanceof CelIp && other.family === this.family && other.bits === this.bits;
  }

  override toString(): string {
    return this.family === 4 ? bytesOf(this.bits, 4).join('.') : formatIpv6(this.bits);
  }

  /** True when the first bits of the address are those of the given one. */
  startsWith(prefix: bigint, length: number): boolean {
    const rest = BigInt((this.family === 4 ? 32 : 128) - length);
    return this.bits >> rest === prefix;
  }
}

/** A network: an address, not necessarily its first, and how many bits of it name the network. */
export class CelCidr extends CelOpaque {
  override readonly typeName = 'net.CIDR';
  readonly ip: CelIp;
  readonly length: number;

  constructor(ip: CelIp, length: number) {
    super();
    this.ip = ip;
    this.length = length;
  }

  override get size(): number {
    return Math.ceil(this.length / 8);
  }

  override equals(other: CelOpaque): boolean {
    return other instanceof CelCidr && other.length === this.length && other.ip.equals(this.ip);
  }

  override toString(): string {
    return `${this.ip}/${this.length}`;
  }

  contains(ip: CelIp): boolean {
    return ip.family === this.ip.family && this.#network(ip) === this.#network(this.ip);
  }

  masked(): CelCidr {
    return new CelCidr(new CelIp(this.ip.family, this.#network(this.ip) << this.#hostBits()), this.length);
  }

  #hostBits(): bigint {
    return BigInt((this.ip.family === 4 ? 32 : 128) - this.length);
  }

  #network(ip: CelIp): bigint {
    return ip.bits >> this.#hostBits();
  }
}

function bytesOf(bits: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, i) => Number((bits >> BigInt((count - 1 - i) * 8)) & 0xffn));
}

/** RFC 5952: the longest run of zero fields, of two or more, is written as `::`. */
function formatIpv6(bits: bigint): string {
  const fields = Array.from({ length: 8 }, (_, i) => Number((bits >> BigInt((7 - i) * 16)) & 0xffffn));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && fields[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = fields.map((field) => field.toString(16));
  if (best.start < 0) return hex.join(':');
  return `${hex.slice(0, best.start).join(':')}::${hex.slice(best.start + best.length).join(':')}`;
}

/** What is wrong with an address, in Go's words. */
export class AddressError extends Error {}

function bad(input: string, problem: string, at?: string): AddressError {
  const place = at === undefined || at === '' ? '' : ` (at ${JSON.stringify(at)})`;
  return new AddressError(`ParseAddr(${JSON.stringify(input)}): ${problem}${place}`);
}

/** Reads an address; the zone of an IPv6 address, if it has one, is handed back beside it. */
export function parseAddress(text: string): { ip: CelIp; zone: string } {
  for (const c of text) {
    if (c === '.') return { ip: new CelIp(4, parseIpv4(text, text)), zone: '' };
    if (c === ':') return parseIpv6(text);
    if (c === '%') throw bad(text, 'missing IPv6 address');
  }
  throw bad(text, 'unable to parse IP');
}

function parseIpv4(input: string, text: string): bigint {
  const fields: number[] = [];
  let digits = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (c >= '0' && c <= '9') {
      if (digits === '0') throw bad(input, 'IPv4 field has octet with leading zero');
      digits += c;
      if (Number(digits) > 255) throw bad(input, 'IPv4 field has value >255');
    } else if (c === '.') {
      const isEmpty = i === 0 || i === text.length - 1 || text[i - 1] === '.';
      if (isEmpty) throw bad(input, 'IPv4 field must have at least one digit', text.slice(i));
      if (fields.length === 3) throw bad(input, 'IPv4 address too long');
      fields.push(Number(digits));
      digits = '';
    } else {
      throw bad(input, 'unexpected character', text.slice(i));
    }
  }
  if (fields.length < 3) throw bad(input, 'IPv4 address too short');
  return [...fields, Number(digits)].reduce((bits, field) => (bits << 8n) | BigInt(field), 0n);
}

function parseIpv6(input: string): { ip: CelIp; zone: string } {
  const percent = input.indexOf('%');
  const zone = percent < 0 ? '' : input.slice(percent + 1);
  if (percent >= 0 && zone === '') throw bad(input, 'zone must be a non-empty string');
  const reader = new Ipv6Reader(input, percent < 0 ? input : input.slice(0, percent));
  return { ip: new CelIp(6, reader.read()), zone };
}

/** Reads the fields of an IPv6 address from left to right; `ellipsis` is where `::` stood. */
class Ipv6Reader {
  readonly #input: string;
  #rest: string;
  #fields: bigint[] = [];
  #ellipsis = -1;

  constructor(input: string, text: string) {
    this.#input = input;
    this.#rest = text;
  }

  read(): bigint {
    if (this.#rest.startsWith('::')) {
      this.#ellipsis = 0;
      this.#rest = this.#rest.slice(2);
    }
    if (this.#rest !== '' || this.#ellipsis < 0) this.#readFields();
    if (this.#rest !== '') throw bad(this.#input, 'trailing garbage after address', this.#rest);
    return this.#expanded().reduce((bits, field) => (bits << 16n) | field, 0n);
  }

  #readFields(): void {
    while (this.#fields.length < 8) {
      const digits = this.#digits();
      if (this.#rest[digits.length] === '.') {
        this.#embeddedIpv4();
        return;
      }
      this.#fields.push(BigInt(`0x${digits}`));
      this.#rest = this.#rest.slice(digits.length);
      if (this.#rest === '' || !this.#separator()) return;
    }
  }

  #digits(): string {
    const digits = /^[0-9a-fA-F]*/.exec(this.#rest)?.[0] ?? '';
    if (digits.length > 4) throw bad(this.#input, 'each group must have 4 or less digits', this.#rest);
    if (digits === '') throw bad(this.#input, 'each colon-separated field must have at least one digit', this.#rest);
    return digits;
  }

  /** Takes the colon, and the second one of `::`; false when the address ends there. */
  #separator(): boolean {
    if (this.#rest[0] !== ':') throw bad(this.#input, 'unexpected character, want colon', this.#rest);
    if (this.#rest.length === 1) throw bad(this.#input, 'colon must be followed by more characters', this.#rest);
    this.#rest = this.#rest.slice(1);
    if (this.#rest[0] !== ':') return true;
    if (this.#ellipsis >= 0) throw bad(this.#input, 'multiple :: in address', this.#rest);
    this.#ellipsis = this.#fields.length;
    this.#rest = this.#rest.slice(1);
    return this.#rest !== '';
  }

  #embeddedIpv4(): void {
    if (this.#ellipsis < 0 && this.#fields.length !== 6) {
      throw bad(this.#input, 'embedded IPv4 address must replace the final 2 fields of the address', this.#rest);
    }
    if (this.#fields.length > 6) {
      throw bad(this.#input, 'too many hex fields to fit an embedded IPv4 at the end of the address', this.#rest);
    }
    const bits = parseIpv4(this.#input, this.#rest);
    this.#fields.push(bits >> 16n, bits & 0xffffn);
    this.#rest = '';
  }

  #expanded(): bigint[] {
    const missing = 8 - this.#fields.length;
    if (this.#ellipsis < 0) {
      if (missing > 0) throw bad(this.#input, 'address string too short');
      return this.#fields;
    }
    if (missing === 0) throw bad(this.#input, 'the :: must expand to at least one field of zeros');
    return this.#fields.toSpliced(this.#ellipsis, 0, ...new Array<bigint>(missing).fill(0n));
  }
}

/** Reads an address with a prefix length. */
export function parsePrefix(text: string): CelCidr {
  const fail = (problem: string): AddressError =>
    new AddressError(`netip.ParsePrefix(${JSON.stringify(text)}): ${problem}`);
  const slash = text.lastIndexOf('/');
  if (slash < 0) throw fail("no '/'");
  const { ip, zone } = addressOfPrefix(text.slice(0, slash), fail);
  if (zone !== '') throw fail('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d*)$/.test(bits)) throw fail(`bad bits after slash: ${JSON.stringify(bits)}`);
  const length = Number(bits);
  if (length > (ip.family === 4 ? 32 : 128)) throw fail('prefix length out of range');
  return new CelCidr(ip, length);
}

function addressOfPrefix(text: string, fail: (problem: string) => AddressError): { ip: CelIp; zone: string } {
  try {
    return parseAddress(text);
  } catch (error) {
    if (error instanceof AddressError) throw fail(error.message);
    throw error;
  }
}
