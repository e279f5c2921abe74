import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fc } from '#fast-check';
import { createLogger, createMetrics, isSecretName, redact, redactText, withLogFields } from './index.ts';

function capture() {
  const lines: string[] = [];
  return { lines, logger: createLogger({ level: 'debug', write: (line) => lines.push(line) }) };
}

describe('logs', () => {
  test('a line is one JSON object with time, level, message and fields', () => {
    const { lines, logger } = capture();
    logger.child({ controller: 'hosts' }).info('started', { count: 3 });
    const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    assert.equal(line.msg, 'started');
    assert.equal(line.level, 'info');
    assert.equal(line.controller, 'hosts');
    assert.equal(line.count, 3);
    assert.match(String(line.time), /^\d{4}-\d\d-\d\dT/);
  });

  test('a secret never reaches a line, wherever it hides (security.md: redaction)', () => {
    const { lines, logger } = capture();
    const secret = 'hunter2-hunter2';
    logger.error(`cannot reach https://root:${secret}@10.0.0.1/redfish`, {
      password: secret,
      bmc: { credentials: { user: 'root', password: secret }, headers: { Authorization: `Bearer ${secret}` } },
      object: { kind: 'Secret', data: { anything: secret }, stringData: { other: secret } },
      error: new Error(`Authorization: Bearer ${secret}`, { cause: new Error(`password=${secret}`) }),
    });
    logger.child({ token: secret }).info('x');
    assert.equal(lines.length, 2);
    for (const line of lines) assert.ok(!line.includes(secret), line);
  });

  test('text for people has one line for a message, and a secret never reaches it either', () => {
    const lines: string[] = [];
    const logger = createLogger({ format: 'text', write: (line) => lines.push(line) });
    const secret = 'hunter2-hunter2';
    const error = new Error(`answered {"Password":"${secret}"}`);
    logger.child({ worker: 'flasher/1' }).warn('no luck\nwith it', { password: secret, host: 'a b', n: 3, error });
    const [head = '', ...below] = (lines[0] ?? '').trimEnd().split('\n');
    assert.match(
      head,
      /^\d{4}-\S+Z WARN {2}"no luck\\nwith it" worker=flasher\/1 password=\[redacted\] host="a b" n=3 error=/,
    );
    assert.ok(below.length > 1 && below.every((line) => line.startsWith('    ')));
    assert.ok(!lines.join('').includes(secret), lines.join(''));
  });

  test('lines carry the ids of what they were written for, each once', async () => {
    const { lines, logger } = capture();
    await withLogFields({ request: 'r1', condition: 'outer' }, async () => {
      await Promise.resolve();
      logger.child({ condition: 'c1' }).info('inside');
      withLogFields({ token: 'hunter2-hunter2' }, () => logger.info('deeper', { request: 'own' }));
    });
    logger.info('outside');
    assert.match(lines[0] ?? '', /"condition":"c1".*"request":"r1"/);
    assert.equal(lines[0]?.match(/"condition"/g)?.length, 1);
    assert.match(lines[1] ?? '', /"token":"\[redacted\]","msg"/);
    assert.match(lines[1] ?? '', /"request":"own","condition":"outer"/);
    assert.doesNotMatch(lines[2] ?? '', /request|condition/);
  });

  test('names of secrets and references to them stay readable', () => {
    const fields = { credentialsName: 'bmc-1', tokenName: 'a', secretRef: { name: 'b' }, generateName: 'c' };
    assert.deepEqual(redact(fields), fields);
  });

  test('a circular object and a very deep one are logged, not followed for ever', () => {
    const circle: Record<string, unknown> = { a: 1 };
    circle.self = circle;
    assert.deepEqual(redact(circle), { a: 1, self: '[circular]' });
    let deep: unknown = 'bottom';
    for (let i = 0; i < 100; i++) deep = { deep };
    assert.ok(JSON.stringify(redact(deep)).includes('[deep]'));
  });

  test('an invalid date and a field that looks like a prototype are logged as they are', () => {
    assert.deepEqual(redact({ at: new Date(Number.NaN) }), { at: '[invalid date]' });
    const odd = redact(JSON.parse('{"__proto__":{"password":"hunter2-hunter2"}}'));
    assert.equal(JSON.stringify(odd), '{"__proto__":{"password":"[redacted]"}}');
  });

  test('whatever the value, redacting does not throw and hides fields with secret names', () => {
    fc.assert(
      fc.property(fc.object({ withDate: true, withBigInt: true }), fc.string({ minLength: 12 }), (value, secret) => {
        const safe = redact({ ...value, password: secret }) as Record<string, unknown>;
        assert.notEqual(safe.password, secret);
      }),
    );
  });

  test('log-ins and signatures in addresses are hidden, whatever form they have', () => {
    const cases = {
      'https://user:pa55@host/x': 'https://[redacted]@host/x',
      'https://ghp_token@host/x': 'https://[redacted]@host/x',
      'https://tok:@host/x': 'https://[redacted]@host/x',
      'https://:pa55@host/x': 'https://[redacted]@host/x',
      'https://user:p@55@host:8443/x': 'https://[redacted]@host:8443/x',
      'https://user:p"5@host/x': 'https://[redacted]@host/x',
      'https://host/x?sv=1&sig=a%2Bb%3D&se=2': 'https://host/x?sv=1&sig=[redacted]&se=2',
      'https://host/x?X-Amz-Security-Token=a&X-Amz-Signature=b':
        'https://host/x?X-Amz-Security-Token=[redacted]&X-Amz-Signature=[redacted]',
      'https://host/x?private_token=a&client_secret=b':
        'https://host/x?private_token=[redacted]&client_secret=[redacted]',
    };
    for (const [text, safe] of Object.entries(cases)) {
      assert.equal(redactText(text), safe);
      assert.equal(redactText(safe), safe);
      assert.equal(redactText(`{"a":"${text}","b":"c@d"}`), `{"a":"${safe}","b":"c@d"}`);
    }
  });

  test('text keeps what is not a secret', () => {
    for (const text of [
      'https://host answers a@b',
      'https://host/x@sha256:abc?design=1',
      'file:///opt/node_modules/@scope/a.js:1:2',
    ]) {
      assert.equal(redactText(text), text);
    }
    assert.equal(
      redactText('GET https://10.0.0.1/redfish/v1 answered 404'),
      'GET https://10.0.0.1/redfish/v1 answered 404',
    );
    assert.equal(redactText('token=abcdef&x=1'), 'token=[redacted]&x=1');
    assert.equal(
      redactText('{"Password": "a\\\\b", "UserName":"root"}'),
      '{"Password": "[redacted]", "UserName":"root"}',
    );
    assert.equal(redactText('"{\\"X-Auth-Token\\":\\"abc\\"}"'), '"{\\"X-Auth-Token\\":\\"[redacted]\\"}"');
    assert.ok(isSecretName('client-key-data') && isSecretName('X-Auth-Token') && !isSecretName('tokenNamespace'));
  });
});

