import { decorateBy, objectIn, withOem, withOemAction, without } from '../parts/decoration.ts';
import { jobCollections, jobServicePath } from './jobs.ts';
import { dellInstallPath, installationServicePath, lifecycleServicePath } from './services.ts';

/** Dell's own members. */
export const decorateDell = decorateBy({
  ServiceRoot: (body, { hardware }) =>
    withOem(body, 'Dell', {
      '@odata.type': '#DellServiceRoot.v1_0_0.ServiceRootSummary',
      ServiceTag: hardware.serial,
      ManagerMACAddress: hardware.bmcMac.toLowerCase(),
      IsBranded: 0,
    }),
  ComputerSystem: (body, { hardware, personality, power }) =>
    withOem(
      {
        ...body,
        HostName: objectIn(body).HostName ?? '',
        PartNumber: hardware.model === 'PowerEdge R640' ? '0W23H8A04' : '01J4WFA05',
      },
      'Dell',
      {
        '@odata.type': '#DellOem.v1_3_0.DellOemResources',
        DellSystem: {
          '@odata.id': `/redfish/v1/Systems/${personality.ids.system}`,
          '@odata.type': '#DellSystem.v1_4_0.DellSystem',
          SystemGeneration: hardware.model === 'PowerEdge R640' ? '14G Monolithic' : '15G Monolithic',
          ChassisServiceTag: hardware.serial,
          NodeID: hardware.serial,
          ServerOSOrHypervisor: power.bootProgress === 'OSRunning' ? 'Present' : 'Absent',
        },
        DellSoftwareInstallationService: { '@odata.id': installationServicePath },
      },
    ),
  Chassis: (body, { hardware }) => ({ ...body, SKU: hardware.serial, AssetTag: body.AssetTag ?? '' }),
  Manager: (body, { hardware }) =>
    withOem(
      { ...body, Model: hardware.model === 'PowerEdge R640' ? '14G Monolithic' : '15G Monolithic', ManagerType: 'BMC' },
      'Dell',
      {
        '@odata.type': '#DellOem.v1_3_0.DellOemLinks',
        Jobs: { '@odata.id': jobCollections[0] },
        DellJobService: { '@odata.id': jobServicePath },
        DellLCService: { '@odata.id': lifecycleServicePath },
      },
    ),
  UpdateService: (body) =>
    withOemAction({ ...body, MaxImageSizeBytes: null }, 'DellUpdateService.v1_1_0#DellUpdateService.Install', {
      target: dellInstallPath,
      'InstallUpon@Redfish.AllowableValues': ['Now', 'NowAndReboot', 'NextReboot'],
    }),
  // Real entries leave the list out; a component is told by the FQDD in its id.
  SoftwareInventory: (body) => without(body, 'RelatedItem', 'RelatedItem@odata.count', 'Manufacturer'),
  Task: (body) => withOem(body, 'Dell', { '@odata.type': '#DellJob.v1_4_0.DellJob', Id: body.Id ?? null }),
});
