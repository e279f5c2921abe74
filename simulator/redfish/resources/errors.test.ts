import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseMessages } from './base-messages.ts';
import { confirm, refuse, refuseMethod, refuseMissing } from './errors.ts';

test('one reason gives its own code and text, with the arguments put in', () => {
  const answer = refuse(400, { messageId: 'PropertyValueNotInList', args: ['Blue', 'Colour'], related: ['#/Colour'] });
  assert.equal(answer.status, 400);
  const message = "The value 'Blue' for the property Colour is not in the list of acceptable values.";
  assert.deepEqual(answer.body, {
    error: {
      code: 'Base.1.8.PropertyValueNotInList',
      message,
      '@Message.ExtendedInfo': [
        {
          '@odata.type': '#Message.v1_1_1.Message',
          MessageId: 'Base.1.8.PropertyValueNotInList',
          Message: message,
          MessageArgs: ['Blue', 'Colour'],
          'MessageArgs@odata.count': 2,
          RelatedProperties: ['#/Colour'],
          'RelatedProperties@odata.count': 1,
          Severity: 'Warning',
          MessageSeverity: 'Warning',
          Resolution: baseMessages.PropertyValueNotInList.resolution,
        },
      ],
    },
  });
});

test('several reasons come under GeneralError', () => {
  const answer = refuse(400, [
    { messageId: 'PropertyUnknown', args: ['A'] },
    { messageId: 'PropertyUnknown', args: ['B'] },
  ]);
  const error = answer.body?.error as { code: string; '@Message.ExtendedInfo': unknown[] };
  assert.equal(error.code, 'Base.1.8.GeneralError');
  assert.equal(error['@Message.ExtendedInfo'].length, 2);
});

test("a vendor's own message keeps its id and text", () => {
  const answer = refuse(503, {
    messageId: 'IDRAC.2.8.SYS518',
    message: 'Busy.',
    severity: 'Critical',
    resolution: 'Wait.',
  });
  const error = answer.body?.error as { code: string; message: string };
  assert.deepEqual([error.code, error.message], ['IDRAC.2.8.SYS518', 'Busy.']);
});

test('what is missing is named, what is not allowed says what is, and what was done says success', () => {
  assert.match(JSON.stringify(refuseMissing('/redfish/v1/Nothing').body), /\/redfish\/v1\/Nothing was not found/);
  assert.deepEqual(refuseMethod(['GET', 'PATCH']).headers, { Allow: 'GET, PATCH' });
  assert.match(JSON.stringify(confirm().body), /Base\.1\.8\.Success/);
});

test('every message of the Base registry has a hole for each of its arguments', () => {
  for (const [key, template] of Object.entries(baseMessages)) {
    const holes = new Set(template.message.match(/%\d/g) ?? []);
    assert.equal(holes.size, 'paramTypes' in template ? template.paramTypes.length : 0, key);
  }
});
