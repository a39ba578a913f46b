// What went wrong with one agent, as errors that its user may read: they name the agent and hold no secret.
import { FetchError } from '../net/fetch-error.js';
import { meaningOf, type PeerFailure } from './fault-codes.js';
import { RemoteError } from './remote-error.js';

/** Before a byte of the request has left. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const CERTIFICATE = /^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|UNABLE_TO_|SELF_SIGNED|HOSTNAME_)/;
const LONGEST = 300;

export class PeerFaults {
  constructor(
    readonly agent: string,
    private readonly redact: (text: string) => string,
  ) {}

  /** The peer answered with an error. */
  refused(failure: PeerFailure): RemoteError {
    const { fault, code } = meaningOf(failure);
    const said = this.said(failure.message);
    switch (fault) {
      case 'rejected-key':
        return this.error(fault, `${this.agent} rejected the key (${failure.http ?? code}).`, true, code);
      case 'busy':
        return this.error(fault, `${this.agent} is busy with this conversation${said}`, true, code);
      case 'task-not-found':
        return this.error(fault, `${this.agent} does not know this task (any more)${said}`, true, code);
      case 'unsupported':
        return this.error(fault, `${this.agent} does not offer this (${code})${said}`, true, code);
      case 'unreachable':
        return this.error(fault, `${this.agent} could not be reached: it answered with ${code}${said}`, true, code);
      default:
        return this.error(fault, `${this.agent} refused (${code})${said}`, true, code);
    }
  }

  /** An HTTP status without an A2A error: whoever answered, it was not the agent. */
  strange(status: number): RemoteError {
    // Nothing there has taken the request.
    if (status === 404 || status === 405 || status === 501) {
      const text = `${this.agent} could not be reached: there is no such agent at its address (HTTP ${status}).`;
      return this.error('unreachable', text, false, `HTTP_${status}`);
    }
    return this.refused({ http: status });
  }

  /** A file was not given. */
  noFile(status: number): RemoteError {
    if (status === 401 || status === 403) return this.refused({ http: status });
    return this.error('refused', `${this.agent} did not give the file (HTTP ${status}).`, true, `HTTP_${status}`);
  }

  /** An answer came that is none. `what` goes on after "it". */
  broken(what: string, cause?: unknown): RemoteError {
    return this.error('unreachable', `${this.agent} gave no usable answer: it ${what}.`, true, 'BROKEN_ANSWER', cause);
  }

  cut(cause?: unknown): RemoteError {
    return this.error('unreachable', `The connection to ${this.agent} broke.`, true, 'CUT', cause);
  }

  timeout(ms: number): RemoteError {
    return this.error('timeout', `${this.agent} did not answer within ${Math.round(ms / 1000)} s.`, true);
  }

  aborted(): RemoteError {
    return this.error('aborted', `The call to ${this.agent} was given up.`, true);
  }

  /** Nothing was asked. `why` is a sentence's rest. */
  unreachable(why: string, code?: string, cause?: unknown): RemoteError {
    return this.error('unreachable', `${this.agent} could not be reached: ${why}.`, false, code, cause);
  }

  /** It speaks none of the versions that were tried. */
  otherVersion(tried: readonly string[], cause: RemoteError): RemoteError {
    const versions = [...new Set(tried)];
    const text =
      versions.length > 1
        ? `${this.agent} speaks neither A2A ${versions.join(' nor ')} at its address`
        : `${this.agent} does not speak A2A ${versions.join()}, and no other version may be tried`;
    return this.error('unsupported', `${text} (${cause.code}).`, true, cause.code, cause);
  }

  unsupported(what: string): RemoteError {
    return this.error('unsupported', `${this.agent} does not offer ${what}.`, false);
  }

  /** Whatever the HTTP client threw. `answering`: while the answer was read. */
  transport(error: unknown, answering = false): RemoteError {
    if (error instanceof RemoteError) return error;
    const failure = causes(error).find((cause) => cause instanceof FetchError);
    const codes = causes(error).map(codeOf);
    const certificate = codes.some((code) => CERTIFICATE.test(code));
    const notSent = codes.some((code) => NOT_SENT.has(code));
    if (failure?.reason === 'aborted') return this.aborted();
    if (!answering && (certificate || notSent || NEVER_SENT.has(failure?.reason ?? ''))) {
      const why = certificate ? 'its certificate is not accepted' : (failure?.message ?? 'no connection could be made');
      return this.unreachable(
        why,
        codes.find((code) => code !== ''),
        error,
      );
    }
    switch (failure?.reason) {
      case 'timeout':
        return this.error('timeout', `${this.agent} did not answer in time.`, true, undefined, error);
      case 'too-large':
        return this.error('refused', `${this.agent} sent more than allowed.`, true, 'TOO_LARGE', error);
      case 'redirect':
      case 'bad-answer': {
        const text = `${this.agent} gave no usable answer: ${failure.message}.`;
        return this.error('unreachable', text, true, 'BROKEN_ANSWER', error);
      }
      default:
        return this.cut(error);
    }
  }

  private error(fault: RemoteError['fault'], text: string, sent: boolean, code?: string, cause?: unknown): RemoteError {
    return new RemoteError(fault, text, sent, { ...(code !== undefined && { code }), cause });
  }

  /** The peer's own words, as the end of a sentence. */
  private said(message: string | undefined): string {
    const plain = this.redact((message ?? '').slice(0, 4 * LONGEST))
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .trim();
    if (plain === '') return '.';
    return `: ${plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain}`;
  }
}

const NEVER_SENT: ReadonlySet<string> = new Set(['bad-url', 'not-allowed', 'unresolvable']);

/** By shape, not by class: errors of the platform may come from another realm. */
function causes(error: unknown): { cause?: unknown; code?: unknown }[] {
  const found: { cause?: unknown; code?: unknown }[] = [];
  for (let one = error; typeof one === 'object' && one !== null && found.length < 5;) {
    found.push(one);
    one = (one as { cause?: unknown }).cause;
  }
  return found;
}

const codeOf = ({ code }: { code?: unknown }): string => (typeof code === 'string' ? code : '');
