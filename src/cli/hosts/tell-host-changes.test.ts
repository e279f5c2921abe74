import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BareMetalHost } from '../../api/index.ts';
import type { ChangeHandler, KubeObject } from '../../kube/index.ts';
import { tellHostChanges } from './tell-host-changes.ts';

type Host = BareMetalHost & KubeObject;

function hostAt(
  state: string,
  more: { operationalStatus?: string; errorMessage?: string; conditions?: readonly object[] } = {},
): Host {
  const status = { operationalStatus: 'OK', errorMessage: '', provisioning: { state, ID: '' }, ...more };
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name: 'a' },
    status,
  } as unknown as Host;
}

function follow(present: ReadonlyMap<string, Host>) {
  const told: string[] = [];
  let handler: ChangeHandler<Host> = () => undefined;
  const hosts = {
    onChange(given: ChangeHandler<Host>) {
      handler = given;
      for (const [key, current] of present) given(key, { previous: undefined, current });
      return () => undefined;
    },
  };
  tellHostChanges({ hosts, keys: ['rack/a', 'rack/b'], tell: (line) => told.push(line) });
  return { told, change: (key: string, current: Host | undefined) => handler(key, { previous: undefined, current }) };
}

test('a host is told of when it is somewhere else, and not for anything less', () => {
  const { told, change } = follow(new Map([['rack/a', hostAt('provisioned')]]));
  change('rack/a', hostAt('provisioned'));
  change('rack/a', hostAt('provisioned', { operationalStatus: 'servicing' }));
  change('rack/a', hostAt('provisioned', { operationalStatus: 'servicing' }));
  change('rack/a', hostAt('provisioned'));
  change('rack/b', hostAt(''));
  change('rack/b', hostAt('inspecting', { operationalStatus: 'error', errorMessage: 'no way to its BMC' }));
  change('rack/b', undefined);
  const lost = { type: 'Manageable', status: 'False', reason: 'PowerFailure', message: 'the BMC does not answer' };
  change('rack/a', hostAt('provisioned', { conditions: [lost] }));
  change('rack/a', hostAt('provisioned'));
  assert.deepEqual(told, [
    'rack/a: provisioned, servicing',
    'rack/a: provisioned',
    'rack/b: new',
    'rack/b: inspecting, error: no way to its BMC',
    'rack/b: gone',
    'rack/a: provisioned, error: the BMC does not answer',
    'rack/a: provisioned',
  ]);
});

test('hosts of others are not told of, unless they came by themselves', () => {
  const { told, change } = follow(new Map());
  change('others/a', hostAt('available'));
  const came = hostAt('importing');
  came.metadata.annotations = { 'discovery.rackwright.io/host': '{}' };
  change('edge/b', came);
  assert.deepEqual(told, ['edge/b: importing']);
});
