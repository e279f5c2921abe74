import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { loadOrCreateKeys } from '../../src/apiserver/store/keys.ts';
import { openStore } from '../../src/apiserver/store/open-store.ts';
import type { Key, ObjectStore, Write } from '../../src/apiserver/store/store.ts';
import { hashOf, killBuckets, type Line, sealedBody } from './kill-store-lines.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/** The process that is killed: sixteen writers, a watcher and a reader, until the end comes. */
async function writeUntilKilled(directory: string, seed: number): Promise<void> {
  const random = seededRandom(seed);
  say({ what: 'opening' });
  const store = await openStore({
    directory,
    keys: loadOrCreateKeys(join(directory, 'keys.json')),
    encrypt: (bucket) => bucket === killBuckets[1],
    // Small limits, so that checkpoints, sweeps and reads from disk are always under way when the kill comes.
    checkpointBytes: 1 << (14 + random.below(8)),
    retention: { intervalMs: 20, revisions: 500 + random.below(4000) },
    history: { changes: 100 },
  });
  for (const bucket of killBuckets) {
    store.subscribe(bucket, store.revision(), (changes) => {
      for (const { revision, current } of changes) say({ what: 'watched', revision, hash: hashOf(current.json) });
    });
  }
  await Promise.all(Array.from({ length: 16 }, (_, writer) => write(store, writer, random)));
}

async function write(store: ObjectStore, writer: number, random: SeededRandom): Promise<void> {
  for (let n = 0; ; n++) {
    const next = chooseWrite(store, random, `${writer}-${n}`);
    const result = store.write(next);
    if (!(result instanceof Promise)) continue;
    const { revision, json } = await result;
    const type = next.kind === 'create' ? 'ADDED' : next.kind === 'update' ? 'MODIFIED' : 'DELETED';
    say({ what: 'answered', key: next.key, type, revision, hash: hashOf(json) });
    if (n % 50 === 0) read(store, random);
  }
}

function chooseWrite(store: ObjectStore, random: SeededRandom, label: string): Write {
  const bucket = killBuckets[random.below(2)] ?? killBuckets[0];
  const key: Key = { bucket, namespace: `n${random.below(3)}`, name: `o${random.below(30)}` };
  const body = `${label} ${'ä'.repeat(random.below(2))}${'x'.repeat(random.below(4000))}`;
  const metadata = { name: key.name, namespace: key.namespace, uid: label };
  const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec: sealedBody(body) };
  const head = store.head(key);
  if (head === undefined) return { kind: 'create', key, object };
  return { kind: random.below(8) === 0 ? 'delete' : 'update', key, object, expect: head.revision };
}

function read(store: ObjectStore, random: SeededRandom): void {
  const back = random.below(300);
  const revision = Math.max(store.revision() - back, store.oldestRevision(), 1);
  const page = store.list({ bucket: killBuckets[0], namespace: undefined, revision });
  if (page !== 'expired') say({ what: 'read', revision: page.revision });
  say({ what: 'read', revision: store.revision() });
}

/** Synchronous: the line is in the pipe, out of reach of the kill, before anything else happens. */
function say(line: Line): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let sent = 0; sent < bytes.length; ) {
    try {
      sent += writeSync(1, bytes, sent);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}

await writeUntilKilled(process.argv[2] ?? '', Number(process.argv[3]));
