const domainPart = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)';
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const reference = new RegExp(
  `^(?:${domain}/)?${part}(?:/${part})*(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?<digest>${digest}))?$`,
);
/** Such a name could not be told from the id of an image. */
const bareId = /^[a-f0-9]{64}$/;

/** The tag of an image; `latest` when it names neither a tag nor a digest, empty when it is no name of an image at all. */
export function imageTag(image: string): string {
  const { groups } = (bareId.test(image) ? null : reference.exec(image)) ?? {};
  if (groups === undefined) return '';
  return groups.tag ?? (groups.digest === undefined ? 'latest' : '');
}
