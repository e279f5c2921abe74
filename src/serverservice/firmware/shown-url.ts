import { redactText } from '../../telemetry/index.ts';

/** Where an image is, without the log-in and the signatures that its URL may hold: those are for whoever fetches it. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return redactText(url);
  const parsed = new URL(url);
  if (parsed.username === '' && parsed.password === '') return redactText(url);
  parsed.username = '';
  parsed.password = '';
  return redactText(parsed.href);
}

/** A URL that is written back as it was shown means the one that is stored, with what is hidden in it. */
export function writtenUrl(given: string, stored: string): string {
  return given === shownUrl(stored) ? stored : given;
}
