import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  allKinds,
  type ClusterRole,
  controllerRoleOf,
  kindRolesOf,
  leaseRole,
  machineControllerRoleOf,
  networkControllerRoleOf,
  personaRolesOf,
} from './index.ts';

const kindRoles = allKinds.flatMap(kindRolesOf);
const personas = personaRolesOf(allKinds);
const changing = ['create', 'update', 'patch', 'delete', 'deletecollection'];

function builtin(role: 'view' | 'edit' | 'admin'): ClusterRole[] {
  return kindRoles.filter((one) => one.metadata.labels[`rbac.authorization.k8s.io/aggregate-to-${role}`] === 'true');
}

function verbsOn(roles: readonly ClusterRole[], resource: string): string[] {
  const rules = roles.flatMap((role) => role.rules).filter((rule) => rule.resources.includes(resource));
  return [...new Set(rules.flatMap((rule) => rule.verbs))];
}

function persona(name: string): ClusterRole[] {
  const found = personas.filter((role) => role.metadata.name === name);
  assert.equal(found.length, 1, name);
  return found;
}

test('every kind has an editor and a viewer role', () => {
  const names = new Set(kindRoles.map((role) => role.metadata.name));
  for (const kind of allKinds) {
    assert.ok(names.has(`${kind.singular}-editor-role`) && names.has(`${kind.singular}-viewer-role`), kind.kind);
  }
  assert.equal(names.size, kindRoles.length);
});

test('the built-in roles read what a policy allows, and none of them writes policies', () => {
  for (const role of ['view', 'edit', 'admin'] as const) {
    assert.deepEqual(verbsOn(builtin(role), 'hostupdatepolicies').sort(), ['get', 'list', 'watch'], role);
  }
});

test('the built-in roles gain nothing on switches, limits and BMC credentials', () => {
  const kept = ['switches', 'ansibleswitches', 'ovsswitches', 'fixtureswitches'];
  for (const role of ['view', 'edit', 'admin'] as const) {
    for (const resource of [...kept, 'switchresourcelimits', 'bmcsecrets']) {
      assert.deepEqual(verbsOn(builtin(role), resource), [], `${role} on ${resource}`);
    }
  }
});

test('view changes nothing', () => {
  const verbs = builtin('view').flatMap((role) => role.rules.flatMap((rule) => rule.verbs));
  assert.deepEqual(
    verbs.filter((verb) => changing.includes(verb)),
    [],
  );
});

test('edit links configurations to ports but makes no ports', () => {
  assert.deepEqual(verbsOn(builtin('edit'), 'switchports').sort(), ['get', 'list', 'patch', 'update', 'watch']);
  assert.ok(verbsOn(builtin('edit'), 'switchportconfigurations').includes('create'));
  assert.ok(verbsOn(builtin('edit'), 'machinesets/scale').includes('update'));
});

test('a tenant does what document 4 allows and nothing it forbids (security.md: role-tenant)', () => {
  const tenant = persona('rackwright-tenant');
  for (const verb of ['create', 'update', 'delete']) {
    assert.ok(verbsOn(tenant, 'switchportconfigurations').includes(verb));
  }
  assert.deepEqual(verbsOn(tenant, 'switchports').sort(), ['get', 'list', 'patch', 'update', 'watch']);
  assert.deepEqual(verbsOn(tenant, 'switchresourcelimits').sort(), ['get', 'list', 'watch']);
  for (const resource of ['switches', 'ansibleswitches', 'hostupdatepolicies', 'secrets', 'bmcsecrets']) {
    assert.deepEqual(verbsOn(tenant, resource), [], resource);
  }
});

test('people read the events of what they see', () => {
  for (const name of ['infra-administrator', 'tenant', 'host-user', 'viewer'])
    assert.deepEqual(verbsOn(persona(`rackwright-${name}`), 'events').sort(), ['get', 'list', 'watch'], name);
});

test('the controllers keep Roles of tenants, and bind none', () => {
  for (const role of [controllerRoleOf(allKinds), networkControllerRoleOf(allKinds)]) {
    assert.deepEqual(verbsOn([role], 'roles').sort(), ['create', 'get', 'list', 'patch', 'update', 'watch']);
    assert.deepEqual(verbsOn([role], 'rolebindings'), []);
  }
});

test('the network controllers alone write the kinds of the network and only read hosts', () => {
  const role = [networkControllerRoleOf(allKinds)];
  for (const resource of ['switches', 'switchports', 'ansibleswitches', 'switchresourcelimits']) {
    assert.ok(verbsOn(role, resource).includes('update'), resource);
    assert.ok(verbsOn(role, `${resource}/finalizers`).includes('update'), resource);
  }
  assert.deepEqual(verbsOn(role, 'baremetalhosts').sort(), ['get', 'list', 'watch']);
  assert.deepEqual(verbsOn(role, 'secrets'), ['get']);
});

test('the machine controllers alone write machines, change hosts without making any, and list no Secrets', () => {
  const role = [machineControllerRoleOf(allKinds)];
  for (const resource of ['metal3machines', 'metal3clusters', 'machines', 'machinesets', 'clusters']) {
    assert.ok(verbsOn(role, resource).includes('update'), resource);
    assert.ok(verbsOn(role, `${resource}/status`).includes('patch'), resource);
  }
  assert.deepEqual(verbsOn(role, 'baremetalhosts').sort(), ['get', 'list', 'patch', 'update', 'watch']);
  assert.deepEqual(verbsOn(role, 'secrets').sort(), ['get', 'patch']);
  assert.deepEqual(verbsOn(role, 'switches'), []);
});

