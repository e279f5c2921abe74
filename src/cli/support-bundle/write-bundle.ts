import { createWriteStream, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-fs';
import { makeDirectory } from '../../kube/index.ts';
import { CliError } from '../errors.ts';
import { packageVersion } from '../version.ts';
import type { Collected, LeftOut } from './collect-bundle.ts';

/** What is in a bundle. */
export interface BundleManifest {
  readonly product: 'rackwright';
  readonly version: string;
  readonly createdAt: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly leftOut: readonly LeftOut[];
}

/** Nothing is written over. */
export function refuseExisting(target: string): void {
  if (existsSync(target)) throw new CliError('bad-data', `${target} exists already; name a new file`);
}

/** Writes a bundle as one new file that only its owner can read. */
export async function writeBundle(
  { files, leftOut }: Collected,
  { target, now }: { readonly target: string; readonly now: Date },
): Promise<BundleManifest> {
  refuseExisting(target);
  const manifest: BundleManifest = {
    product: 'rackwright',
    version: packageVersion(),
    createdAt: now.toISOString(),
    files: [...files].map(([path, text]) => ({ path, bytes: Buffer.byteLength(text) })),
    leftOut,
  };
  makeDirectory(dirname(target));
  // Beside the target, so that the last step is a rename and half a bundle never has its name.
  const draft = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  try {
    const folder = join(draft, 'rackwright-support');
    const all = new Map([...files, ['manifest.json', `${JSON.stringify(manifest, null, 4)}\n`]]);
    for (const [path, text] of all) {
      makeDirectory(dirname(join(folder, path)), { mode: 0o700 });
      writeFileSync(join(folder, path), text, { mode: 0o600 });
    }
    const archive = join(draft, 'archive');
    await pipeline(
      pack(draft, { entries: ['rackwright-support'] }),
      createGzip(),
      createWriteStream(archive, { mode: 0o600 }),
    );
    renameSync(archive, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return manifest;
}
