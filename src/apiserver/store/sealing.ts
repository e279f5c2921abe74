import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { StoreError } from './errors.ts';
import type { Key } from './store.ts';

/** A named AES-256 key. */
export interface SealingKey {
  /** 16 hexadecimal digits, stored in front of every value sealed with the key. */
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

const format = 1;
const idBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + idBytes + nonceBytes;

/**
 * Encrypts and decrypts values. The first key writes, any key reads. A sealed value is
 * format (1 byte), key id (8), nonce (12), ciphertext, tag (16), and opens only under the object key it was sealed for.
 */
export class Sealer {
  readonly #writing: SealingKey | undefined;
  readonly #keys: ReadonlyMap<string, SealingKey>;

  constructor(keys: readonly SealingKey[]) {
    this.#writing = keys[0];
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  seal(key: Key, json: string): Uint8Array {
    if (this.#writing === undefined) throw new StoreError('key-missing', `no key to encrypt ${describe(key)} with`);
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#writing.secret, nonce);
    cipher.setAAD(boundTo(key));
    const body = cipher.update(json, 'utf8');
    const end = cipher.final();
    return Buffer.concat([
      Buffer.of(format),
      Buffer.from(this.#writing.id, 'hex'),
      nonce,
      body,
      end,
      cipher.getAuthTag(),
    ]);
  }

  open(key: Key, sealed: Uint8Array): string {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    if (bytes.length < headerBytes + tagBytes || bytes[0] !== format) {
      throw new StoreError('corrupt', `the stored value of ${describe(key)} is not in a known encrypted form`);
    }
    const id = sealedWith(bytes);
    const found = this.#keys.get(id);
    if (found === undefined)
      throw new StoreError('key-missing', `${describe(key)} is encrypted with key ${id}, which is not in the key file`);
    const decipher = createDecipheriv('aes-256-gcm', found.secret, bytes.subarray(1 + idBytes, headerBytes));
    decipher.setAAD(boundTo(key));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    try {
      return decipher.update(bytes.subarray(headerBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
    } catch (cause) {
      throw new StoreError(
        'corrupt',
        `the stored value of ${describe(key)} was changed or moved: it does not decrypt`,
        { cause },
      );
    }
  }
}

/** The id of the key a value was sealed with. */
export function sealedWith(sealed: Uint8Array): string {
  return Buffer.from(sealed.subarray(1, 1 + idBytes)).toString('hex');
}

function boundTo(key: Key): Buffer {
  return Buffer.from(`${key.bucket}\0${key.namespace}\0${key.name}`);
}

function describe(key: Key): string {
  return `${key.bucket} ${key.namespace}/${key.name}`;
}
