import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import { type FirmwareComponent, firmwareComponents } from '../../parts/index.ts';
import { forecastInstall } from './forecast-install.ts';
import { planInstall } from './plan-install.ts';

const image = (component: FirmwareComponent, version = '1') => ({ id: `${component}-${version}`, component, version });

test('a BMC comes first and starts anew by itself, or is told to, as its vendor has it', () => {
  const [dell] = forecastInstall('dell', [image('nic'), image('bmc')]);
  assert.deepEqual([dell?.image.component, dell?.restarts, dell?.isByItself], ['bmc', 'bmc', true]);
  const [lenovo] = forecastInstall('lenovo', [image('bmc')]);
  assert.deepEqual([lenovo?.restarts, lenovo?.isByItself], ['bmc', false]);
});

test('parts of the host start with it; a CPLD wants its power off, and power supplies of most vendors nothing', () => {
  const steps = forecastInstall('hpe', [image('psu'), image('cpld'), image('bios'), image('nic')]);
  assert.deepEqual(
    steps.map(({ image: { component }, restarts, isPowerCycle }) => [component, restarts, isPowerCycle]),
    [
      ['bios', 'host', false],
      ['cpld', 'host', true],
      ['nic', 'host', false],
      ['psu', 'none', false],
    ],
  );
});

test('only OpenBMC wants the host off for its BIOS', () => {
  for (const vendor of ['dell', 'openbmc', 'supermicro'] as const) {
    assert.equal(forecastInstall(vendor, [image('bios')])[0]?.isHostOff, vendor === 'openbmc');
  }
});

test('the order foretold is the order in which an install is planned', () => {
  const images = fc.uniqueArray(
    fc.constantFrom(...firmwareComponents.filter((each) => !/cpu|backplane|other/.test(each))),
    {
      minLength: 1,
    },
  );
  fc.assert(
    fc.property(images, (components) => {
      const firmwares = components.map((component) => ({
        ...image(component),
        vendor: '',
        filename: 'f',
        url: 'u',
        checksum: '',
        models: ['x1'],
        isInband: false,
      }));
      const slots = components.map((component) => ({
        slot: component,
        component,
        uri: `/${component}`,
        name: `${component} x1`,
        version: '0',
        isUpdateable: true,
      }));
      const inventory = { vendor: 'dell', manufacturer: 'Dell', model: 'x1', slots, gaps: [] } as never;
      const { actions } = planInstall({ inventory, firmwares, parameters: { isForced: false } });
      assert.deepEqual(
        forecastInstall('dell', firmwares).map(({ image: { id } }) => id),
        actions.map(({ firmware }) => firmware.id),
      );
      assert.equal(actions.length, components.length);
    }),
  );
});
