/** Collections of Redfish: what stands after one of them in a path is the id of a member. */
const collections = new Set(
  [
    'Accounts AssetTags BootOptions Certificates Chassis Controllers Drives Entries EthernetInterfaces',
    'FirmwareInventory HostInterfaces Jobs JsonSchemas LogServices Managers Members Memory NetworkAdapters',
    'NetworkDeviceFunctions NetworkInterfaces NetworkPorts Oem Packages PCIeDevices PCIeFunctions Ports',
    'PowerSupplies Processors Registries Roles Sensors Sessions SoftwareInventory Storage Subscriptions',
    'Systems TaskMonitors Tasks VirtualMedia Volumes',
  ].flatMap((line) => line.split(' ')),
);

const looksLikeId = /^(?:\d+|JID_.*|[0-9a-fA-F]{8}-[0-9a-fA-F-]+|.*\d{6,}.*)$/;

/** A path without what differs from machine to machine, so that there are few of them: `/redfish/v1/Systems/{id}/Bios`. */
export function pathTemplate(path: string): string {
  const segments = (path.split('?', 1)[0] ?? '').replace(/^https?:\/\/[^/]+/, '').split('/');
  return segments
    .map((segment, index) => {
      if (segment === '' || index < 3) return segment;
      const before = segments[index - 1] ?? '';
      const isMember = collections.has(before) && before !== 'Oem' && segment !== 'Actions' && segment !== 'Settings';
      return isMember || looksLikeId.test(segment) ? '{id}' : segment;
    })
    .join('/');
}
