import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Option } from 'commander';
import { CliError } from './errors.ts';
import { readTrust } from './install-service/start-flasher.ts';
import { readSettings, type SettingName, serverSettings } from './settings.ts';

const read = (name: SettingName, flag: string | undefined, env: Record<string, string> = {}) =>
  readSettings([name], { [name]: flag }, { env, cwd: '/home/me' })[name];

test('a flag wins over the environment, which wins over the default', () => {
  assert.equal(read('port', '8000', { RACKWRIGHT_PORT: '9000' }), 8000);
  assert.equal(read('port', undefined, { RACKWRIGHT_PORT: '9000' }), 9000);
  assert.equal(read('port', undefined), 7440);
  assert.equal(read('port', undefined, { RACKWRIGHT_PORT: '' }), 7440);
});

test('paths are taken from where the command was typed', () => {
  assert.equal(read('dataDir', undefined), '/home/me/.rackwright');
  assert.equal(read('dataDir', '/var/lib/rackwright'), '/var/lib/rackwright');
  assert.equal(read('kubeconfig', undefined), undefined);
});

test('addresses may be written in brackets', () => {
  assert.equal(read('host', '[::1]'), '::1');
});

test('a URL with a password is not taken from a command line, and taken from elsewhere (security.md: secrets-in-files)', () => {
  const urls = [
    ['databaseUrl', 'RACKWRIGHT_DATABASE_URL', 'postgres://me:secret@db/x'],
    ['databaseUrl', 'RACKWRIGHT_DATABASE_URL', 'postgres://db/x?user=me&password=secret'],
    ['natsUrl', 'RACKWRIGHT_NATS_URL', 'nats://me:secret@bus:4222'],
    ['ironicUrl', 'RACKWRIGHT_IRONIC_URL', 'https://me:secret@ironic'],
    ['notifyUrl', 'RACKWRIGHT_NOTIFY_URL', 'https://me:secret@hook'],
  ] as const;
  for (const [name, variable, url] of urls) {
    assert.throws(
      () => read(name, url),
      ({ message, outcome }: CliError) =>
        outcome === 'usage' && message.includes(`set ${variable}, or keep it in a file`) && !message.includes('secret'),
    );
    assert.equal(read(name, undefined, { [variable]: url }), url);
  }
  assert.equal(read('databaseUrl', 'postgres://me@db/x'), 'postgres://me@db/x');
});

test('an address that is only ever an address has no log-in, wherever it comes from', () => {
  const names = ['tracesEndpoint', 's3Endpoint', 'imageStoreUrl', 'updateServiceUrl', 'webhookUrl', 'restUrl'] as const;
  const variables = { tracesEndpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT', s3Endpoint: 'RACKWRIGHT_S3_ENDPOINT' };
  const isRefused = ({ message, outcome }: CliError): boolean =>
    outcome === 'usage' && message.includes('a URL without a log-in is needed') && !message.includes('secret');
  for (const name of names) assert.throws(() => read(name, 'https://me:secret@host'), isRefused, name);
  for (const [name, variable] of Object.entries(variables)) {
    assert.throws(() => read(name as SettingName, undefined, { [variable]: 'https://secret@host' }), isRefused, name);
  }
});

test('plain HTTP to BMCs is allowed by a word of its own, and the checks of certificates stay beside it (security.md: bmc-plain-http)', () => {
  const words = ['bmcCa', 'bmcInsecure', 'bmcHttp'] as const;
  const trust = (flags: Partial<Record<(typeof words)[number], string>>) =>
    readTrust(readSettings(words, flags, { env: {}, cwd: '/home/me' }));
  assert.deepEqual(trust({}), { kind: 'system' });
  assert.deepEqual(trust({ bmcHttp: 'no' }), { kind: 'system' });
  assert.deepEqual(trust({ bmcInsecure: 'yes' }), { kind: 'insecure' });
  assert.deepEqual(trust({ bmcHttp: 'yes' }), { kind: 'system', allowsHttp: true });
  assert.deepEqual(trust({ bmcHttp: 'yes', bmcInsecure: 'yes' }), { kind: 'insecure', allowsHttp: true });
});

test('what may be connected to is named by hosts and schemes, separated by commas', () => {
  assert.equal(read('egressHosts', undefined), undefined);
  assert.deepEqual(read('egressSchemes', undefined), ['https', 'http']);
  assert.deepEqual(read('egressSchemes', 'HTTPS'), ['https']);
  const hosts = 'images.example, *.vendor.example,10.0.0.0/8,fd00::1';
  const named = ['images.example', '*.vendor.example', '10.0.0.0/8', 'fd00::1'];
  assert.deepEqual(read('egressHosts', undefined, { RACKWRIGHT_EGRESS_HOSTS: hosts }), named);
});

const bad: [SettingName, string, RegExp][] = [
  ['port', '-1', /--port -1: a port is a number/],
  ['port', '80a', /a port is a number/],
  ['port', '65534', /from 0 to 65533/],
  ['host', 'a b', /not an address or host name/],
  ['dataDir', ' ', /a path is needed/],
  ['webhookUrl', 'http://example.com', /not a URL like https/],
  ['simulate', 'many', /a whole number from 0 to 20000 is needed/],
  ['servers', '0', /a whole number from 1 to 20000 is needed/],
  ['speed', '0', /a factor above 0/],
  ['seed', '-1', /a whole number from 0/],
  ['bmcHost', '192.0.2.1', /simulated BMCs listen on loopback only/],
  ['plainHttp', 'maybe', /yes or no is needed/],
  ['bmcHttp', 'maybe', /yes or no is needed/],
  ['egressHosts', '10.0.0.0/33', /neither a name, \*\.domain, an address nor a network/],
  ['egressSchemes', 'ftp', /https and http/],
  ['databaseUrl', 'mysql://me:secret@db/x', /\.\.\.: not a URL like postgres:/],
  ['natsUrl', 'amqp://me:secret@bus', /\.\.\.: not a URL like nats:/],
  ['restUrl', 'ftp://host', /not a URL like https/],
  ['facilities', 'ams1,,fra2', /a facility has letters/],
  ['concurrency', '0', /a whole number from 1 to 10000/],
  ['ironicUrl', 'ftp://me:secret@ironic', /\.\.\.: not a URL like http/],
];

for (const [name, value, message] of bad) {
  test(`${name} "${value}" is refused, from the flag and from the environment`, () => {
    const env = { [`RACKWRIGHT_${name.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase()}`]: value };
    for (const attempt of [() => read(name, value), () => read(name, undefined, env)]) {
      assert.throws(attempt, (error: unknown) => {
        assert.ok(error instanceof CliError && error.outcome === 'usage');
        assert.match(error.message.replace(/^RACKWRIGHT_PORT=/, '--port '), message);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    }
  });
}

test('there is a simulated rack unless none is asked for', () => {
  assert.equal(read('simulate', undefined), 8);
  assert.equal(read('simulate', '0'), 0);
});

test('every setting has the name under which the parser of command lines hands over its flag', () => {
  for (const [name, { flag }] of Object.entries(serverSettings)) {
    assert.equal(new Option(`${flag} <value>`).attributeName(), name);
  }
});
