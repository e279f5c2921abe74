import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Where the messages of the RPC interfaces are declared, and what is generated from them is kept. */
const folder = 'src/api/rpc';

/** What is generated from the `.proto` files, by path. */
export function rpcFilesOf(root: string): Map<string, string> {
  const out = mkdtempSync(join(tmpdir(), 'generate-rpc-'));
  try {
    const bin = join(root, 'node_modules', '.bin');
    const plugin = { local: 'protoc-gen-es', out, opt: ['target=js+dts', 'import_extension=js'] };
    const template = { version: 'v2', inputs: [{ directory: folder }], plugins: [plugin] };
    execFileSync(join(bin, 'buf'), ['generate', '--template', JSON.stringify(template)], {
      cwd: root,
      env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return new Map(readdirSync(out).map((name) => [`${folder}/${name}`, readFileSync(join(out, name), 'utf8')]));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
