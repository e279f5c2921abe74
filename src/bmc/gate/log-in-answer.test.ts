import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeLogIn, sessionPath } from './log-in-answer.ts';

const collection = '/redfish/v1/SessionService/Sessions';

/** Where the session of an answer is. */
function uriOf(location: string | undefined, body: object = {}): string | undefined {
  const headers = { 'x-auth-token': 'token', ...(location === undefined ? {} : { location }) };
  const answer = { status: 201, headers, bytes: Buffer.from(JSON.stringify(body)) };
  const judged = judgeLogIn(answer, { maxAnswerBytes: 1000, maxDepth: 8, password: 'secret', path: collection });
  assert.equal(judged.kind, 'session');
  return judged.kind === 'session' ? judged.uri : undefined;
}

test('a session is found by its Location, in whatever form that is', () => {
  for (const location of [
    `${collection}/5`,
    `https://10.0.0.7${collection}/5`,
    `http://[fd00::7]:8443${collection}/5`,
    `//10.0.0.7${collection}/5`,
    'redfish/v1/SessionService/Sessions/5',
    `${collection}/5#/`,
    ` ${collection}/5`,
    '5',
    './5',
  ]) {
    assert.equal(uriOf(location), `${collection}/5`, location);
  }
});

test('a session whose Location is missing or makes no sense is found by the body', () => {
  const body = { '@odata.id': `${collection}/5`, Id: '5' };
  for (const location of [undefined, '', 'a\\b', 'ftp://x/y', '/\u0000', `${collection}/\ufffd`]) {
    assert.equal(uriOf(location, body), `${collection}/5`, String(location));
    assert.equal(uriOf(location, { Id: '5' }), `${collection}/5`, String(location));
  }
  assert.equal(uriOf(undefined, {}), undefined);
});

test('a session whose name is not ASCII has a path that can be sent', () => {
  assert.equal(uriOf(undefined, { '@odata.id': `${collection}/中 1` }), `${collection}/%E4%B8%AD%201`);
  assert.equal(uriOf(undefined, { Id: '中/1' }), `${collection}/%E4%B8%AD%2F1`);
  assert.equal(sessionPath(`${collection}/%E4%B8%AD`), `${collection}/%E4%B8%AD`);
});
