import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { temporaryServer, widgetOf, widgetsAt } from '../http/temporary-server.ts';

/**
 * Can hold every commit between the main thread and the writer until it is let go. Made before the server, so that a
 * failing test lets go before the server waits for its commits.
 */
function commitGate(t: TestContext): { hold(): void; reached(): Promise<void>; release(): void } {
  const post = Worker.prototype.postMessage;
  const held: (() => void)[] = [];
  let isHolding = false;
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, message: { do?: string }) {
    const send = () => post.call(this, message);
    if (message.do !== 'commit' || !isHolding) return send();
    held.push(send);
    reach();
  });
  const release = (): void => {
    isHolding = false;
    for (const send of held.splice(0)) send();
  };
  t.after(release);
  return {
    hold() {
      isHolding = true;
    },
    reached: () => reached,
    release,
  };
}

for (const { title, refused, code } of [
  { title: 'not found', refused: 'DELETE', code: 404 },
  { title: 'a conflict', refused: 'PUT', code: 409 },
] as const) {
  test(`${title} is answered only when the write it rests on is on disk`, async (t) => {
    const commits = commitGate(t);
    const server = await temporaryServer(t);
    const made = await server.request('POST', widgetsAt(), widgetOf('x'));
    commits.hold();
    const first =
      refused === 'DELETE'
        ? server.request('DELETE', widgetsAt('x'))
        : server.patch(widgetsAt('x'), { spec: { a: 1 } });
    await commits.reached();
    let isAnswered = false;
    const second = server
      .request(refused, widgetsAt('x'), refused === 'PUT' ? made.object : undefined)
      .then((reply) => {
        isAnswered = true;
        return reply;
      });
    // Requests that do not wait for the disk are answered meanwhile: several of them, so that the refusal had its chance.
    for (let n = 0; n < 5; n++) assert.equal((await server.request('GET', widgetsAt('x'))).text, made.text);
    assert.equal(isAnswered, false);
    commits.release();
    assert.equal((await first).code, 200);
    assert.equal((await second).code, code);
  });
}
