import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageTag } from './image-tag.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const table: readonly (readonly [image: string, tag: string])[] = [
  ['app', 'latest'],
  ['team/app:latest', 'latest'],
  ['example.com:5000/team/app', 'latest'],
  ['example.com:5000/team/app:1.2', '1.2'],
  ['[::1]:5000/app', 'latest'],
  [`app@${digest}`, ''],
  [`app:3@${digest}`, '3'],
  ['', ''],
  ['&!b', ''],
  ['App', ''],
  ['app:', ''],
  ['app:a:b', ''],
  ['a//b', ''],
  ['a__b-c.d', 'latest'],
  ['a'.repeat(64), ''],
];

test('the tag of an image is what stands for its version, and nothing where there is no image', () => {
  for (const [image, tag] of table) assert.equal(imageTag(image), tag, image);
});
