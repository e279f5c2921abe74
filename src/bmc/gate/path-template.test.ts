import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathTemplate } from './path-template.ts';

const table: readonly (readonly [string, string])[] = [
  ['/redfish/v1', '/redfish/v1'],
  ['/redfish/v1/', '/redfish/v1/'],
  ['/redfish/v1/Systems/System.Embedded.1?$select=PowerState', '/redfish/v1/Systems/{id}'],
  ['/redfish/v1/Systems/1/Bios/Settings', '/redfish/v1/Systems/{id}/Bios/Settings'],
  [
    '/redfish/v1/UpdateService/FirmwareInventory/Installed-159-2.10',
    '/redfish/v1/UpdateService/FirmwareInventory/{id}',
  ],
  ['/redfish/v1/TaskService/Tasks/JID_123456789', '/redfish/v1/TaskService/Tasks/{id}'],
  ['https://10.0.0.7/redfish/v1/Managers/bmc/Actions/Manager.Reset', '/redfish/v1/Managers/{id}/Actions/Manager.Reset'],
  ['/redfish/v1/SessionService/Sessions/secretive', '/redfish/v1/SessionService/Sessions/{id}'],
  ['/redfish/v1/Oem/Supermicro/DumpService', '/redfish/v1/Oem/Supermicro/DumpService'],
];

for (const [path, template] of table) {
  test(`${path} is one of ${template}`, () => assert.equal(pathTemplate(path), template));
}
