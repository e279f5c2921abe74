import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pieces } from '../contract/store-contract.ts';
import { isStoreError } from '../errors.ts';
import { openFolderStore } from '../folder-store.ts';

/** For tests: a process that puts images into a shared store that is too small for all, reads them, and says what it saw. */
const [folder = '', seed = ''] = process.argv.slice(2);
const store = await openFolderStore({ folder, maxBytes: 500_000, publicUrl: 'http://x', keepUnreferencedMs: 0 });
let saw = 'whole';
for (let round = 0; round < 25; round += 1) {
  // All processes put the same few images, in another order each.
  const which = (round * 7 + seed.charCodeAt(0)) % 9;
  const body = Buffer.alloc(100_000, `image ${which}`);
  const sha256 = createHash('sha256').update(body).digest('hex');
  try {
    await store.put(pieces(body), { checksum: sha256 });
    const read = await buffer((await store.open(sha256)).body);
    if (!read.equals(body)) saw = `half of ${which}`;
    if (round % 5 === 4) await store.collect();
  } catch (error) {
    // It may be thrown away by another process, or that may need all the room at this moment.
    if (!isStoreError(error, 'unknownImage', 'noRoom', 'imageInUse', 'damaged')) throw error;
  }
}
await store.close();
process.stdout.write(saw);
