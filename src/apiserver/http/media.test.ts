import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRouted, chooseMedia } from './media.ts';

const plain = { canTransform: true, pretty: false };

test('built-in kinds are behind a router that compares media types letter by letter', () => {
  for (const accept of [undefined, '', '*/*', 'text/html, application/json;q=0.1', 'application/yaml;x=y']) {
    assert.doesNotThrow(() => checkRouted(accept, { isCollection: false }), `${accept}`);
  }
  for (const accept of ['text/html', 'application/*', 'APPLICATION/JSON', ';;,,']) {
    assert.throws(() => checkRouted(accept, { isCollection: false }), /^ApiError: 406: Not Acceptable/, accept);
  }
  assert.throws(() => checkRouted('text/html', { isCollection: true }), /application\/json;stream=watch/);
});

test('any application type is JSON, and the heaviest clause that fits counts', () => {
  assert.equal(chooseMedia('application/*', plain).format, 'json');
  assert.equal(chooseMedia('application/json;q=0.1,application/yaml;q=0.2', plain).format, 'yaml');
  assert.equal(chooseMedia('text/html,application/json;as=Table;v=v1;g=meta.k8s.io', plain).as, 'Table');
  assert.throws(() => chooseMedia('application/vnd.kubernetes.protobuf', plain), /only the following media types/);
});
