import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { BusError } from '../errors.ts';
import { readNatsUrls } from './nats-address.ts';

describe('NATS URLs', () => {
  it('are taken apart into what can be shown and what is secret', () => {
    assert.deepEqual(readNatsUrls(['nats://al%40ice:s%2Fcret@nats.example:4333']), {
      servers: ['nats.example:4333'],
      credentials: { kind: 'password', user: 'al@ice', password: 's/cret' },
      isTls: false,
    });
    assert.deepEqual(readNatsUrls(['tls://tok3n@nats.example']), {
      servers: ['nats.example:4222'],
      credentials: { kind: 'token', token: 'tok3n' },
      isTls: true,
    });
    assert.deepEqual(readNatsUrls(['127.0.0.1:4222', 'nats://[::1]:4223/']), {
      servers: ['127.0.0.1:4222', '[::1]:4223'],
      credentials: undefined,
      isTls: false,
    });
  });

  const refused: [string, string[], RegExp][] = [
    ['none at all', [], /there is none/],
    ['no URL', ['nats://us er:hunter2@ho st:x'], /no URL/],
    ['another scheme', ['http://user:hunter2@host'], /scheme is http/],
    ['a path', ['nats://user:hunter2@host/hunter2'], /more than a host/],
    ['a query', ['nats://user:hunter2@host?tls=hunter2'], /more than a host/],
    ['no host', ['nats://'], /no host|no URL/],
    ['a broken escape', ['nats://user:hunter2%zz@host'], /no escape/],
    ['different logins', ['nats://a:hunter2@one', 'nats://b:hunter2@two'], /same user and password/],
  ];
  for (const [what, urls, message] of refused) {
    it(`are refused with ${what}, without showing a secret`, () => {
      assert.throws(
        () => readNatsUrls(urls),
        (error: unknown) => {
          assert.ok(error instanceof BusError && error.code === 'badUrl');
          assert.match(error.message, message);
          assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /hunter2/);
          return true;
        },
      );
    });
  }
});
