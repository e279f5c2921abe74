import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readKubeconfig } from './read-kubeconfig.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function kubeconfig(user: object, cluster: object = { server: 'https://10.0.0.1:6443' }): string {
  return JSON.stringify({
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
  });
}

describe('a kubeconfig out of a Secret', () => {
  test('gives a server, its authority and a token', () => {
    const cluster = { server: 'https://10.0.0.1:6443', 'certificate-authority-data': base64('CA') };
    const read = readKubeconfig(kubeconfig({ token: 't' }, cluster));
    assert.ok(read.kind === 'connection' && 'server' in read.connection);
    const { server, caPem, token } = read.connection;
    assert.deepEqual([server, caPem, token], ['https://10.0.0.1:6443', 'CA', 't']);
  });

  test('or a client certificate', () => {
    const user = { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') };
    const read = readKubeconfig(kubeconfig(user));
    assert.ok(read.kind === 'connection' && 'server' in read.connection);
    assert.deepEqual(read.connection.clientCertificate, { certificatePem: 'CERT', privateKeyPem: 'KEY' });
  });

  const refused: readonly [string, string][] = [
    [
      'that runs a program',
      kubeconfig({ exec: { command: '/bin/sh', apiVersion: 'client.authentication.k8s.io/v1' } }),
    ],
    ['that names files', kubeconfig({ 'client-certificate': '/etc/cert', 'client-key': '/etc/key' })],
    ['that names a file with a token', kubeconfig({ tokenFile: '/etc/shadow' })],
    ['without a server', kubeconfig({ token: 't' }, {})],
    ['that is no YAML', '{ a: ]'],
    ['that is empty', ''],
    ['that is a list', '[1, 2]'],
  ];
  for (const [name, text] of refused) {
    test(`one ${name} is refused`, () => assert.equal(readKubeconfig(text).kind, 'refused'));
  }
});
