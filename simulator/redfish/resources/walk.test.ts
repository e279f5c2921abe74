import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityOf } from '../../personalities/index.ts';
import { type Personality, personalityNames } from '../../personalities/personality.ts';
import { plainPersonality } from '../../personalities/testing/plain-personality.ts';
import { compileRoutes } from '../front/route-table.ts';
import { sharedRoutes } from './index.ts';
import { createAskedMachine } from './testing/ask.ts';
import { checkBodies, walkTree } from './testing/walk.ts';

const personalities: ReadonlyMap<string, Personality> = new Map([
  ['a vendor without quirks', plainPersonality],
  ...personalityNames.map((name): [string, Personality] => [name, personalityOf(name)]),
]);

for (const [name, personality] of personalities) {
  test(`every link of the tree of ${name} leads to a resource that names itself`, async () => {
    const asked = createAskedMachine({ personality });
    await asked.ask('POST', '/redfish/v1/SessionService/Sessions', {
      body: { UserName: 'admin', Password: 'right-password' },
    });
    await asked.ask('POST', '/redfish/v1/EventService/Subscriptions', {
      body: { Destination: 'http://127.0.0.1:9/', Protocol: 'Redfish' },
    });
    asked.machine.bios.stage({ ...Object.fromEntries(changeOf(personality)) });
    const walk = await walkTree(asked);
    assert.deepEqual(walk.dead, []);
    checkBodies(walk);
    assert.ok(walk.bodies.size > 80, `${walk.bodies.size} resources`);
  });

  test(`every action and push address of ${name} takes a POST`, async () => {
    const asked = createAskedMachine({ personality });
    const walk = await walkTree(asked);
    const table = compileRoutes(personality.routes, sharedRoutes);
    for (const target of walk.targets) assert.ok(table.match(target)?.handler('post'), target);
    for (const path of [personality.update.multipartPushUri, personality.update.pushUri]) {
      if (path !== undefined) assert.equal(table.match(path)?.takesUpload, true, path);
    }
  });
}

/** One attribute with another value than its default, so that the BMC may have a task of it. */
function changeOf({ bios }: Personality): [string, string][] {
  const attribute = bios.find((each) => each.type === 'Enumeration' && !each.isReadOnly);
  const value = attribute?.values?.find((each) => each !== attribute.default);
  return attribute === undefined || value === undefined ? [] : [[attribute.name, value]];
}

test('resources of another system, manager or chassis are not there', async () => {
  const { ask } = createAskedMachine();
  for (const path of ['Systems/2', 'Managers/2', 'Chassis/2', 'Systems/2/Bios', 'Chassis/2/NetworkAdapters']) {
    const answer = await ask('GET', `/redfish/v1/${path}`);
    assert.equal(answer.status, 404, path);
  }
  assert.equal((await ask('POST', '/redfish/v1/Systems/2/Actions/ComputerSystem.Reset')).status, 404);
});

test('members of collections that do not exist get 404 with the path in the message', async () => {
  const { ask } = createAskedMachine();
  const paths = [
    'Systems/system/Processors/9',
    'Systems/system/Memory/9',
    'Systems/system/Storage/9',
    'Systems/system/Storage/1/Drives/9',
    'Systems/system/Storage/1/Volumes/9',
    'Systems/system/EthernetInterfaces/9',
    'Systems/system/BootOptions/9',
    'Systems/system/bios',
    'Systems/system/Bios/Pending',
    'Systems/system/VirtualMedia',
    'Systems/system/LogServices/9',
    'Chassis/chassis/NetworkAdapters/9',
    'Chassis/chassis/NetworkAdapters/Slot_1/Ports/9',
    'Managers/bmc/VirtualMedia/9',
    'Managers/bmc/EthernetInterfaces/9',
    'UpdateService/FirmwareInventory/9',
    'TaskService/Tasks/9',
    'TaskService/TaskMonitors/9',
    'SessionService/Sessions/9',
    'AccountService/Accounts/9',
    'AccountService/Roles/9',
    'EventService/Subscriptions/9',
    'Registries/9',
    'Registries/Base.1.8.1/other.json',
    'JsonSchemas/9',
  ];
  for (const path of paths) {
    const answer = await ask('GET', `/redfish/v1/${path}`);
    assert.equal(answer.status, 404, path);
    assert.match(JSON.stringify(answer.body), /ResourceMissingAtURI/, path);
  }
});