test('who uses hosts cannot allow live updates, who may allow them can (security.md: role-host-user, role-live-updates)', () => {
  assert.deepEqual(verbsOn(persona('rackwright-host-user'), 'hostupdatepolicies').sort(), ['get', 'list', 'watch']);
  assert.ok(verbsOn(persona('rackwright-host-user'), 'hostfirmwarecomponents').includes('patch'));
  assert.ok(verbsOn(persona('rackwright-live-updates'), 'hostupdatepolicies').includes('create'));
});

test('the infra administrator does everything with every kind (security.md: role-infra-administrator)', () => {
  const admin = persona('rackwright-infra-administrator');
  for (const kind of allKinds) {
    assert.deepEqual(
      changing.filter((verb) => !verbsOn(admin, kind.plural).includes(verb)),
      [],
      kind.kind,
    );
  }
});

test('the firmware administrator keeps servers and their firmware, and uses no hosts (security.md: role-firmware-administrator)', () => {
  const admin = persona('rackwright-firmware-administrator');
  for (const plural of ['bmcs', 'bmcsecrets', 'servers', 'serverfirmwares', 'serverfirmwaregroups'])
    assert.deepEqual(
      changing.filter((verb) => !verbsOn(admin, plural).includes(verb)),
      [],
      plural,
    );
  for (const plural of ['baremetalhosts', 'hostupdatepolicies', 'switches', 'secrets'])
    assert.deepEqual(verbsOn(admin, plural), [], plural);
});

test('the viewer reads everything but credentials (security.md: role-viewer)', () => {
  const viewer = persona('rackwright-viewer');
  const unread = allKinds.filter((kind) => verbsOn(viewer, kind.plural).length === 0).map((kind) => kind.kind);
  assert.deepEqual(unread, ['BMCSecret']);
  assert.deepEqual(verbsOn(viewer, 'secrets'), []);
});

const reported = ['BareMetalHostDiscovery', 'HardwareClassification'];

test('the controllers can write objects, status and finalizers of every kind that they write, by name and without wildcards (security.md: role-manager)', () => {
  const controllers = controllerRoleOf(allKinds);
  for (const kind of allKinds) {
    assert.ok(verbsOn([controllers], `${kind.plural}/status`).includes('patch'), kind.kind);
    if (reported.includes(kind.kind)) continue;
    assert.ok(verbsOn([controllers], kind.plural).includes('update'), kind.kind);
    assert.ok(verbsOn([controllers], `${kind.plural}/finalizers`).includes('update'), kind.kind);
  }
  const words = controllers.rules.flatMap((rule) => [...rule.apiGroups, ...rule.resources, ...rule.verbs]);
  assert.ok(!words.includes('*') && !words.includes('deletecollection'));
});

test('the controllers only report on what people write for them', () => {
  const controllers = controllerRoleOf(allKinds);
  for (const resource of ['baremetalhostdiscoveries', 'hardwareclassifications']) {
    assert.deepEqual(verbsOn([controllers], resource).sort(), ['get', 'list', 'watch'], resource);
    assert.deepEqual(verbsOn([controllers], `${resource}/finalizers`), [], resource);
  }
});

test('Leases are for one namespace, not for the cluster (security.md: role-manager)', () => {
  const managers = [controllerRoleOf(allKinds), networkControllerRoleOf(allKinds), machineControllerRoleOf(allKinds)];
  assert.deepEqual(verbsOn(managers, 'leases'), []);
  assert.ok(verbsOn([leaseRole()], 'leases').includes('update'));
});

test('who wrote what is told to auditors and the infra team alone, and plans to whoever reads', () => {
  const withPath = (path: string): string[] =>
    [...personas, ...kindRoles]
      .filter((role) => role.rules.some((rule) => rule.nonResourceURLs?.includes(path)))
      .map((role) => role.metadata.name)
      .toSorted();
  assert.deepEqual(withPath('/audit'), ['rackwright-auditor', 'rackwright-infra-administrator']);
  assert.deepEqual(withPath('/plan'), [
    'rackwright-firmware-administrator',
    'rackwright-infra-administrator',
    'rackwright-viewer',
  ]);
});

test('docs/security.md says what the built-in roles get (security.md: built-in-roles)', () => {
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
  const paragraph = /^- \*\*Built-in roles grow\.\*\*.*?(?=^- )/ms.exec(page)?.[0] ?? '';
  const listed = (after: RegExp): string[] =>
    [...(after.exec(paragraph)?.[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  const resourcesWith = (role: 'edit' | 'admin', isWanted: (verbs: readonly string[]) => boolean): string[] => {
    const roles = builtin(role);
    const all = new Set(roles.flatMap(({ rules }) => rules.flatMap(({ resources }) => resources)));
    return [...all].filter((name) => !name.includes('/') && isWanted(verbsOn(roles, name))).sort();
  };
  for (const role of ['edit', 'admin'] as const) {
    assert.deepEqual(
      listed(/create, change and delete\n(.*)\n/),
      resourcesWith(role, (verbs) => verbs.includes('create')),
    );
    assert.deepEqual(
      listed(/neither create nor delete,\n(.*)\n/),
      resourcesWith(role, (verbs) => verbs.includes('patch') && !verbs.includes('create')),
    );
  }
});
