import type { Exception, FuzzWish } from './schemathesis.ts';

/** What holds of every answer, whatever was asked. */
const always = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
  'allow_header_conformance',
];

const notServed: Exception = {
  operations: ['provisionServer'],
  because: 'hosts are provisioned elsewhere: 501 is the one answer, as it shipped',
  expected: ['2xx', '4xx', '501'],
};

const longLists: Exception = {
  operations: ['createBiosConfigSet', 'updateBiosConfigSet'],
  because: 'a set may have so many settings that the longest lists take minutes to make',
  withoutPhases: ['coverage'],
};

const waits: Exception = {
  operations: ['leaseWork'],
  because: 'its longest wait would be waited for',
  withoutPhases: ['coverage'],
};

/** Anything may be sent: nothing fails, nothing is answered that the document does not have, nothing wrong is taken. */
export const anything: FuzzWish = {
  checks: [
    ...always,
    'negative_data_rejection',
    'missing_required_header',
    'ignored_auth',
    'use_after_free',
    'ensure_resource_availability',
  ],
  phases: ['coverage', 'fuzzing', 'stateful'],
  mode: 'all',
  isNulAllowed: true,
  examples: 8,
  exceptions: [notServed, waits, longLists],
};

/** What keeps to the document is taken, except where what is taken also depends on what no schema can say. */
export const whatIsDocumented: FuzzWish = {
  checks: ['not_a_server_error', 'positive_data_acceptance'],
  phases: ['coverage', 'fuzzing'],
  mode: 'positive',
  isNulAllowed: false,
  examples: 5,
  exceptions: [
    notServed,
    waits,
    longLists,
    ...[
      {
        operations: ['createCondition', 'createConditionOfKind', 'createFirmwareInstall', 'createBiosControl'],
        because: 'each kind checks its parameters',
      },
      {
        operations: ['updateCondition', 'updateConditionOfKind', 'updateConditionById'],
        because: 'the kind of a condition cannot be changed, and each kind checks its parameters',
      },
      { operations: ['validateFirmware'], because: 'the set may be unknown or empty' },
      { operations: ['workerOnline'], because: 'the kinds have to be known' },
      { operations: ['listConditions', 'listServerHistory'], because: '`after` is what a page before gave' },
      {
        operations: ['createServerComponents', 'putServerComponents', 'putInventory'],
        because: 'the types have to be known, and no part may be named twice',
      },
      { operations: ['createFirmware', 'updateFirmware'], because: 'a checksum is needed, wherever it is given' },
      {
        operations: ['createFirmwareSet', 'updateFirmwareSet', 'removeFirmwareFromSet'],
        because: 'firmware may be unknown',
      },
      { operations: ['listFirmwareSets', 'listDesignedFirmwareSets'], because: 'vendor and model go together' },
      { operations: ['createComponentType', 'createCredentialType'], because: 'a name has to make a slug' },
      {
        operations: ['createBiosConfigSet', 'updateBiosConfigSet'],
        because: 'no part and no setting may be named twice',
      },
      {
        operations: ['createServer', 'updateServer', 'enrollServer', 'enrollServerAs'],
        because: 'no pattern says what the address of a BMC is, and two servers cannot have one',
      },
      { operations: ['listServers'], because: 'filters by attributes have a grammar of their own' },
      { operations: ['putEvent'], because: 'nothing ends before it begins' },
    ].map((one) => ({ ...one, without: 'positive_data_acceptance' })),
  ],
};

/** Without a token nothing is looked at, so that a few requests for each operation are enough. */
export const anythingWithoutToken: FuzzWish = {
  checks: always,
  phases: ['fuzzing'],
  mode: 'all',
  isNulAllowed: true,
  examples: 5,
  exceptions: [],
};
