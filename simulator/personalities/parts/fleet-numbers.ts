/** Draws numbers from 0 up to but not including 1. */
export type Random = () => number;

const base36 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** What most vendors print on labels: no I, O or Q, which look like digits. */
export const labelAlphabet = '0123456789ABCDEFGHJKLMNPRSTUVWXYZ';

/** Server indexes that get numbers of their own; past it a MAC address would repeat. */
export const maxFleetSize = 2 ** 20;
/** MAC addresses kept for one server. */
const macsPerServer = 16;

/** A code of `width` characters that no other index has: the index, scattered so that neighbours do not look alike. */
export function codeOf(order: { readonly index: number; readonly width: number; readonly alphabet?: string }): string {
  const alphabet = order.alphabet ?? base36;
  const space = BigInt(alphabet.length) ** BigInt(order.width);
  // Odd and not divisible by 3, 5, 7 or 11: has no factor in common with a power of the alphabets' lengths.
  let rest = (BigInt(order.index) * 2_654_435_761_001n + 918_273_645n) % space;
  let code = '';
  for (let place = 0; place < order.width; place += 1) {
    code = (alphabet[Number(rest % BigInt(alphabet.length))] ?? '') + code;
    rest /= BigInt(alphabet.length);
  }
  return code;
}

/** The MAC address number `port` of a server under a vendor's OUI (`D0:94:66`). */
export function macOf(order: { readonly oui: string; readonly index: number; readonly port: number }): string {
  if (order.index < 0 || order.index >= maxFleetSize || order.port >= macsPerServer) {
    throw new RangeError(
      `No MAC address is left for port ${order.port} of server ${order.index}: a fleet has up to ${maxFleetSize} servers with ${macsPerServer} MAC addresses each`,
    );
  }
  const suffix = (order.index * macsPerServer + order.port).toString(16).padStart(6, '0').toUpperCase();
  return `${order.oui}:${suffix.slice(0, 2)}:${suffix.slice(2, 4)}:${suffix.slice(4)}`;
}

/** A UUID that no other index has; `prefix` is how the vendor's begin, in hexadecimal digits. */
export function uuidOf(order: { readonly index: number; readonly random: Random; readonly prefix?: string }): string {
  const drawn = drawHex(order.random, 24);
  const digits = `${(order.prefix ?? '') + drawn}`.slice(0, 24) + order.index.toString(16).padStart(8, '0');
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}

/** Hexadecimal digits, drawn. */
export function drawHex(random: Random, count: number): string {
  let digits = '';
  for (let place = 0; place < count; place += 1) digits += Math.floor(random() * 16).toString(16);
  return digits;
}

/** One of several, drawn. */
export function pick<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random() * choices.length)] ?? choices[0];
}

/** A small number that depends on nothing but the text: to choose by serial number, without a draw. */
export function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return hash >>> 0;
}
