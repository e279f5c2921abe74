import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { JsonObject, JsonValue } from '../route.ts';
import { sharedRoutes } from './index.ts';
import { createAskedMachine } from './testing/ask.ts';
import { messageIds } from './testing/messages.ts';
import { checkBodies, walkTree } from './testing/walk.ts';

/** Members that handlers look at, so that odd values reach them. */
const members = [
  'ResetType',
  'Boot',
  'BootOrder',
  'BootSourceOverrideTarget',
  'HttpBootUri',
  'IndicatorLED',
  'Attributes',
  '@Redfish.SettingsApplyTime',
  'ApplyTime',
  'SecureBootEnable',
  'ResetKeysType',
  'DateTime',
  'DateTimeLocalOffset',
  'NTP',
  'NTPServers',
  'Image',
  'Inserted',
  'UserName',
  'Password',
  'ImageURI',
  'TransferProtocol',
  'Targets',
  'HttpPushUriTargets',
  'HttpPushUriTargetsBusy',
  'HttpPushUriOptions',
  'HttpPushUriApplyTime',
  'Destination',
  'Protocol',
  'Context',
  'MessageId',
  'Severity',
];

const odd: fc.Arbitrary<JsonObject> = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(null, true, '', 'Once', 'Pxe', 'OnReset', 'http://127.0.0.1:9/x', 'Redfish', -1, 1e21),
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.oneof(fc.constantFrom(...members), fc.string(), fc.constant('__proto__')), tie('value'), {
    maxKeys: 4,
  }),
})).object;

/** Real parts in place of the open parts of a pattern. */
const fillings: Readonly<Record<string, string>> = {
  system: 'system',
  manager: 'bmc',
  chassis: 'chassis',
  settings: 'Settings',
  media: 'Cd',
  account: '1',
  subscription: '1',
  session: '1',
  task: '1',
};

const changes = sharedRoutes.flatMap((route) => {
  const path = route.pattern.replaceAll(/:(\w+)/g, (_, name: string) => fillings[name] ?? 'none');
  return (['PATCH', 'POST'] as const)
    .filter((method) => (method === 'PATCH' ? route.patch : route.post) !== undefined)
    .map((method) => ({ method, path }));
});

test('no body makes a change throw, every refusal has a reason, and the tree stays whole', async () => {
  const asked = createAskedMachine();
  const { ask, clock } = asked;
  await ask('POST', '/redfish/v1/EventService/Subscriptions', {
    body: { Destination: 'http://127.0.0.1:9/', Protocol: 'Redfish' },
  });
  assert.ok(changes.length > 30);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...changes), odd, async ({ method, path }, body) => {
      const answer = await ask(method, path, { body: JSON.parse(JSON.stringify(body)) as JsonObject });
      assert.ok(answer.status < 500 || answer.status === 503, `${method} ${path} gave ${answer.status}`);
      if (answer.status >= 400) assert.ok(messageIds(answer).length > 0, `${method} ${path} gave no reason`);
      JSON.stringify(answer.body);
    }),
    { numRuns: 3000, seed: 7 },
  );
  const walk = await walkTree(asked);
  assert.deepEqual(walk.dead, []);
  checkBodies(walk);
  clock.close();
});
