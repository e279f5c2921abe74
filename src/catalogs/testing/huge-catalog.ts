import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { type DellPackage, dellPackage, hpeIndex, plainCatalog } from './fixtures.ts';

/** For tests: a catalogue that is made while it is read and is never whole anywhere. */
export interface HugeCatalog {
  readonly format: 'dell' | 'hpe' | 'plain';
  /** At least so much, in bytes. */
  readonly bytes: number;
}

const wanted = 10;

/** For tests: serves a huge catalogue; ten of its entries are for `PowerEdge R640` or `DL360 Gen10`. */
export async function serveHugeCatalog(catalog: HugeCatalog): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((_, response) => {
    response.writeHead(200);
    // A reader that has seen enough hangs up, which is no failure.
    pipeline(Readable.from(pieces(catalog), { objectMode: false }), response, () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/catalog.${catalog.format === 'dell' ? 'xml' : 'json'}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function* pieces({ format, bytes }: HugeCatalog): Generator<string> {
  const [head, tail] = ends[format];
  yield head;
  let sent = 0;
  for (let at = 0; sent < bytes || at < wanted; ) {
    const batch: string[] = [];
    for (let more = 0; more < 50; more += 1, at += 1) batch.push(entryOf[format](at, at < wanted));
    const separator = format === 'dell' ? '\n' : ',\n';
    const text = (sent === 0 ? '' : separator) + batch.join(separator);
    sent += text.length;
    yield text;
  }
  yield tail;
}

const ends = {
  dell: ['<?xml version="1.0"?><Manifest version="1">', '</Manifest>'],
  hpe: ['{', '}'],
  plain: ['{"apiVersion": "rackwright.dev/v1", "kind": "FirmwareCatalog", "firmware": [', ']}'],
} as const;

const entryOf: Readonly<Record<HugeCatalog['format'], (at: number, isWanted: boolean) => string>> = {
  dell(at, isWanted) {
    const each: DellPackage = { path: `F/${at}.EXE`, version: `1.${at}.0`, model: isWanted ? 'R640' : `R${at}x` };
    // Vendors write long stories about each release.
    return dellPackage({ ...each, name: `BIOS ${at} ${'and more '.repeat(2000)}` });
  },
  hpe(at, isWanted) {
    const model = isWanted ? 'DL360 Gen10' : `DL${at % 9000} Gen9`;
    const description = `System ROM for ProLiant ${model} ${'and more '.repeat(100)}`;
    return `"f${at}.fwpkg": ${JSON.stringify({ ...hpeIndex['ilo5_299.fwpkg'], description, version: `1.${at}.0` })}`;
  },
  plain(at, isWanted) {
    const models = isWanted ? ['PowerEdge R640'] : Array.from({ length: 20 }, (_, each) => `Model ${at} ${each}`);
    return JSON.stringify({ ...plainCatalog.firmware[0], models, version: `1.${at}.0`, url: `i/${at}` });
  },
};
