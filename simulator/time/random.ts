import type { Random } from '../../src/kube/index.ts';

/** Mixes a text into 32 bits; `basis` gives independent hashes of one text. */
function hashText(text: string, basis: number): number {
  let hash = basis ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
  return hash ^ (hash >>> 15);
}

/** A small fast counting generator (sfc32) whose state is four 32-bit words. */
class SmallFastCounter {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(text: string) {
    this.#a = hashText(text, 0x9e3779b9);
    this.#b = hashText(text, 0x243f6a88);
    this.#c = hashText(text, 0xb7e15162);
    for (let round = 0; round < 12; round++) this.next();
  }

  /** The next 32 bits, unsigned. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }
}

const separator = String.fromCharCode(0);

/** A stream of numbers in [0, 1) that depends on the seed and the names only; different names give independent streams. */
export function createRandom(seed: number, ...names: readonly string[]): Random {
  const generator = new SmallFastCounter([String(seed), ...names].join(separator));
  return () => generator.next() / 2 ** 32;
}

/** A stream of unsigned 32-bit words, for payloads and tokens. */
export function createRandomWords(seed: number, ...names: readonly string[]): () => number {
  const generator = new SmallFastCounter([String(seed), ...names].join(separator));
  return () => generator.next();
}

/** A number of hexadecimal digits drawn from a stream. */
export function drawHex(random: Random, digits: number): string {
  let text = '';
  while (text.length < digits)
    text += Math.floor(random() * 0x10000)
      .toString(16)
      .padStart(4, '0');
  return text.slice(0, digits);
}
