import { Type } from 'typebox';
import type { JsonObject } from '../../engine/index.ts';
import {
  AnyObject,
  answerMessage,
  answerPage,
  answerRecord,
  defineRoute,
  ListOf,
  MessageAnswer,
  pageAnswer,
  pageQuery,
  type Route,
  readPage,
  recordAnswer,
  restResources,
  Struct,
  Text,
  Time,
  Uuid,
} from '../../rest/index.ts';
import { eventOrders } from '../events/events.ts';
import type { Serverservice } from '../serverservice.ts';
import { EventShape, idParams, prefix, serverParams } from './shapes.ts';
import { showBill, showEvent } from './show.ts';

const EventDraft = Struct(
  {
    event_id: Type.Optional(Type.Unknown({ description: 'Not looked at: the path says it.', readOnly: true })),
    type: Text('The kind of the condition.', { minLength: 1, maxLength: 100 }),
    target_server: Uuid('The server.'),
    parameters: Type.Optional(AnyObject('What was asked for.')),
    final_state: Type.Union([Type.Literal('succeeded'), Type.Literal('failed')], { description: 'How it ended.' }),
    final_status: Type.Optional(AnyObject('What was reported last.')),
    event_start: Time('When it began.'),
    event_end: Time('When it ended.'),
  },
  { title: 'EventDraft', description: 'Something that was done to a server and has ended.' },
);

/** What happened to servers. */
export function eventRoutes({ events, servers }: Serverservice): readonly Route[] {
  const path = `${prefix}/events`;
  const resource = restResources.events;
  return [
    defineRoute({
      method: 'GET',
      path: `${path}/:uuid`,
      tag: 'events',
      params: idParams,
      operation: 'getEvent',
      summary: 'What has this id: several where they were asked for together.',
      access: { verb: 'get', resource },
      answers: { 200: Struct({ records: Type.Array(EventShape) }) },
      refusals: { 404: 'Nothing has this id.' },
      handle: async ({ params }) => ({
        status: 200,
        body: { records: (await events.get(params.uuid)).map(showEvent) },
      }),
    }),
    defineRoute({
      method: 'PUT',
      path: `${path}/:uuid`,
      tag: 'events',
      params: idParams,
      operation: 'putEvent',
      summary: 'Notes what happened; doing so twice is harmless.',
      access: { verb: 'update', resource },
      body: EventDraft,
      answers: { 200: MessageAnswer },
      refusals: { 404: 'There is no such server.' },
      async handle({ params, body }) {
        const { id } = await servers.get(body.target_server, { isWithDeleted: true });
        const done = await events.put({
          id: params.uuid,
          type: body.type,
          target: id,
          parameters: (body.parameters ?? {}) as JsonObject,
          finalState: body.final_state,
          finalStatus: (body.final_status ?? {}) as JsonObject,
          startedAt: Date.parse(body.event_start),
          endedAt: Date.parse(body.event_end),
        });
        return answerMessage(`resource ${done}`, { slug: params.uuid });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/by-server/:uuid`,
      tag: 'events',
      params: serverParams,
      operation: 'listServerEvents',
      summary: 'What happened to a server, the newest first; also of one that was deleted.',
      access: { verb: 'list', resource },
      query: Struct(pageQuery(eventOrders)),
      answers: { 200: pageAnswer(EventShape) },
      refusals: { 404: 'There is no such server.' },
      async handle({ params, query, url }) {
        const request = readPage(query);
        const { id } = await servers.get(params.uuid, { isWithDeleted: true });
        return answerPage(await events.listByServer(id, request), { request, url, show: showEvent });
      },
    }),
  ];
}

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

const BillDraft = Struct(
  {
    serial_num: Text('The serial number of the server.', { minLength: 1, maxLength: 255 }),
    aoc_mac_address: Type.Optional(Text('MACs of add-on cards, with commas between.', { maxLength: 2000 })),
    bmc_mac_address: Type.Optional(Text('MACs of the BMC, with commas between.', { maxLength: 2000 })),
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
  const lookUp = (kind: 'aoc' | 'bmc', operation: string) =>
    defineRoute({
      method: 'GET',
      path: `${path}/${kind}-mac-address/:mac`,
      tag: 'bills of materials',
      params: Struct({ mac: Text('The MAC address.', { minLength: 1, maxLength: 17 }) }),
      operation,
      summary: `The bill of the server with this ${kind.toUpperCase()} MAC address.`,
      access: { verb: 'get', resource },
      answers: { 200: recordAnswer(BillShape) },
      refusals: { 404: 'No bill has this MAC address.' },
      handle: async ({ params }) => answerRecord(showBill(await billsOfMaterials.findByMac(kind, params.mac))),
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