describe('metrics', () => {
  test('a metric asked for twice is one metric', async () => {
    const metrics = createMetrics();
    const definition = { name: 'rackwright_things_total', help: 'Things.', labels: ['kind'] };
    metrics.counter(definition).add(1, { kind: 'a' });
    metrics.counter(definition).add(2, { kind: 'a' });
    assert.match(await metrics.expose(), /rackwright_things_total\{kind="a"\} 3/);
    assert.throws(() => metrics.gauge(definition), /another type/);
  });

  test('two registries do not see each other, and a removed gauge is gone', async () => {
    const [one, two] = [createMetrics(), createMetrics()];
    const gauge = one.gauge({ name: 'g', help: 'G.', labels: ['k'] });
    gauge.set(4, { k: 'x' });
    assert.match(await one.expose(), /g\{k="x"\} 4/);
    gauge.remove({ k: 'x' });
    assert.doesNotMatch(await one.expose(), /g\{k="x"\}/);
    assert.equal((await two.expose()).trim(), '');
  });

  test('a histogram counts what it observes', async () => {
    const metrics = createMetrics();
    metrics.histogram({ name: 'h_seconds', help: 'H.', buckets: [1, 2] }).observe(1.5);
    assert.match(await metrics.expose(), /h_seconds_bucket\{le="2"\} 1/);
  });
});
