import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personalityNames } from './index.ts';
import { startVendorBmc, type VendorBmc } from './testing/vendor-bmc.ts';

/** Every link in a body. */
function linksIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(linksIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) =>
    typeof inner === 'string' && ['@odata.id', 'Members@odata.nextLink', '@Redfish.ActionInfo'].includes(member)
      ? inner.includes('#')
        ? []
        : [inner]
      : linksIn(inner),
  );
}

async function walk({ get }: VendorBmc): Promise<{ seen: number; dead: string[] }> {
  const paths = new Set(['/redfish/v1/']);
  const dead: string[] = [];
  // A set goes on with what is added while it is walked.
  for (const path of paths) {
    const answer = await get(path);
    if (answer.status !== 200) dead.push(`${path} ${answer.status}`);
    else for (const link of linksIn(answer.json)) paths.add(link);
  }
  return { seen: paths.size, dead };
}

for (const name of personalityNames) {
  test(`${name}: every link that is sent leads somewhere`, async (t) => {
    const { seen, dead } = await walk(await startVendorBmc(t, name));
    assert.deepEqual(dead, []);
    assert.ok(seen > 100, `${seen}`);
  });
}

test('what clients tell vendors by is in the root, the system and the manager', async (t) => {
  const seen: Record<string, unknown[]> = {};
  for (const name of personalityNames) {
    const { get, machine } = await startVendorBmc(t, name);
    const { ids } = machine.personality;
    const root = (await get('/redfish/v1/')).json;
    const system = (await get(`/redfish/v1/Systems/${ids.system}`)).json;
    const manager = (await get(`/redfish/v1/Managers/${ids.manager}`)).json;
    assert.equal(system.SerialNumber, machine.hardware.serial);
    seen[name] = [root.Vendor, Object.keys(root.Oem ?? {})[0], system.Manufacturer, manager.Model];
  }
  assert.deepEqual(seen, {
    'dell-idrac9': ['Dell', 'Dell', 'Dell Inc.', '15G Monolithic'],
    'hpe-ilo5': ['HPE', 'Hpe', 'HPE', 'iLO 5'],
    'hpe-ilo6': ['HPE', 'Hpe', 'HPE', 'iLO 6'],
    'lenovo-xcc': ['Lenovo', 'Lenovo', 'Lenovo', 'Lenovo XClarity Controller'],
    'supermicro-x12': [undefined, 'Supermicro', 'Supermicro', 'ASPEED'],
    openbmc: [undefined, undefined, 'Wiwynn', 'OpenBmc'],
  });
});
