import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fc } from '#fast-check';
import { type Firmware, groupAnnotation, ironcoreApiVersion, type ServerFirmwareGroup } from '../../api/index.ts';
import { withOwnership } from '../fleet/objects.ts';
import { entryKey } from '../fleet/ownership.ts';
import { decideMember, entriesToApply } from '../group/decide-member.ts';
import { asIfWritten } from '../plan/as-if-written.ts';
import { fieldManagers } from '../resources.ts';
import { type ApiRig, fw, putServer } from '../testing/rig.ts';

const listOf = (...names: readonly string[]) =>
  fc
    .uniqueArray(fc.record({ name: fc.constantFrom(...names), version: fc.constantFrom('1', '2', '3') }), {
      selector: ({ name }) => name,
    })
    .map((list) => list.map(({ name, version }): Firmware => fw(name, version)));

type Step =
  | { readonly kind: 'group'; readonly list: readonly Firmware[] | undefined }
  | { readonly kind: 'apply'; readonly list: readonly Firmware[] }
  | { readonly kind: 'edit'; readonly entry: Firmware };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('group' as const),
    // Groups that go are as frequent as those that change.
    list: fc.option(listOf('ssd', 'nic', 'gpu', 'psu'), { nil: undefined, freq: 2 }),
  }),
  fc.record({ kind: fc.constant('apply' as const), list: listOf('ssd', 'nic') }),
  fc.record({
    kind: fc.constant('edit' as const),
    entry: fc.constantFrom('gpu', 'psu').chain((name) => fc.constantFrom('1', '4').map((version) => fw(name, version))),
  }),
);

function groupOf(list: readonly Firmware[]): ServerFirmwareGroup {
  return {
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmwareGroup',
    metadata: { name: 'g' },
    spec: { manufacturer: 'Lenovo', model: '7x21', serverSelector: {}, firmwares: [...list] },
  };
}

/** What decisions look at. */
function essence({ spec, metadata, ownership }: ReturnType<typeof asIfWritten>) {
  const sorted = (keys: ReadonlySet<string>) => [...keys].toSorted();
  return {
    firmwares: (spec.firmwares ?? []).toSorted((a, b) => (entryKey(a) < entryKey(b) ? -1 : 1)),
    group: metadata.annotations?.[groupAnnotation],
    groupEntries: sorted(ownership.groupEntries),
    editedEntries: sorted(ownership.editedEntries),
    otherEntries: sorted(ownership.otherEntries),
    otherItems: sorted(ownership.otherItems),
    isGroupManaged: ownership.isGroupManaged,
  };
}

/** For tests: what plans take to be written against what an API server makes of it. */
export function runAsIfWrittenContract(where: string, open: () => Promise<ApiRig>): void {
  let api: ApiRig;
  before(async () => {
    api = await open();
  });
  after(() => api?.close());

  test(`on ${where}, what a plan takes an object to be after a group has written is what the API server makes of it`, async () => {
    let count = 0;
    const server = await putServer(api, 'planned');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const name = `p${count++}`;
        const base = { apiVersion: ironcoreApiVersion, kind: 'ServerFirmware', metadata: { name } } as const;
        const spec = { serverRef: { name: 'planned' } };
        await api.firmwares.create({ ...base, spec });
        let list: readonly Firmware[] | undefined;
        for (const each of steps) {
          if (each.kind === 'group') list = each.list;
          if (each.kind === 'apply') {
            const body = { ...base, spec: { ...spec, firmwares: [...each.list] } };
            await api.firmwares.apply(body, { fieldManager: 'user', isForced: true });
          }
          if (each.kind === 'edit') {
            const seen = await api.firmwares.get({ name });
            const others = (seen.spec.firmwares ?? []).filter((entry) => entry.name !== each.entry.name);
            const firmwares = [...others, each.entry];
            await api.firmwares.replace({ ...seen, spec: { ...seen.spec, firmwares } }, { fieldManager: 'editor' });
          }
          const firmware = withOwnership(await api.firmwares.get({ name }));
          const groups = list === undefined ? [] : [groupOf(list)];
          const [effect] = decideMember({ firmware, server, groups }).effects;
          if (effect === undefined) continue;
          const foretold = asIfWritten(firmware, effect);
          const mark = effect.group === undefined ? {} : { annotations: { [groupAnnotation]: effect.group } };
          const entries = entriesToApply(effect, firmware.ownership);
          const body = {
            metadata: { name, ...mark },
            ...(entries.length === 0 ? {} : { spec: { firmwares: entries } }),
          };
          await api.firmwares.apply(body as never, { fieldManager: fieldManagers.group });
          assert.deepEqual(essence(foretold), essence(withOwnership(await api.firmwares.get({ name }))));
        }
      }),
      { numRuns: 40 },
    );
  });
}
