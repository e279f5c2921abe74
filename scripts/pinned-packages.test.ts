import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

test('every Python package that is installed is named with its version and hashes, and they are demanded', () => {
  for (const file of globSync('test/real/*/*.lock', { cwd: root })) {
    const entries = readFileSync(join(root, file), 'utf8').replaceAll('\\\n', '').trim().split('\n');
    for (const entry of entries) assert.match(entry, /^[\w.-]+==\S+( +--hash=sha256:[0-9a-f]{64})+$/, file);
  }
  for (const file of ['Dockerfile', ...globSync('test/real/*/*.sh', { cwd: root })]) {
    const text = readFileSync(join(root, file), 'utf8').replaceAll('\\\n', ' ');
    for (const [line] of text.matchAll(/pip["']? (install|download)[^\n&;]*/g))
      assert.match(line, /--require-hashes/, file);
  }
});

test('the image is built on a base that is named by its digest', () => {
  const lines = readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n');
  const bases = lines.flatMap((line) => /^FROM (\S+)/.exec(line)?.[1] ?? []);
  const stages = new Set(lines.flatMap((line) => / AS (\w+)$/.exec(line)?.[1] ?? []));
  assert.deepEqual(
    bases.filter((base) => !stages.has(base) && !/^\$\{NODE_IMAGE\}$|@sha256:[0-9a-f]{64}$/.test(base)),
    [],
  );
  const check = /^RUN (case "\$NODE_IMAGE" .* esac)$/m.exec(lines.join('\n'))?.[1] ?? '';
  const isTaken = (image: string) =>
    spawnSync('sh', ['-c', check], { env: { PATH: process.env.PATH, NODE_IMAGE: image } }).status === 0;
  assert.ok(isTaken(`node:24-bookworm-slim@sha256:${'a'.repeat(64)}`));
  assert.ok(!isTaken('node:24-bookworm-slim'));
});
