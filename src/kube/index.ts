export {
  type AuthorityOptions,
  bundleCertificates,
  type CertificateSummary,
  type CertifiedKey,
  createCertificateAuthority,
  type IssueOptions,
  isIssuedBy,
  issueClientCertificate,
  issueServerCertificate,
  readCertificate,
  splitCertificates,
} from './certificates.ts';
export { type Clock, type Random, sleep, systemClock, type Timer } from './clock.ts';
