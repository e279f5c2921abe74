import { openFolderStore } from '../folder-store.ts';

/** For tests: a process that puts what it is given into a store in a folder, says its SHA-256, and ends. */
const [folder = '', checksum = ''] = process.argv.slice(2);
const store = await openFolderStore({ folder, maxBytes: 10_000_000, publicUrl: 'http://x' });
process.stdout.write((await store.put(process.stdin, { checksum })).sha256);
await store.close();
