import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { allKinds, crdOf, generatedFilesOf, generatedFolders } from './index.ts';

const root = join(import.meta.dirname, '../..');

test('the committed files are those the declarations give', async () => {
  const wanted = generatedFilesOf(allKinds);
  const present = new Map<string, string>();
  for (const folder of generatedFolders) {
    for (const name of await readdir(join(root, folder))) {
      present.set(`${folder}/${name}`, await readFile(join(root, folder, name), 'utf8'));
    }
  }
  assert.deepEqual([...present.keys()].sort(), [...wanted.keys()].sort());
  const differing = [...wanted].filter(([path, text]) => present.get(path) !== text).map(([path]) => path);
  assert.deepEqual(differing, [], 'run `npm run generate`');
});

test('generating twice gives the same text', () => {
  assert.deepEqual([...generatedFilesOf(allKinds)], [...generatedFilesOf([...allKinds])]);
});

test('CRD files read back as the CRDs, also by readers of YAML 1.1', () => {
  const files = generatedFilesOf(allKinds);
  for (const kind of allKinds) {
    const text = files.get(`deploy/crds/${kind.group}_${kind.plural}.yaml`) ?? '';
    for (const version of ['1.1', '1.2'] as const) {
      const [document, ...more] = parseAllDocuments(text, { version });
      assert.equal(more.length, 0);
      assert.deepEqual(document?.toJS(), crdOf(kind));
    }
  }
});

test('a reference page shows fields, limits, rules, columns and the example', () => {
  const page = generatedFilesOf(allKinds).get('docs/reference/kinds/metal3.io_switchportconfiguration.md') ?? '';
  assert.match(page, /\| `spec\.untaggedVLAN` \| integer \| VLAN of untagged frames\. At least 1\. At most 4094\. \|/);
  assert.match(page, /- `spec`: is immutable/);
  assert.match(page, /\| Untagged \| `\.spec\.untaggedVLAN` \|/);
  assert.match(page, /One of `"allow"`, `"deny"`\./);
  assert.match(page, /```yaml\napiVersion: metal3\.io\/v1alpha1\nkind: SwitchPortConfiguration/);
});
