import { createArtifactCache } from '../artifact-cache.ts';

/** For tests: a process that opens one file of a shared cache, says where it is, and ends. */
const [folder = '', url = '', checksum = ''] = process.argv.slice(2);
const cache = await createArtifactCache({ folder, maxBytes: 10_000_000 });
const { path, release } = await cache.open({ url, checksum, onProgress: () => process.stderr.write('.') });
process.stdout.write(path);
await release();
await cache.close();
