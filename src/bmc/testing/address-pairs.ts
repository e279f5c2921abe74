/**
 * How two addresses relate: the same system, two systems behind one BMC, or two BMCs. `overlap`: one names a system and
 * the other the only system of the same BMC, so that both mean one machine.
 */
export type AddressRelation = 'same' | 'overlap' | 'siblings' | 'different';

/** For tests: two spellings, and what they have in common. */
export type AddressPair = readonly [one: string, other: string, relation: AddressRelation];

const system = '/redfish/v1/Systems/1';

/** For tests: what every place that takes BMC addresses has to agree on. */
export const addressPairs: readonly AddressPair[] = [
  // Scheme, slash, service root
  ['https://10.0.0.7', '10.0.0.7', 'same'],
  ['https://10.0.0.7', 'https://10.0.0.7/', 'same'],
  ['https://10.0.0.7', 'HTTPS://10.0.0.7', 'same'],
  ['https://10.0.0.7', 'redfish://10.0.0.7', 'same'],
  ['https://10.0.0.7', 'redfish+https://10.0.0.7', 'same'],
  ['https://10.0.0.7', 'redfish:10.0.0.7', 'same'],
  ['https://10.0.0.7', 'idrac-virtualmedia+https://10.0.0.7/', 'same'],
  ['https://10.0.0.7', 'ilo5-redfish://10.0.0.7', 'same'],
  ['https://10.0.0.7', 'https://10.0.0.7/redfish/v1/', 'same'],
  ['https://10.0.0.7', 'https://10.0.0.7/redfish/v1/Systems', 'same'],
  ['https://10.0.0.7', 'https://10.0.0.7/Redfish/V1/systems/', 'same'],
  ['https://10.0.0.7', '  https://10.0.0.7  ', 'same'],
  ['http://10.0.0.7:8000', 'redfish+http://10.0.0.7:8000', 'same'],
  // One port is one service, whatever is spoken there.
  ['http://10.0.0.7:8000', 'https://10.0.0.7:8000', 'same'],
  ['http://10.0.0.7', 'https://10.0.0.7', 'different'],
  // Ports
  ['https://10.0.0.7', 'https://10.0.0.7:443', 'same'],
  ['https://10.0.0.7', '10.0.0.7:443', 'same'],
  ['https://10.0.0.7', 'https://10.0.0.7:0443/', 'same'],
  ['https://10.0.0.7', 'https://10.0.0.7:', 'same'],
  ['http://10.0.0.7', 'http://10.0.0.7:80/', 'same'],
  ['redfish+http://10.0.0.7', 'http://10.0.0.7:80', 'same'],
  ['https://10.0.0.7', 'https://10.0.0.7:8443', 'different'],
  ['https://10.0.0.7:8443', 'https://10.0.0.7:8444', 'different'],
  ['https://127.0.0.1:40001', 'https://127.0.0.1:40002', 'different'],
  // Names
  ['https://bmc7.example', 'https://BMC7.Example', 'same'],
  ['https://bmc7.example', 'https://bmc7.example.', 'same'],
  ['https://bmc7.example', 'bmc7.example:443', 'same'],
  ['https://bmc7.example', 'https://bmc8.example', 'different'],
  ['https://bmc7', 'https://bmc7.example', 'different'],
  ['https://bücher.example', 'https://xn--bcher-kva.example', 'same'],
  ['https://bücher.example', 'https://BÜCHER.example.', 'same'],
  ['https://bu\u0308cher.example', 'https://bücher.example', 'same'],
  ['https://bmc7。example', 'https://bmc7.example', 'same'],
  ['https://bücher.example', 'https://bucher.example', 'different'],
  // IPv4
  ['https://10.0.0.7', 'https://10.0.0.8', 'different'],
  ['https://10.0.0.7', 'https://10.0.0.70', 'different'],
  ['https://10.0.0.7', 'https://１０.0.0.7', 'same'],
  ['https://10.0.0.7', 'https://10.0.0.7.:443', 'same'],
  // IPv6
  ['https://[fd00::7]', 'https://[FD00:0:0:0:0:0:0:7]', 'same'],
  ['https://[fd00::7]', 'https://[fd00:0::0:0007]:443/', 'same'],
  ['https://[fd00::7]', 'fd00::7', 'same'],
  ['https://[fd00::7]', '[fd00::7]:443', 'same'],
  ['https://[fd00::7]', 'redfish://fd00::7', 'same'],
  ['https://[fd00::7]', 'https://[fd00::8]', 'different'],
  ['https://[fd00::7]:8443', 'https://[fd00::7]', 'different'],
  ['https://[::ffff:10.0.0.7]', 'https://10.0.0.7', 'same'],
  ['https://[::ffff:a00:7]:443', '10.0.0.7', 'same'],
  ['https://[::10.0.0.7]', 'https://10.0.0.7', 'different'],
  ['https://[fe80::1%25eth0]', 'fe80::1%eth0', 'same'],
  ['https://[fe80::1%25eth0]', 'https://[fe80::1%25eth1]', 'different'],
  // Systems behind a BMC
  [`https://10.0.0.7${system}`, `https://10.0.0.7${system}/`, 'same'],
  [`https://10.0.0.7${system}`, `redfish://10.0.0.7:443${system}`, 'same'],
  [`https://10.0.0.7${system}`, 'https://10.0.0.7//redfish/v1//Systems/1', 'same'],
  [`https://10.0.0.7${system}`, 'https://10.0.0.7/redfish/v1/Systems/%31', 'same'],
  [`https://10.0.0.7${system}`, 'https://10.0.0.7/redfish/v1/Systems/2', 'siblings'],
  ['https://10.0.0.7/redfish/v1/Systems/a', 'https://10.0.0.7/redfish/v1/Systems/A', 'siblings'],
  ['https://10.0.0.7/redfish/v1/Systems/a%2fb', 'https://10.0.0.7/redfish/v1/Systems/a%2Fb', 'same'],
  [`https://10.0.0.7${system}`, `https://10.0.0.8${system}`, 'different'],
  [`https://10.0.0.7${system}`, `https://10.0.0.7:8443${system}`, 'different'],
  [`https://10.0.0.7${system}`, 'https://10.0.0.7', 'overlap'],
  ['redfish+https://10.0.0.7/redfish/v1', `10.0.0.7${system}`, 'overlap'],
];

