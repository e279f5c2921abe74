import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { InventoryError } from '../errors.ts';

/** A named AES-256 key. */
export interface CredentialKey {
  /** 16 hexadecimal digits, stored in front of what it sealed. */
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts texts (AES-256-GCM) so that they open only at the place they were sealed for. The first key seals, any opens. */
export class Sealer {
  readonly #sealing: CredentialKey;
  readonly #keys: ReadonlyMap<string, CredentialKey>;

  constructor(keys: readonly [CredentialKey, ...CredentialKey[]]) {
    this.#sealing = keys[0];
    this.#keys = new Map(keys.map((key) => [key.id, key]));
  }

  seal(place: string, text: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#sealing.secret, nonce);
    cipher.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.newestMark}${Buffer.concat([nonce, sealed]).toString('base64url')}`;
  }

  open(place: string, sealed: string): string {
    const [format, id = '', body = ''] = sealed.split('.');
    const key = this.#keys.get(id);
    if (format !== 'v1') throw unreadable(place, 'it has an unknown form');
    if (key === undefined) throw unreadable(place, `it is encrypted with key ${id}, which the key file does not have`);
    const bytes = Buffer.from(body, 'base64url');
    try {
      const decipher = createDecipheriv('aes-256-gcm', key.secret, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
    } catch (cause) {
      throw unreadable(place, 'it was changed or moved, for it does not decrypt', cause);
    }
  }

  /** What texts begin with that the first key sealed. */
  get newestMark(): string {
    return `v1.${this.#sealing.id}.`;
  }
}

function unreadable(where: string, detail: string, cause?: unknown): InventoryError {
  return new InventoryError('unreadable', { where, detail }, cause === undefined ? {} : { cause });
}
