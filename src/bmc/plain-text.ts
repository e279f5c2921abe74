/** Control characters (of both sets), those that turn the direction of text or show nothing, and odd line ends. */
const rogue = /[\p{Cc}\p{Cf}\u2028\u2029]/u;
const rogues = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** Text of a BMC, safe to show: what would steer a terminal, or make text look like another, becomes a space. */
export function plainText(text: string): string {
  return rogue.test(text) ? text.replaceAll(rogues, ' ') : text;
}
