import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { fc } from '#fast-check';
import type { AnswerHeaders } from './exchange.ts';
import { readErrorNotes, secretsIn, withoutSecrets } from './extended-info.ts';
import { readAnswer } from './read-answer.ts';

const bounds = { maxAnswerBytes: 1_000_000, maxDepth: 64 };
const read = (body: string | Buffer, headers: AnswerHeaders = {}) =>
  readAnswer({ status: 200, headers, bytes: Buffer.from(body) }, bounds);

test('JSON is read whatever its content type says', () => {
  for (const type of ['application/json', 'text/html', 'application/octet-stream', undefined]) {
    assert.deepEqual(read('{"a":1}', { 'content-type': type }).body, { a: 1 });
  }
});

test('no body, blanks alone and a byte order mark are no trouble', () => {
  assert.deepEqual(read('').body, {});
  assert.deepEqual(read(' \r\n').body, {});
  assert.deepEqual(read('\uFEFF{"a":1}').body, { a: 1 });
});

test('a cut or broken body says so', () => {
  assert.deepEqual(read('{"a":1'), { problem: 'malformed or truncated JSON', looksCut: true });
  assert.deepEqual(read('{"a":}'), { problem: 'malformed or truncated JSON', looksCut: true });
  assert.deepEqual(read('<html>'), { problem: 'a body that is not JSON', looksCut: false });
  for (const text of ['[]', 'null', '1', '"text"']) assert.equal(read(text).problem, 'JSON that is not an object');
});

test('nesting is bounded (security.md: bmc-answers)', () => {
  const nest = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  assert.notEqual(read(nest(64)).body, undefined);
  assert.equal(read(nest(65)).problem, 'JSON nested over 64 deep');
  assert.equal(read(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`).problem, 'JSON nested over 64 deep');
});

test('a compressed body is unpacked, within bounds', () => {
  assert.deepEqual(read(gzipSync('{"a":1}'), { 'content-encoding': 'gzip' }).body, { a: 1 });
  assert.deepEqual(read(deflateSync('{"a":1}'), { 'content-encoding': 'deflate' }).body, { a: 1 });
  const bomb = gzipSync(`{"a":"${'x'.repeat(2_000_000)}"}`);
  assert.equal(read(bomb, { 'content-encoding': 'gzip' }).problem, 'a compressed body that cannot be unpacked');
  assert.equal(read('{}', { 'content-encoding': 'br' }).problem, 'a compressed body that cannot be unpacked');
});

test('no bytes make reading an answer throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(undefined, 'gzip', 'deflate'), (bytes, encoding) => {
      const answer = read(Buffer.from(bytes), { 'content-encoding': encoding });
      assert.ok(answer.body !== undefined || answer.problem !== '');
    }),
  );
});

test('extended info is read as a list and as a single object, with message ids', () => {
  const info = { MessageId: 'IDRAC.2.8.SYS518', Message: 'iDRAC is not ready.' };
  const expected = { detail: 'iDRAC is not ready.', messageIds: ['IDRAC.2.8.SYS518'] };
  assert.deepEqual(readErrorNotes({ error: { '@Message.ExtendedInfo': [info] } }), expected);
  assert.deepEqual(readErrorNotes({ error: { '@Message.ExtendedInfo': info } }), expected);
  assert.deepEqual(readErrorNotes({ '@Message.ExtendedInfo': [info, info] }).detail, 'iDRAC is not ready.');
  assert.deepEqual(readErrorNotes({ error: { code: 'Base.1.0.GeneralError', message: 'No.' } }), {
    detail: 'No.',
    messageIds: ['Base.1.0.GeneralError'],
  });
  assert.deepEqual(readErrorNotes({ error: 'no' }), { detail: '', messageIds: [] });
});

test('a reason that stands only above the extended info is not lost, and a hint to look there is no reason', () => {
  const info = { '@odata.type': '/redfish/v1/$metadata#Message.1.0.0.Message', MessageId: 'Base.1.0.GeneralError' };
  const above = { code: 'Base.1.0.GeneralError', message: 'Domain not found', '@Message.ExtendedInfo': [info] };
  assert.deepEqual(readErrorNotes({ error: above }), {
    detail: 'Domain not found',
    messageIds: ['Base.1.0.GeneralError'],
  });
  const hint = { message: 'See @Message.ExtendedInfo for more information.', '@Message.ExtendedInfo': [info] };
  assert.equal(readErrorNotes({ error: hint }).detail, 'Base.1.0.GeneralError');
});

test('any body at all gives error notes', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('error', '@Message.ExtendedInfo', 'x'), fc.jsonValue()), (body) => {
      const notes = readErrorNotes(body as never);
      assert.ok(notes.detail.length <= 603 && Array.isArray(notes.messageIds));
    }),
  );
});

test('secrets of the request do not come back in what is said about it', () => {
  const body = { UserName: 'admin', Oem: { Image: { Password: 'hunter2' } } };
  assert.deepEqual(secretsIn(body), ['hunter2']);
  assert.equal(
    withoutSecrets("the value 'hunter2' is too short", secretsIn(body)),
    "the value '[redacted]' is too short",
  );
});
