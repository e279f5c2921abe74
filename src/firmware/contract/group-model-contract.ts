import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fc } from '#fast-check';
import { type Firmware, ironcoreApiVersion, type ServerFirmwareGroup } from '../../api/index.ts';
import { withOwnership } from '../fleet/objects.ts';
import { decideMember, entriesToApply } from '../group/decide-member.ts';
import { fieldManagers } from '../resources.ts';
import { type ApiRig, fw, putServer } from '../testing/rig.ts';

// One user applies, another edits; what they do to each other is not the group's concern.
const applied = ['ssd', 'nic'] as const;
const edited = ['gpu', 'psu'] as const;
const listOf = (...names: readonly string[]) =>
  fc.uniqueArray(fc.record({ name: fc.constantFrom(...names), version: fc.constantFrom('1', '2', '3') }), {
    selector: ({ name }) => name,
    maxLength: names.length,
  });
type Step =
  /** The group changes, or goes. */
  | { readonly kind: 'group'; readonly list: readonly { name: string; version: string }[] | undefined }
  /** Somebody applies a list of their own, by force, as one who insists. */
  | { readonly kind: 'apply'; readonly list: readonly { name: string; version: string }[] }
  /** Somebody edits the version of an entry, or makes one. */
  | { readonly kind: 'edit'; readonly name: string; readonly version: string };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('group' as const),
    list: fc.option(listOf(...applied, ...edited), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant('apply' as const), list: listOf(...applied) }),
  fc.record({
    kind: fc.constant('edit' as const),
    name: fc.constantFrom(...edited),
    version: fc.constantFrom('1', '2', '3', '4'),
  }),
);
const toFirmwares = (list: readonly { name: string; version: string }[]): Firmware[] =>
  list.map(({ name, version }) => fw(name, version));

/** What should be there, without knowing how the API server does it: by name, who has it, and its version. */
class Model {
  applied = new Map<string, string>();
  readonly edited = new Map<string, string>();
  group = new Map<string, string>();

  take(each: Step): void {
    if (each.kind === 'group') this.group = new Map((each.list ?? []).map(({ name, version }) => [name, version]));
    else if (each.kind === 'edit') {
      // An edit to what is there already is no edit.
      if (this.versions().get(each.name) === each.version) return;
      this.edited.set(each.name, each.version);
    } else this.applied = new Map(each.list.map(({ name, version }) => [name, version]));
  }

  versions(): Map<string, string> {
    return new Map([...this.group, ...this.edited, ...this.applied]);
  }
}

async function groupActs(api: ApiRig, name: string, list: Step & { kind: 'group' }): Promise<number> {
  const group = {
    apiVersion: ironcoreApiVersion,
    kind: 'ServerFirmwareGroup',
    metadata: { name: 'g' },
    spec: { manufacturer: 'Lenovo', model: '7x21', serverSelector: {}, firmwares: toFirmwares(list.list ?? []) },
  } satisfies ServerFirmwareGroup;
  const server = await api.servers.get({ name: 'foo' });
  let writes = 0;
  for (; writes < 5; writes++) {
    const firmware = withOwnership(await api.firmwares.get({ name }));
    const [effect] = decideMember({ firmware, server, groups: list.list === undefined ? [] : [group] }).effects;
    if (effect === undefined) return writes;
    const metadata = {
      name,
      ...(effect.group === undefined ? {} : { annotations: { 'metal.ironcore.dev/firmware-group': effect.group } }),
    };
    const firmwares = entriesToApply(effect, firmware.ownership);
    // Without force: a conflict would fail the test.
    await api.firmwares.apply({ metadata, ...(firmwares.length === 0 ? {} : { spec: { firmwares } }) } as never, {
      fieldManager: fieldManagers.group,
    });
  }
  return assert.fail('the group never came to rest');
}

/** For tests: groups and users at one list, on any API server, against a model that knows nothing of field managers. */
export function runGroupModelContract(where: string, open: () => Promise<ApiRig>): void {
  let api: ApiRig;
  before(async () => {
    api = await open();
    await putServer(api, 'foo');
  });
  after(() => api?.close());
  let count = 0;

  test(`on ${where}, whatever users apply and edit and the group becomes, users win, the rest is the group’s, nothing conflicts, one write is enough`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const name = `m${count++}`;
        const base = { apiVersion: ironcoreApiVersion, kind: 'ServerFirmware', metadata: { name } } as const;
        const spec = { serverRef: { name: 'foo' } };
        await api.firmwares.create({ ...base, spec });
        const model = new Model();
        let group: Step & { kind: 'group' } = { kind: 'group', list: undefined };
        for (const each of steps) {
          if (each.kind === 'group') group = each;
          if (each.kind === 'apply') {
            await api.firmwares.apply(
              { ...base, spec: { ...spec, firmwares: toFirmwares(each.list) } },
              { fieldManager: 'user', isForced: true },
            );
          }
          if (each.kind === 'edit') {
            const seen = await api.firmwares.get({ name });
            const others = (seen.spec.firmwares ?? []).filter((entry) => entry.name !== each.name);
            const firmwares = [...others, fw(each.name, each.version)];
            await api.firmwares.replace({ ...seen, spec: { ...seen.spec, firmwares } }, { fieldManager: 'editor' });
          }
          model.take(each);
          assert.ok((await groupActs(api, name, group)) <= 1);
          const { spec: now } = await api.firmwares.get({ name });
          const found = new Map((now.firmwares ?? []).map((entry) => [entry.name, entry.version]));
          assert.deepEqual(
            new Map([...found].toSorted()),
            new Map([...model.versions()].toSorted()),
            JSON.stringify(each),
          );
        }
      }),
      { numRuns: 40 },
    );
  });
}
