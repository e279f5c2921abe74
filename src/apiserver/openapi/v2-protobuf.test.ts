import assert from 'node:assert/strict';
import { test } from 'node:test';
import { field } from '../protobuf/wire-writer.ts';
import { openApiV2Protobuf } from './v2-protobuf.ts';

const info = { title: 'a', version: 'b' };

test('a definition says its type, its fields and its extensions in protobuf', () => {
  const kind = [{ group: '', version: 'v1', kind: 'Thing' }];
  const schema = { type: 'object', properties: { size: { type: 'integer' } }, 'x-kubernetes-group-version-kind': kind };
  const bytes = openApiV2Protobuf({ info, definitions: { Thing: schema } });
  const size = field(1, field(1, 'size'), field(2, field(22, field(1, 'integer'))));
  const names = 'x-kubernetes-group-version-kind';
  const extension = field(31, field(1, names), field(2, field(2, '- group: ""\n  version: v1\n  kind: Thing\n')));
  const thing = field(22, field(1, 'object'));
  const definition = field(1, field(1, 'Thing'), field(2, thing, field(25, size), extension));
  const head = [field(1, '2.0'), field(2, field(1, 'a'), field(2, 'b')), field(8)];
  assert.deepEqual(bytes, Buffer.concat([...head, field(9, definition)]));
});

test('maps, lists and references keep what is inside them', () => {
  const text = { type: 'string' };
  const bytes = openApiV2Protobuf({
    info,
    definitions: {
      M: { type: 'object', additionalProperties: text },
      L: { type: 'array', items: { $ref: '#/definitions/M' } },
      O: { type: 'object', additionalProperties: true, required: ['a'] },
    },
  });
  const inner = field(22, field(1, 'string'));
  assert.ok(bytes.includes(field(21, field(1, inner))));
  assert.ok(bytes.includes(field(23, field(1, field(1, '#/definitions/M')))));
  assert.ok(bytes.includes(Buffer.concat([field(19, 'a'), Buffer.from([0xaa, 0x01, 0x02, 0x10, 0x01])])));
});
