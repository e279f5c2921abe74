import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readErrorNotes } from './http/extended-info.ts';
import { cutText, plainText } from './plain-text.ts';
import { asText } from './redfish/read.ts';

const rogues = ['\u0000', '\u001b', '\u007f', '\u0085', '\u009b', '\u200e', '\u202e', '\u2066', '\u2069', '\u061c'];
const halves = ['\ud83d', '\ude00'];

test('what steers a terminal or turns the direction of text becomes a space', () => {
  for (const rogue of [...rogues, ...halves, '\u2028', '\u2029', '\ufeff', '\u00ad']) {
    const name = rogue.codePointAt(0)?.toString(16);
    assert.equal(plainText(`a${rogue}b`), 'a b', name);
    assert.equal(asText(`a${rogue}b${rogue}`), 'a b', name);
    const info = { MessageId: `Base.1.0.${rogue}[31mX`, Message: `a${rogue}b` };
    const notes = readErrorNotes({ error: { '@Message.ExtendedInfo': [info] } });
    assert.deepEqual(notes, { detail: 'a b', messageIds: ['Base.1.0. [31mX'] }, name);
  }
});

test('other text stays as it is', () => {
  for (const text of ['Große Kiste', '中文 \u{1f600}', "it's 5 µm (±1 %)", 'a  b']) assert.equal(plainText(text), text);
});

test('what is cut is cut between characters', () => {
  assert.equal(cutText('ab\u{1f600}', 3), 'ab...');
  assert.equal(cutText('ab\u{1f600}', 4), 'ab\u{1f600}');
  const Message = `${'x'.repeat(599)}\u{1f600}y`;
  const { detail } = readErrorNotes({ error: { '@Message.ExtendedInfo': [{ Message }] } });
  assert.equal(detail, `${'x'.repeat(599)}...`);
});
