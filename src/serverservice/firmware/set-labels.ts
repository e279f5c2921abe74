import type { JsonObject, Transaction } from '../../engine/index.ts';
import { InventoryError } from '../errors.ts';

/** Labels of a firmware set. */
export type Labels = Readonly<Record<string, string>>;

/** The namespace in which clients of the shipped service write labels. */
export const labelNamespace = 'sh.hollow.firmware_set.labels';

const pattern = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/;

/** Throws `badValue` for labels that cannot be kept. */
export function checkLabels(labels: Labels): Labels {
  const problems = Object.entries(labels).flatMap(([name, value]) => [
    ...(pattern.test(name) ? [] : [`"${name}" is no name of a label: letters, digits and . _ / -, at most 63`]),
    ...(value.length <= 255 ? [] : [`the label ${name} has more than 255 characters`]),
  ]);
  if (problems.length > 0) throw new InventoryError('badValue', { what: 'labels' }, { problems });
  return labels;
}

/** Reads labels from the data of an attribute: texts, numbers and booleans. */
export function labelsFromData(data: JsonObject): Labels {
  const problems = Object.entries(data)
    .filter(([, value]) => typeof value === 'object')
    .map(([name]) => `the label ${name} is no text`);
  if (problems.length > 0) throw new InventoryError('badValue', { what: 'labels' }, { problems });
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, String(value)]));
}

/** Reads `latest=true,tier=gold`. Throws `badFilter`. */
export function parseLabels(text: string): Labels {
  const pairs = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, Math.max(0, at)).trim(), pair.slice(at + 1).trim()] as const;
  });
  if (pairs.every(([name]) => pattern.test(name))) return Object.fromEntries(pairs);
  throw new InventoryError('badFilter', { name: 'labels' }, { problems: ['it looks like latest=true,tier=gold'] });
}

/** Makes these the labels of a set. */
export async function writeLabels(tx: Transaction, setId: string, labels: Labels): Promise<void> {
  await tx.run('DELETE FROM inventory_firmware_set_labels WHERE set_id = ?', setId);
  for (const [name, value] of Object.entries(labels))
    await tx.run(
      'INSERT INTO inventory_firmware_set_labels (set_id, name, value) VALUES (?, ?, ?)',
      setId,
      name,
      value,
    );
}
