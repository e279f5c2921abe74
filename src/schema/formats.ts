import { isEmail } from './email-text.ts';
import { isCidr, isMac, isRequestUri, parseIp } from './network-text.ts';
import { isDate, isDateTime, isDuration } from './time-text.ts';

/** Says whether a string has a format. */
export type FormatTest = (text: string) => boolean;

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuid3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuid4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const uuid5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const rgb = /^rgb\([\t\n\f\r ]*(N)[\t\n\f\r ]*,[\t\n\f\r ]*(N)[\t\n\f\r ]*,[\t\n\f\r ]*(N)[\t\n\f\r ]*\)$/;
const rgbColor = new RegExp(rgb.source.replaceAll('N', '0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5]'));

// The formats kube-apiserver 1.34 enforces in CustomResourceDefinitions, under their names without dashes. It knows
// no others: int32, int64, float and double are documentation there and are not checked, and k8s-short-name and
// k8s-long-name are enforced one release later.
const formats: Readonly<Record<string, FormatTest>> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => text.includes('.') && parseIp(text, { allowLeadingZeros: true }) !== undefined,
  ipv6: (text) => text.includes(':') && parseIp(text, { allowLeadingZeros: false }) !== undefined,
  cidr: isCidr,
  mac: isMac,
  uuid: (text) => uuid.test(text),
  uuid3: (text) => uuid3.test(text),
  uuid4: (text) => uuid4.test(text),
  uuid5: (text) => uuid5.test(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: (text) => rgbColor.test(text),
  byte: isBase64,
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
};

/** The check behind a format, or undefined for a format the API server ignores. */
export function findFormat(format: string): FormatTest | undefined {
  const name = format.replaceAll('-', '');
  return Object.hasOwn(formats, name) ? formats[name] : undefined;
}

const hostChar = 'a-zA-Z0-9\\p{S}\\p{L}';
const hostname = new RegExp(
  `^([${hostChar}]((-?[${hostChar}]{0,62})?)|([${hostChar}](([${hostChar}\\-]{0,61}[${hostChar}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$`,
  'u',
);

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255) return false;
  return hostname.test(text) && text.split('.').every((part) => Buffer.byteLength(part) <= 63);
}

function isBase64(text: string): boolean {
  if (text.length === 0 || text.length % 4 !== 0) return false;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  for (let i = 0; i < text.length - padding; i++) {
    const c = text.charCodeAt(i);
    const isLetter = (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a);
    if (!isLetter && !(c >= 0x30 && c <= 0x39) && c !== 0x2b && c !== 0x2f) return false;
  }
  return true;
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\t\n\f\r -]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  let sum = digits[9] === 'X' ? 100 : 10 * Number(digits[9]);
  for (let i = 0; i < 9; i++) sum += (i + 1) * Number(digits[i]);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\t\n\f\r -]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i]);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

const cardNumber =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!cardNumber.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 1 : 2);
    sum += digit >= 10 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}
