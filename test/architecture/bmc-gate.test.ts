import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { test } from 'node:test';

/** A file of src/, by its path below it. */
interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const source = resolve(import.meta.dirname, '../../src');
const files: readonly SourceFile[] = globSync('**/*.ts', { cwd: source })
  // Tests start servers and play BMC; they are not part of the program.
  .filter((path) => !path.endsWith('.test.ts') && !path.includes('/testing/') && !path.includes('/contract/'))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(resolve(source, path), 'utf8') }));

const networkModules = /^(?:undici|node:(?:http|https|http2|net|tls|dgram)|http|https|http2|net|tls|dgram)(?:\/|$)/;
/** Who may name Redfish paths without speaking Redfish, as long as there is no network: kinds, and what the simulator says of itself. */
const naming = ['api/', 'cli/simulate/'];

/** What a file imports: modules by name, files by their path below src/. */
function importsOf({ path, text }: SourceFile): string[] {
  const found = text.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"`]([^'"`]+)['"`]/g);
  return [...found].map(([, name = '']) =>
    name.startsWith('.') ? posix.normalize(posix.join(posix.dirname(path), name)) : name,
  );
}

function hasNetwork(file: SourceFile): boolean {
  // A method that is called fetch is none of it.
  const asks = /(?:\bawait|\breturn|[=(,?:&|>])\s*fetch\s*\(|globalThis\.fetch|new (?:WebSocket|EventSource)\b/;
  return asks.test(file.text) || importsOf(file).some((name) => networkModules.test(name));
}

const inBmc = ({ path }: SourceFile): boolean => path.startsWith('bmc/');
const inHttp = ({ path }: SourceFile): boolean => path.startsWith('bmc/http/');

/** Every way past the gate that these files hold, in words. */
function findWaysPast(all: readonly SourceFile[]): string[] {
  return all.flatMap((file) => {
    const { path, text } = file;
    const ways: string[] = [];
    if (inBmc(file) && !inHttp(file) && hasNetwork(file)) ways.push(`${path} reaches the network by itself`);
    const takesTransport = importsOf(file).some((name) => name.startsWith('bmc/http/'));
    if (takesTransport && !path.startsWith('bmc/gate/') && !inHttp(file)) ways.push(`${path} imports the transport`);
    if (inBmc(file)) return ways;
    // A folder that is called so is none of it.
    const said = text.replace(/(?:\bfrom|\bimport)\s*\(?\s*'\.[^']*'/g, '');
    const speaksRedfish = /\/redfish\/|x-auth-token/i.test(said);
    const mayName = naming.some((place) => path.startsWith(place)) && !hasNetwork(file);
    if (speaksRedfish && !mayName) ways.push(`${path} speaks Redfish outside of src/bmc`);
    return ways;
  });
}

test('every request to a BMC goes through its gate', () => {
  assert.deepEqual(findWaysPast(files), []);
});

test('the transport is there, and the gate uses it', () => {
  assert.ok(files.some((file) => inHttp(file) && hasNetwork(file)));
  const users = files.filter((file) => importsOf(file).some((name) => name.startsWith('bmc/http/')) && !inHttp(file));
  assert.ok(users.length > 0);
});

const offenders: readonly (readonly [SourceFile, string])[] = [
  [
    { path: 'bmc/update/push.ts', text: "import { request } from 'undici';" },
    'bmc/update/push.ts reaches the network by itself',
  ],
  [
    { path: 'bmc/address.ts', text: "import { isIP } from 'node:net';" },
    'bmc/address.ts reaches the network by itself',
  ],
  [
    { path: 'bmc/gate/gates.ts', text: "const https = await import('node:https');" },
    'bmc/gate/gates.ts reaches the network by itself',
  ],
  [
    { path: 'bmc/events/listen.ts', text: 'const answer = await fetch(url);' },
    'bmc/events/listen.ts reaches the network by itself',
  ],
  [
    { path: 'bmc/index.ts', text: "export { createTransport } from './http/transport.ts';" },
    'bmc/index.ts imports the transport',
  ],
  [
    { path: 'flasher/flash.ts', text: "import { createTransport } from '../bmc/http/transport.ts';" },
    'flasher/flash.ts imports the transport',
  ],
  [
    { path: 'flasher/flash.ts', text: "const path = '/redfish/v1/Systems';" },
    'flasher/flash.ts speaks Redfish outside of src/bmc',
  ],
  [
    { path: 'flasher/flash.ts', text: "headers['X-Auth-Token'] = token;" },
    'flasher/flash.ts speaks Redfish outside of src/bmc',
  ],
  [{ path: 'api/bmc.ts', text: "await fetch(host + '/redfish/v1/')" }, 'api/bmc.ts speaks Redfish outside of src/bmc'],
];

for (const [file, way] of offenders) {
  test(`it would be found that ${way}: ${file.text}`, () => {
    assert.deepEqual(
      findWaysPast([...files, file]).filter((found) => found === way),
      [way],
    );
  });
}
