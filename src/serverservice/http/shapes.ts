import { Type } from 'typebox';
import { AnyObject, ListOf, Struct, Text, Time, Uuid } from '../../rest/index.ts';
import { namespacePattern } from '../attributes/namespace.ts';

/** Where all routes are. */
export const prefix = '/api/v1';

const stamps = { created_at: Time('When it was written first.'), updated_at: Time('When it was written last.') };

/** A member that clients send back as they got it; it is taken and not looked at. */
export const notLookedAt = (why?: string) =>
  Type.Optional(Type.Unknown({ description: `Not looked at${why === undefined ? '' : `: ${why}`}.`, readOnly: true }));

/** When something was written, sent back as clients got it. */
export const ignored = { created_at: notLookedAt(), updated_at: notLookedAt() };

/** The id of a server in a path. */
export const serverParams = Struct({ uuid: Uuid('The id of the server.') });

/** An id in a path. */
export const idParams = Struct({ uuid: Uuid('The id.') });

/** A namespace. */
export const Namespace = Type.String({
  pattern: namespacePattern,
  description: 'Whose data it is: `sh.hollow.bmc_info`.',
});

/** A server and a namespace in a path. */
export const namespaceParams = Struct({ uuid: Uuid('The id of the server.'), namespace: Namespace });

/** An attribute to be written. */
export const AttributeDraft = Struct(
  { namespace: Namespace, data: AnyObject('What is noted.'), ...ignored },
  { title: 'AttributeDraft', description: 'Something to be noted about a server or a part of it.' },
);

/** A version of an attribute to be written. */
export const VersionedAttributeDraft = Struct(
  {
    namespace: Namespace,
    data: AnyObject('What is noted.'),
    version: notLookedAt(),
    tally: notLookedAt(),
    last_reported_at: notLookedAt(),
    ...ignored,
  },
  { title: 'VersionedAttributeDraft', description: 'A new version of what is noted.' },
);

/** An attribute. */
export const AttributeShape = Struct(
  { namespace: Type.String({ description: 'Whose data it is.' }), data: AnyObject('What was noted.'), ...stamps },
  { title: 'Attribute', description: 'Something noted about a server or a part of it.' },
);

/** One version of an attribute. */
export const VersionedShape = Struct(
  {
    namespace: Type.String({ description: 'Whose data it is.' }),
    data: AnyObject('What was noted.'),
    version: Type.Integer({ description: 'Grows by one with each version.' }),
    tally: Type.Integer({ description: 'How often the same was written again.' }),
    last_reported_at: Time('When it was written last.'),
    ...stamps,
  },
  { title: 'VersionedAttribute', description: 'One version of something noted; none is ever changed.' },
);

/** A part of a server. */
export const ComponentShape = Struct(
  {
    uuid: Uuid('Its id.'),
    server_uuid: Uuid('The server it is in.'),
    component_type_slug: Type.String({ description: 'The slug of its type.' }),
    component_type_name: Type.String({ description: 'The name of its type.' }),
    name: Type.String({ description: 'Its name.' }),
    vendor: Type.String({ description: 'Who made it.' }),
    model: Type.String({ description: 'Its model.' }),
    serial: Type.String({ description: 'Its serial number; empty where nobody knows it.' }),
    slot: Type.String({ description: 'Where in the server it is, in the words of its BMC.' }),
    attributes: Type.Array(AttributeShape),
    versioned_attributes: Type.Array(VersionedShape),
    ...stamps,
  },
  { title: 'Component', description: 'A part of a server.' },
);

/** A part to be written. */
export const ComponentDraftShape = Struct(
  {
    uuid: notLookedAt(),
    server_uuid: notLookedAt(),
    component_type_name: notLookedAt(),
    component_type_slug: Text('The slug of its type.', { minLength: 1, maxLength: 100 }),
    name: Type.Optional(Text('Its name.', { maxLength: 255 })),
    vendor: Type.Optional(Text('Who made it.', { maxLength: 255 })),
    model: Type.Optional(Text('Its model.', { maxLength: 255 })),
    serial: Text('Its serial number; with the type it tells parts apart.', { maxLength: 255 }),
    slot: Type.Optional(Text('Where it is; with it, type and slot tell parts apart.', { maxLength: 255 })),
    attributes: Type.Optional(ListOf(AttributeDraft, 'What is noted of it.', { maxItems: 50 })),
    versioned_attributes: Type.Optional(ListOf(VersionedAttributeDraft, 'What is noted of it.', { maxItems: 50 })),
    ...ignored,
  },
  { title: 'ComponentDraft', description: 'A part of a server to be written.' },
);

/** A kind of part. */
export const ComponentTypeShape = Struct(
  {
    id: Uuid('Its id.'),
    name: Type.String({ description: 'Its name.' }),
    slug: Type.String({ description: 'What others call it by.' }),
    ...stamps,
  },
  { title: 'ComponentType', description: 'A kind of part.' },
);

/** A server. */
export const ServerShape = Struct(
  {
    uuid: Uuid('Its id, also of its machine.'),
    name: Type.String({ description: 'Its name.' }),
    facility_code: Type.String({ description: 'Where it is.' }),
    vendor: Type.String({ description: 'Who made it.' }),
    model: Type.String({ description: 'Its model.' }),
    serial: Type.String({ description: 'Its serial number.' }),
    bmc_id: Type.String({ description: 'Servers with the same one share a BMC.' }),
    bmc_address: Type.String({ description: 'Where its BMC is.' }),
    mac_addresses: Type.Array(Type.String()),
    system_uuid: Type.String({
      description: 'The UUID of its system, as its BMC tells it; empty while nobody knows it.',
    }),
    bmc_uuid: Type.String({ description: 'The UUID of the service root of its BMC.' }),
    contradictions: Type.Optional(
      Type.Array(Type.String(), { description: 'What the record has and the BMC tells otherwise.' }),
    ),
    duplicates: Type.Optional(
      Type.Array(Type.String(), { description: 'Other servers that are the same machine, as their BMCs tell.' }),
    ),
    deleted_at: Type.Optional(Time('When it was deleted.')),
    machine_problem: Type.Optional(Type.String({ description: 'Why no work can be done on it.' })),
    attributes: Type.Optional(Type.Array(AttributeShape)),
    versioned_attributes: Type.Optional(Type.Array(VersionedShape)),
    components: Type.Optional(Type.Array(ComponentShape)),
    ...stamps,
  },
  { title: 'Server', description: 'A server of the inventory.' },
);

/** Something that happened to a server. */
export const EventShape = Struct(
  {
    event_id: Uuid('Shared by what was asked for together.'),
    type: Type.String({ description: 'The kind of the condition.' }),
    target_server: Uuid('The server.'),
    parameters: AnyObject('What was asked for.'),
    final_state: Type.String({ description: 'How it ended.' }),
    final_status: AnyObject('What was reported last.'),
    event_start: Time('When it began.'),
    event_end: Time('When it ended.'),
  },
  { title: 'Event', description: 'Something that was done to a server and has ended.' },
);

/** What names something new that has a slug. */
export const slugDraft = {
  name: Text('Its name.', { minLength: 1, maxLength: 100 }),
  slug: Type.Optional(
    Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,99}$', description: 'Made from the name unless given.' }),
  ),
};
