import { randomBytes } from 'node:crypto';

/** Makes ids of the form of UUIDv7: later ones sort after earlier ones, also within one millisecond of one process. */
export function createIds(random: (bytes: number) => Uint8Array = randomBytes): (now: number) => string {
  let lastMs = 0;
  let counter = 0;
  return (now) => {
    if (now > lastMs) {
      lastMs = now;
      counter = 0;
    } else if (++counter > 0xfff) {
      lastMs += 1;
      counter = 0;
    }
    const tail = Buffer.from(random(8));
    tail[0] = ((tail[0] ?? 0) & 0x3f) | 0x80;
    const time = lastMs.toString(16).padStart(12, '0');
    const hex = tail.toString('hex');
    const third = `7${counter.toString(16).padStart(3, '0')}`;
    return `${time.slice(0, 8)}-${time.slice(8)}-${third}-${hex.slice(0, 4)}-${hex.slice(4)}`;
  };
}
