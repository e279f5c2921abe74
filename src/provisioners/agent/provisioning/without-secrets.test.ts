import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageMarkOf, withoutSecrets } from './without-secrets.ts';

test('passwords and queries of addresses are told nobody', () => {
  const cases: readonly [string, string][] = [
    ['http://files/image.raw', 'http://files/image.raw'],
    ['https://user:pass@files/image.raw', 'https://files/image.raw'],
    ['https://token@files:8443/a@b.raw', 'https://files:8443/a@b.raw'],
    ['https://files/image.raw?sig=abc&x=1', 'https://files/image.raw?...'],
    [
      'GET https://u:p@files/a?sig=abc failed: see "http://other/?t=1", mail a@b',
      'GET https://files/a?... failed: see "http://other/?...", mail a@b',
    ],
  ];
  for (const [text, told] of cases) assert.equal(withoutSecrets(text), told);
});

test('images are told apart by what is not shown of them', () => {
  const [one, other] = ['https://files/a?sig=abc', 'https://files/a?sig=def'].map(imageMarkOf);
  assert.notEqual(one, other);
  for (const mark of [one, other]) assert.doesNotMatch(mark ?? '', /abc|def$/);
  assert.equal(imageMarkOf('http://files/a'), 'http://files/a');
});
