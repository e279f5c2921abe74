import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#fast-check';
import {
  findDuplicateFields,
  goJsonSyntaxError,
  isJsonObject,
  parseJson,
  parseStrict,
  parseYamlStrict,
} from './index.ts';
import { findJsonFault } from './json-scan.ts';

// Each pair was said by kube-apiserver 1.34.
const faults: [string, string][] = [
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['{"a":1,', 'unexpected end of JSON input'],
  ['"abc', 'unexpected end of JSON input'],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
  ['{"a":nul', "invalid character ' ' in literal null (expecting 'l')"],
  ['{"a":01}', "invalid character '1' after object key:value pair"],
  ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
  ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
  ['{"a":-}', "invalid character '}' in numeric literal"],
  ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
  ['{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"],
  ['{"a":"\n"}', "invalid character '\\n' in string literal"],
  ['{"a":"\u0001"}', "invalid character '\\x01' in string literal"],
  ['{"a":1}x', "invalid character 'x' after top-level value"],
  ['\u00e9', "invalid character '\u00c3' looking for beginning of value"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
];

for (const [text, expected] of faults) {
  test(`the fault in ${JSON.stringify(text)} is told as Go tells it`, () => {
    assert.equal(goJsonSyntaxError(text), expected);
  });
}

test('the scanner and JSON.parse agree on what is JSON', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"',
    '1',
    '-',
    '0',
    '.5',
    'e1',
    'true',
    'null',
    ' ',
    '\\',
    'u00e9',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece).map((pieces) => pieces.join('')),
        fc.json(),
      ),
      (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        assert.equal(findJsonFault(text) === undefined, isJson);
        if (!isJson) assert.match(goJsonSyntaxError(text), /^(?:invalid character|unexpected end)/);
      },
    ),
  );
});

test('nesting too deep to walk is refused', () => {
  const deep = '['.repeat(5000) + ']'.repeat(5000);
  assert.deepEqual(parseJson(deep), { error: "invalid character '[' exceeded max depth" });
  assert.ok('value' in parseJson('['.repeat(900) + ']'.repeat(900)));
});

test('an integer that JavaScript would round is refused, other big numbers are not', () => {
  assert.ok('error' in parseJson('{"a":9007199254740993}'));
  assert.ok('error' in parseJson('{"a":[-9223372036854775807]}'));
  assert.deepEqual(parseJson('{"a":9007199254740991}'), { value: { a: 9007199254740991 } });
  assert.deepEqual(parseJson('{"a":"9007199254740993"}'), { value: { a: '9007199254740993' } });
  assert.deepEqual(parseJson('{"a":100000000000000000000}'), { value: { a: 1e20 } });
});

test('fields that stand twice are named once each, in order', () => {
  const text =
    '{"kind":"A","kind":"B","spec":{"a":1,"x":{"k":[{"q":1,"q":2},{"q":1,"q":2}]},"a":2,"a":3,"x":"\\"a\\":"}}';
  const expected = ['kind', 'spec.x.k[0].q', 'spec.x.k[1].q', 'spec.a', 'spec.x'];
  assert.deepEqual(findDuplicateFields(text), expected);
  assert.deepEqual(parseStrict(text), { value: JSON.parse(text), duplicates: expected });
  assert.deepEqual(parseStrict('{"a":{"b":[1,{"a":"x:y"}]},"b":null}'), {
    value: { a: { b: [1, { a: 'x:y' }] }, b: null },
    duplicates: [],
  });
});

test('counting keys never misses a field that stands twice', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), (a, b) => {
      const text = `{"x":${a},"y":${b},"x":[${b}]}`;
      assert.ok(findDuplicateFields(text, JSON.parse(text)).includes('x'));
    }),
  );
});

test('YAML is read with the scalars of YAML 1.1 and the fields that stand twice', () => {
  const parsed = parseYamlStrict('a: yes\nb: 012\nc: 2001-01-01\nd: 12:30\ne: ~\n3: x\nspec:\n  a: 1\n  a: 2\n');
  assert.ok('value' in parsed);
  assert.deepEqual(parsed.value, { a: true, b: 10, c: '2001-01-01', d: '12:30', e: null, '3': 'x', spec: { a: 2 } });
  assert.deepEqual(parsed.duplicates, ['spec.a']);
  assert.equal(parsed.strictError, 'yaml: unmarshal errors:\n  line 9: key "a" already set in map');
});

// Each pair was said by kube-apiserver 1.34.
test('a point is a text, and a number only with a digit', () => {
  const parsed = parseYamlStrict('[., -., ._, 1., .5, 1.5, .inf1]');
  assert.ok(!('error' in parsed));
  assert.deepEqual(parsed.value, ['.', '-.', '._', 1, 0.5, 1.5, '.inf1']);
});

test('a number that no float can hold is a text in YAML', () => {
  for (const text of ['{"a": 1e400, "b": -1.5e999, "c": 1e3}', 'a: 1e400\nb: -1.5e999\nc: 1e3\n']) {
    const parsed = parseYamlStrict(text);
    assert.ok(!('error' in parsed));
    assert.deepEqual(parsed.value, { a: '1e400', b: '-1.5e999', c: 1000 });
  }
  assert.deepEqual(parseYamlStrict('a: .inf'), { error: 'json: unsupported value: +Inf' });
});

test('a carriage return ends a line of YAML', () => {
  for (const [text, value] of [
    ['\r', null],
    ['a: 1\rb: 2\r\nc: 3\n', { a: 1, b: 2, c: 3 }],
  ] as const) {
    const parsed = parseYamlStrict(text);
    assert.ok(!('error' in parsed));
    assert.deepEqual(parsed.value, value);
  }
});

