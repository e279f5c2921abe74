import type { Machine } from '../../machine/machine.ts';
import type { JsonObject } from '../../redfish/route.ts';
import { decorateBy, objectIn, withOem, without } from '../parts/decoration.ts';
import { isFinished, isSuccess, reportedFirmware } from '../parts/update-facts.ts';
import type { HpeGeneration } from './generation.ts';
import { isBeforeEndOfPost } from './network-adapters.ts';
import { hpeUpdatePaths } from './update-queue.ts';
import { hpeFaults } from './words.ts';

/** `iLO 5 v2.96` out of `2.96 Aug 17 2023`. */
export function hpeManagerVersion(product: string, version: string): string {
  return `${product} v${version.split(' ')[0] ?? version}`;
}

function postState(machine: Machine): string {
  if (machine.power.state === 'Off') return 'PowerOff';
  if (isBeforeEndOfPost(machine)) return 'InPost';
  const isAtLastStep = machine.power.bootProgress === 'SystemHardwareInitializationComplete';
  return isAtLastStep ? 'InPostDiscoveryComplete' : 'FinishedPost';
}

/** The update service's own account of what it does: for those who were given no task. */
function updateState(machine: Machine, registry: string): JsonObject {
  const last = machine.tasks.all.findLast((task) => task.kind === 'firmware');
  if (last === undefined) return { State: 'Idle', FlashProgressPercent: 0 };
  if (!isFinished(last)) return { State: 'Updating', FlashProgressPercent: last.percent };
  if (isSuccess(last)) return { State: 'Complete', FlashProgressPercent: 100 };
  const said = hpeFaults[last.reason as keyof typeof hpeFaults] ?? hpeFaults['flash-failed'];
  return {
    State: 'Error',
    FlashProgressPercent: last.percent,
    Result: { MessageId: `${registry}.${said.key}`, MessageArgs: [said.text] },
  };
}

/** HPE's own members. */
export function hpeDecoration(generation: HpeGeneration): ReturnType<typeof decorateBy> {
  const managerVersion = (machine: Machine): string =>
    hpeManagerVersion(
      generation.product,
      reportedFirmware(machine).find((slot) => slot.component === 'bmc')?.version ?? '',
    );
  return decorateBy({
    ServiceRoot: (body, machine) =>
      withOem(body, 'Hpe', {
        '@odata.type': '#HpeiLOServiceExt.v2_3_0.HpeiLOServiceExt',
        Manager: [
          {
            ManagerType: generation.product,
            ManagerFirmwareVersion: managerVersion(machine).replace(`${generation.product} v`, ''),
            Status: { Health: 'OK' },
          },
        ],
        Sessions: {
          LocalLoginEnabled: true,
          LoginHint: {
            Hint: 'POST to /Sessions to login',
            HintPOSTData: { UserName: 'username', Password: 'password' },
          },
        },
      }),
    ComputerSystem: (body, machine) =>
      withOem(body, 'Hpe', {
        '@odata.type': '#HpeComputerSystemExt.v2_10_2.HpeComputerSystemExt',
        PostState: postState(machine),
        PowerOnDelay: 'Minimum',
        ServerFQDN: '',
        IntelligentProvisioningVersion: '4.20',
      }),
    Chassis: (body) => withOem(body, 'Hpe', { '@odata.type': '#HpeServerChassis.v2_3_1.HpeServerChassis' }),
    Manager: (body, machine) =>
      withOem({ ...body, FirmwareVersion: managerVersion(machine), Model: generation.product }, 'Hpe', {
        '@odata.type': '#HpeiLO.v2_8_0.HpeiLO',
        Firmware: { Current: { VersionString: managerVersion(machine) } },
        License: { LicenseString: 'iLO Advanced', LicenseTier: 'ADV' },
        iLOSelfTestResults: [],
      }),
    UpdateService: (body, machine) =>
      withOem(withoutApplyTimes(body), 'Hpe', {
        '@odata.type': '#HpeiLOUpdateServiceExt.v2_2_0.HpeiLOUpdateServiceExt',
        ...updateState(machine, generation.registry),
        UpdateTaskQueue: { '@odata.id': hpeUpdatePaths.queue },
        ComponentRepository: { '@odata.id': hpeUpdatePaths.repository },
        InstallSets: { '@odata.id': hpeUpdatePaths.installSets },
        Capabilities: { PLDMFirmwareUpdate: true, UpdateFWPKG: true },
        CurrentTime: new Date(machine.manager.now()).toISOString().replace('.000', ''),
      }),
    SoftwareInventory: (body) => without(body, 'SoftwareId', 'RelatedItem', 'RelatedItem@odata.count', 'Manufacturer'),
  });
}

/** iLO knows no applying times and no StartUpdate. */
function withoutApplyTimes(body: JsonObject): JsonObject {
  const actions = objectIn(body.Actions);
  const simple = objectIn(actions['#UpdateService.SimpleUpdate']);
  return {
    ...without(body, 'HttpPushUriOptions', 'HttpPushUriOptionsBusy', 'HttpPushUriTargets', 'HttpPushUriTargetsBusy'),
    Actions: {
      ...actions,
      '#UpdateService.StartUpdate': undefined,
      '#UpdateService.SimpleUpdate': { ...simple, '@Redfish.OperationApplyTimeSupport': undefined },
    },
  };
}
