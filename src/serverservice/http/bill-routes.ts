import { Type } from 'typebox';
import {
  answerMessage,
  defineRoute,
  ListOf,
  MessageAnswer,
  type Route,
  restResources,
  Struct,
  Text,
} from '../../rest/index.ts';
import type { BillOfMaterials } from '../bom/boms.ts';
import type { Serverservice } from '../serverservice.ts';
import { recordRoutes } from './record-routes.ts';
import { prefix } from './shapes.ts';
import { showBill } from './show.ts';

const BillShape = Struct(
  {
    serial_num: Type.String({ description: 'The serial number of the server.' }),
    aoc_mac_address: Type.String({ description: 'MACs of add-on cards, with commas between.' }),
    bmc_mac_address: Type.String({ description: 'MACs of the BMC, with commas between.' }),
    num_defi_pmi: Type.String({ description: 'The number of the power monitoring unit.' }),
    metro: Type.String({ description: 'Where it is delivered to.' }),
  },
  {
    title: 'BillOfMaterials',
    description: 'What the maker of a server says of it. The first password is never shown.',
  },
);

const MacList = (description: string) =>
  Type.String({
    maxLength: 2000,
    pattern: '^ *(|[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5} *(, *[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5} *)*)$',
    description,
  });

const BillDraft = Struct(
  {
    serial_num: Text('The serial number of the server.', { pattern: '^[^\\u0000]*\\S[^\\u0000]*$', maxLength: 255 }),
    aoc_mac_address: Type.Optional(MacList('MACs of add-on cards, with commas between.')),
    bmc_mac_address: Type.Optional(MacList('MACs of the BMC, with commas between.')),
    num_defi_pmi: Type.Optional(Text('The number of the power monitoring unit.', { maxLength: 255 })),
    num_def_pwd: Type.Optional(Text('The first password; kept encrypted and never shown.', { maxLength: 255 })),
    metro: Type.Optional(Text('Where it is delivered to.', { maxLength: 255 })),
  },
  { title: 'BillOfMaterialsDraft', description: 'What the maker of a server says of it.' },
);

/** Bills of materials: servers are recognised by their MACs before anybody has seen them. */
export function billRoutes({ billsOfMaterials }: Serverservice): readonly Route[] {
  const path = `${prefix}/bill-of-materials`;
  const resource = restResources.billOfMaterials;
  const macs = (text: string | undefined) => (text ?? '').split(',').filter((mac) => mac.trim() !== '');
  const routes = recordRoutes<BillOfMaterials>({
    ...{ path, tag: 'bills of materials', resource, shape: BillShape },
    show: showBill,
    slug: ({ serial }) => serial,
  });
  const lookUp = (kind: 'aoc' | 'bmc', operation: string) =>
    routes.get({
      path: `${path}/${kind}-mac-address/:mac`,
      params: Struct({ mac: Text('The MAC address.', { minLength: 1, maxLength: 17 }) }),
      operation,
      summary: `The bill of the server with this ${kind.toUpperCase()} MAC address.`,
      refusals: { 404: 'No bill has this MAC address.' },
      get: ({ params }) => billsOfMaterials.findByMac(kind, params.mac),
    });
  return [
    defineRoute({
      method: 'POST',
      path: `${path}/batch-upload`,
      tag: 'bills of materials',
      operation: 'uploadBillsOfMaterials',
      summary: 'Bills of materials, all or none.',
      access: { verb: 'create', resource },
      body: ListOf(BillDraft, 'The bills.', { maxItems: 1000 }),
      answers: { 200: MessageAnswer },
      refusals: { 409: 'A MAC address belongs to another serial number.' },
      async handle({ body }) {
        await billsOfMaterials.putAll(
          body.map((bill) => ({
            serial: bill.serial_num,
            aocMacs: macs(bill.aoc_mac_address),
            bmcMacs: macs(bill.bmc_mac_address),
            numDefiPmi: bill.num_defi_pmi ?? '',
            numDefPwd: bill.num_def_pwd ?? '',
            metro: bill.metro ?? '',
          })),
        );
        return answerMessage('resource updated');
      },
    }),
    lookUp('aoc', 'findBillByAocMac'),
    lookUp('bmc', 'findBillByBmcMac'),
  ];
}