const yamlFaults: [string, string][] = [
  ['a: b: c', 'yaml: mapping values are not allowed in this context'],
  ['x: 1\na: b: c\n', 'yaml: line 2: mapping values are not allowed in this context'],
  ['a:\n\t- b', 'yaml: line 2: found character that cannot start any token'],
  ['a: @x\n', 'yaml: found character that cannot start any token'],
  ['a: "x', 'yaml: found unexpected end of stream'],
  ['a: "\\q"\n', 'yaml: found unknown escape character'],
  ['a: - b\n', 'yaml: block sequence entries are not allowed in this context'],
  ['a: {b: 1\nc: 2', "yaml: line 1: did not find expected ',' or '}'"],
  ['{a: b: c}', "yaml: did not find expected ',' or '}'"],
  ['- a\nb: c\n', "yaml: line 1: did not find expected '-' indicator"],
  ['a: ]\n', 'yaml: did not find expected node content'],
  ['a: *x\n', "yaml: unknown anchor 'x' referenced"],
  ['<<: 5\n', 'yaml: map merge requires map or sequence of maps as the value'],
  ['\u0001: a', 'yaml: control characters are not allowed'],
  ['a: .inf', 'json: unsupported value: +Inf'],
];

for (const [text, error] of yamlFaults) {
  test(`YAML ${JSON.stringify(text)} is refused as Go refuses it`, () => {
    assert.deepEqual(parseYamlStrict(text), { error });
  });
}

test('a bomb of aliases is refused', () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 12; i++)
    lines.push(
      `a${i}: &a${i} [${Array(9)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  assert.deepEqual(parseYamlStrict(lines.join('\n')), { error: 'yaml: document contains excessive aliasing' });
});

function unfolding(keys: number, aliases: number): string {
  const map = Array.from({ length: keys }, (_, i) => `  k${i}: 1\n`).join('');
  return `a: &a\n${map}list:\n${'- *a\n'.repeat(aliases)}`;
}

// kube-apiserver 1.34 takes 90 aliases of a thousand fields and refuses 110.
test('a map may stand for itself in many places, but not make nearly all of the document', () => {
  const parsed = parseYamlStrict(unfolding(1000, 90));
  assert.ok('value' in parsed && isJsonObject(parsed.value));
  assert.equal(JSON.stringify(parsed.value.list), JSON.stringify(Array(90).fill(parsed.value.a)));
  assert.deepEqual(parseYamlStrict(unfolding(1000, 110)), { error: 'yaml: document contains excessive aliasing' });
});

test('a large map may not be unfolded hundreds of times', () => {
  assert.deepEqual(parseYamlStrict(unfolding(10_000, 900)), { error: 'yaml: document contains excessive aliasing' });
});

test('thousands of aliases of one text are read', () => {
  const parsed = parseYamlStrict(`a: &a x\nlist:\n${'- *a\n'.repeat(5000)}b: &a z\nc: *a\n`);
  assert.ok('value' in parsed);
  assert.deepEqual(parsed.value, { a: 'x', list: Array(5000).fill('x'), b: 'z', c: 'z' });
});

test('an alias and what it stands for are separate values', () => {
  const parsed = parseYamlStrict('a: &a {x: 1}\nb: *a\nc: {<<: *a, z: 2}\n');
  assert.ok('value' in parsed && isJsonObject(parsed.value));
  assert.deepEqual(parsed.value, { a: { x: 1 }, b: { x: 1 }, c: { x: 1, z: 2 } });
  assert.notEqual(parsed.value.a, parsed.value.b);
});

test('a value that contains itself is refused', () => {
  assert.deepEqual(parseYamlStrict('a: &a [*a]\n'), { error: "yaml: anchor 'a' value contains itself" });
});

test('a hundred fields that stand twice are named, as by the API server', () => {
  const fields = Array.from({ length: 300 }, (_, i) => `"k${i}":1,"k${i}":2,"k${i}":3`);
  const found = findDuplicateFields(`{${fields.join()}}`);
  assert.deepEqual([found.length, found[0], found[99]], [100, 'k0', 'k99']);
});

test('JSON read as YAML is what it is as JSON, on one line or many', () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
  fc.assert(
    fc.property(objects, fc.constantFrom(undefined, 2), (object, indent) => {
      const text = JSON.stringify(object, null, indent);
      const parsed = parseYamlStrict(text);
      assert.ok('value' in parsed, text);
      assert.deepEqual(parsed.value, JSON.parse(text));
      assert.deepEqual([parsed.duplicates, parsed.strictError], [[], undefined]);
    }),
  );
});

test('flow YAML that is no JSON, and JSON with a field twice, are still read as YAML', () => {
  const flow = parseYamlStrict('{a: yes, b: [x, 1e3]}');
  assert.ok('value' in flow && isJsonObject(flow.value));
  assert.equal(flow.value.a, true);
  const twice = parseYamlStrict('{"a": 1, "a": 2}');
  assert.ok('value' in twice);
  assert.deepEqual(twice.duplicates, ['a']);
  assert.match(twice.strictError ?? '', /line 1: key "a" already set in map/);
});

test('YAML has no escapes for halves of characters, though its plain texts may hold what looks like one', () => {
  const refused = { error: 'yaml: found invalid Unicode character escape code' };
  assert.deepEqual(parseYamlStrict('{"a":"\\ud83d\\ude00"}'), refused);
  assert.deepEqual(parseYamlStrict('a: "x\\uD800"'), refused);
  for (const text of ["a: 'x\\ud800'", 'a: x\\ud800', 'a: "x\\\\ud800"', 'a: "\\ud7ff"']) {
    assert.ok('value' in parseYamlStrict(text), text);
  }
});
