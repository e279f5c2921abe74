import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isForbidden, kubeError, type ResourceRef } from '../../kube/index.ts';
import type { Session } from '../objects/session.ts';
import type { Terminal } from '../terminal.ts';
import { why } from './why.ts';

/** A session of somebody who may read these plurals and nothing else, where one host is. */
function sessionOf(readable: readonly string[]): {
  readonly session: Session;
  readonly terminal: Terminal;
  text(): string;
} {
  const host = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name: 'r01-s05', namespace: 'shop' },
    spec: { online: true },
    status: { provisioning: { state: 'available' }, operationalStatus: 'OK', errorMessage: '', errorCount: 0 },
  };
  const resource = ({ resource: plural }: ResourceRef) => {
    const check = (): void => {
      if (!readable.includes(plural)) throw kubeError('Forbidden', `User "tess" cannot get ${plural}`);
    };
    return {
      list: async () => {
        check();
        return { items: [], metadata: {} };
      },
      get: async ({ name }: { name: string }) => {
        check();
        if (plural !== 'baremetalhosts' || name !== host.metadata.name) throw kubeError('NotFound', `no ${name}`);
        return host;
      },
    };
  };
  const byName = async (type: string) => {
    const [resource = '', ...group] = type.split('.');
    return { resource, group: group.join('.'), version: 'v1', kind: 'BareMetalHost', namespaced: true };
  };
  const out: string[] = [];
  const terminal = {
    ...{ env: {}, cwd: '/', interrupted: new AbortController().signal },
    out: (text: string) => void out.push(text),
    err: (text: string) => void out.push(text),
  };
  const session = { client: { resource }, mapper: { byName }, namespace: 'shop', isNamespaceGiven: false };
  return { session: session as never, terminal: terminal as never, text: () => out.join('') };
}

test('a name is explained to people of one namespace, who may not list Servers', async () => {
  const asking = sessionOf(['baremetalhosts']);
  await why(['r01-s05'], {}, asking);
  assert.match(asking.text(), /r01-s05/);
  assert.match(asking.text(), /events in shop may not be read/);
});

test('a name of nothing that may be read is refused with what is forbidden, not called missing', async () => {
  const asking = sessionOf(['baremetalhosts']);
  await assert.rejects(
    why(['r01-s06'], {}, asking),
    (error) => isForbidden(error) && /switchports/.test(error.message),
  );
});
