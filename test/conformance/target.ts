import type { CertificatePair, CertificateSubject } from '../real/certificate-authority.ts';

/** A Kubernetes API server under comparison: the embedded one, or a real kube-apiserver. */
export interface ConformanceTarget {
  readonly name: 'embedded' | 'real';
  readonly url: string;
  readonly caPem: string;
  readonly adminToken: string;
  readonly kubeconfigPath: string;
  /** The kubectl program; the same one for every target. */
  readonly kubectl: string;
  /** How long a case waits for something that follows on its own. */
  readonly patienceMs: number;
  /** A client certificate that this server trusts. */
  issueClientCertificate(subject: CertificateSubject): Promise<CertificatePair>;
  /** Makes the server forget history up to now, so that old resourceVersions answer 410. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}
