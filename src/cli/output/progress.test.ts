import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barOf, Progress } from './progress.ts';

function terminalOf(isInteractive: boolean) {
  const written: string[] = [];
  return { isInteractive, written, err: (text: string) => void written.push(text) };
}

test('where a person looks on, a bar is drawn over and leaves nothing behind', () => {
  const terminal = terminalOf(true);
  const progress = new Progress(terminal);
  progress.show(0, 'objects');
  progress.show(50, 'events\u001b[2J');
  progress.clear();
  progress.clear();
  assert.deepEqual(terminal.written, [
    `\r\x1b[2K[${'-'.repeat(24)}]   0% objects`,
    `\r\x1b[2K[${'#'.repeat(12)}${'-'.repeat(12)}]  50% events [2J`,
    '\r\x1b[2K',
  ]);
});

test('elsewhere each step is a line, once', () => {
  const terminal = terminalOf(false);
  const progress = new Progress(terminal);
  for (const percent of [0, 10, 20]) progress.show(percent, 'objects');
  progress.show(100, 'events');
  progress.clear();
  assert.deepEqual(terminal.written, ['objects\n', 'events\n']);
});

test('a line is never cut, and a bar stays within its row', () => {
  const long = 'x'.repeat(200);
  const [lines, bars] = [terminalOf(false), terminalOf(true)];
  new Progress(lines).show(0, long);
  new Progress(bars).show(0, long);
  assert.deepEqual(lines.written, [`${long}\n`]);
  assert.equal(bars.written[0]?.match(/x+$/)?.[0].length, 80);
});

test('a bar stays within its ends', () => {
  assert.equal(barOf(-5).slice(0, 26), `[${'-'.repeat(24)}]`);
  assert.equal(barOf(400).slice(0, 26), `[${'#'.repeat(24)}]`);
});