/** For tests: text that is no address, and what is said of it. */
export const badAddresses: readonly (readonly [text: string, why: RegExp])[] = [
  ['https://', /names no host/],
  ['ftp://10.0.0.7', /scheme ftp is not known/],
  ['https://10.0.0', /not a complete IPv4 address/],
  ['https://10.0.0.256', /not a complete IPv4 address/],
  ['https://bmc:70000', /port is not a number from 1 to 65535/],
  ['https://[fd00::7', /brackets/],
  ['https://b mc', /spaces or control characters/],
  ['https://bmc_!', /neither a name nor an IP address/],
  ['https://bmc/redfish/v1?x=1', /query or fragment/],
  ['https://bmc/redfish/../v1/Systems/1', /goes up/],
  ['https://root:hunter2@10.0.0.7', /credentials do not belong in it/],
  ['https://root:1/hunter2@10.0.0.7', /its path is not that of a system/],
  ['https://10.0.0.7?password=hunter2', /query or fragment/],
  ['https://10.0.0.7/24', /its path is not that of a system/],
  ['https://10.0.0.7/login.html', /its path is not that of a system/],
  ['https://10.0.0.7/redfish/v1/Managers/1', /its path is not that of a system/],
  ['https://１０.0.0', /not a complete IPv4 address/],
  ['https://0.0.0.0', /address of no machine/],
  ['https://[::]', /address of no machine/],
  ['not an address', /spaces or control characters/],
];
