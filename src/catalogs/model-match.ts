/** Whether one of the names of a server is among the models of an entry; an entry without models is for any. */
export function isForModel(models: readonly string[], names: readonly string[]): boolean {
  if (models.length === 0) return true;
  const wanted = names.map(fold).filter((name) => name !== '');
  return models.some((model) => wanted.some((name) => isSameModel(fold(model), name)));
}

/** `R640` is `PowerEdge R640`, but not `R640xd`; `7X06` is `7X06CTO1WW`, which has the machine type in front. */
function isSameModel(one: string, other: string): boolean {
  if (one === '' || other === '') return false;
  return one === other || endsWithWord(one, other) || endsWithWord(other, one) || isMachineType(one, other);
}

function endsWithWord(text: string, end: string): boolean {
  return text.endsWith(` ${end}`);
}

function isMachineType(model: string, name: string): boolean {
  return /^\d[0-9a-z]{3}$/.test(model) && name.startsWith(model) && /^[0-9a-z]{10}$/.test(name);
}

function fold(text: string): string {
  return text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
}
