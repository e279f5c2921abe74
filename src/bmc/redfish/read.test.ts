import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import type { JsonObject } from '../json.ts';
import { actionIn, allowableIn, parametersIn } from './action.ts';
import { extendedInfoIn, messageKey, messagesIn } from './messages.ts';
import {
  booleanIn,
  integerIn,
  isAbsent,
  linkIn,
  linksIn,
  listIn,
  memberIn,
  numberIn,
  objectIn,
  objectsIn,
  statusIn,
  textIn,
  textsIn,
  timeIn,
} from './read.ts';
import { parseServiceRoot } from './service-root.ts';
import { detectVendor } from './vendor.ts';

test('text is what says something: trimmed, without control characters, numbers too (security.md: bmc-answers)', () => {
  const body = { a: '  x ', b: '', c: ' \t', d: 7, e: null, f: ['x'], g: { x: 1 }, h: 'a\u0000b', i: 'é' };
  const read = Object.fromEntries(Object.keys(body).map((name) => [name, textIn(body, name)]));
  const nothing = undefined;
  assert.deepEqual(read, {
    a: 'x',
    b: nothing,
    c: nothing,
    d: '7',
    e: nothing,
    f: nothing,
    g: nothing,
    h: 'a b',
    i: 'é',
  });
});

test('members of Object.prototype are never read', () => {
  for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf']) {
    assert.equal(memberIn({}, name), undefined);
    assert.deepEqual(objectIn({}, name), {});
    assert.deepEqual(listIn({}, name), []);
  }
  const sent = JSON.parse('{"__proto__": {"Version": "1"}}') as JsonObject;
  assert.equal(textIn(sent, 'Version'), undefined);
});

test('numbers may be quoted, but nothing else is a number', () => {
  const body = { a: 1.5, b: '42', c: 'x', d: '', e: true, f: null, g: '0x10', h: '1e9', i: ' 7 ' };
  assert.deepEqual(
    Object.keys(body).map((name) => numberIn(body, name)),
    [1.5, 42, undefined, undefined, undefined, undefined, undefined, undefined, 7],
  );
  assert.equal(integerIn(body, 'a'), undefined);
  assert.equal(integerIn(body, 'b'), 42);
});

test('booleans may be words', () => {
  const body = { a: true, b: 'False', c: 'yes', d: 1, e: null };
  assert.deepEqual(
    Object.keys(body).map((name) => booleanIn(body, name)),
    [true, false, undefined, undefined, undefined],
  );
});

test('a list may come without its brackets', () => {
  const body = { a: [1, 'x'], b: { x: 1 }, c: null, d: 'x' };
  assert.deepEqual(listIn(body, 'a'), [1, 'x']);
  assert.deepEqual(objectsIn(body, 'b'), [{ x: 1 }]);
  assert.deepEqual(listIn(body, 'c'), []);
  assert.deepEqual(textsIn(body, 'd'), ['x']);
  assert.deepEqual(listIn(body, 'missing'), []);
});

test('links lead to paths on the BMC only, each once', () => {
  const links = ['/redfish/v1/a', 'https://evil.test/', '//evil.test/a', '/a/../b', '/redfish/v1/a', '/b#/c/0', ''];
  const body = { all: links.map((each) => ({ '@odata.id': each })), one: { '@odata.id': '/x' }, bare: '/y', bad: [] };
  assert.deepEqual(linksIn(body, 'all'), ['/redfish/v1/a', '/b']);
  assert.equal(linkIn(body, 'one'), '/x');
  assert.equal(linkIn(body, 'bare'), '/y');
  assert.equal(linkIn(body, 'bad'), undefined);
});

test('a time without a zone is in UTC', () => {
  const at = Date.UTC(2025, 0, 2, 3, 4, 5);
  const forms = ['2025-01-02T03:04:05Z', '2025-01-02T05:04:05+02:00', '2025-01-02T03:04:05'];
  assert.deepEqual(
    forms.map((form) => timeIn({ form }, 'form')),
    [at, at, at],
  );
  for (const form of ['today', '', '2025', '2025-13-45T00:00:00Z', 5])
    assert.equal(timeIn({ form }, 'form'), undefined);
});

test('status and absence', () => {
  assert.deepEqual(statusIn({ Status: { State: 'Enabled', HealthRollup: 'Warning' } }), {
    state: 'Enabled',
    health: 'Warning',
  });
  assert.deepEqual(statusIn({ Status: 'OK' }), { state: undefined, health: undefined });
  assert.equal(isAbsent({ Status: { State: 'Absent' } }), true);
  assert.equal(isAbsent({}), false);
});

test('an action is found also under Oem, and its values where they are said', () => {
  const body = {
    Actions: {
      '#A.Reset': { target: '/a', 'ResetType@Redfish.AllowableValues': ['On'], '@Redfish.ActionInfo': '/info' },
      '#A.Bad': { target: 'https://elsewhere.test/' },
      Oem: { '#Oem.B': { target: '/b' } },
    },
  };
  const action = actionIn(body, 'A.Reset');
  assert.equal(action?.target, '/a');
  assert.equal(action?.actionInfo, '/info');
  assert.deepEqual(allowableIn(action?.body ?? {}, 'ResetType'), ['On']);
  assert.equal(allowableIn({}, 'ResetType'), undefined);
  assert.equal(actionIn(body, 'A.Bad'), undefined);
  assert.equal(actionIn(body, 'Oem.B')?.target, '/b');
  assert.deepEqual(parametersIn({ Parameters: [{ Name: 'ResetType', Required: true, AllowableValues: ['On'] }, 4] }), [
    { name: 'ResetType', isRequired: true, allowable: ['On'] },
  ]);
});

test('extended info may be one message or several, in the error or beside it', () => {
  const message = { MessageId: 'Base.1.8.Success', Message: 'ok', MessageArgs: ['a', 1], Severity: 'OK' };
  const read = { id: 'Base.1.8.Success', text: 'ok', args: ['a', '1'], severity: 'OK' };
  assert.deepEqual(extendedInfoIn({ error: { '@Message.ExtendedInfo': message } }), [read]);
  assert.deepEqual(extendedInfoIn({ '@Message.ExtendedInfo': [message, null] }), [read]);
  assert.deepEqual(messagesIn({ Messages: 'none' }, 'Messages'), []);
  assert.equal(messageKey('IDRAC.2.8.SYS518'), 'SYS518');
});

test('no reader throws on any JSON', () => {
  const readers = [
    textIn,
    numberIn,
    integerIn,
    booleanIn,
    listIn,
    objectsIn,
    textsIn,
    linkIn,
    linksIn,
    timeIn,
    actionIn,
  ];
  const names = ['@odata.id', 'Actions', 'Status', 'Links', 'Members', 'Oem', '__proto__', 'Vendor'];
  const body = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 4 }));
  fc.assert(
    fc.property(body, fc.constantFrom(...names), (any, name) => {
      const sent = any as JsonObject;
      for (const read of readers) read(sent, name);
      statusIn(sent);
      extendedInfoIn(sent);
      parametersIn(sent);
      detectVendor({ root: sent, manager: sent, system: sent });
      parseServiceRoot(sent);
    }),
    { numRuns: 3000 },
  );
});
