import type { Key } from '../store/store.ts';

const separator = '|';

/** A key as one text, for queues and maps. Neither part can hold the separator. */
export function addressOf({ bucket, namespace, name }: Key): string {
  return `${bucket}${separator}${namespace}${separator}${name}`;
}

/** The key behind an address. */
export function keyAt(address: string): Key {
  const [bucket = '', namespace = '', name = ''] = address.split(separator);
  return { bucket, namespace, name };
}
