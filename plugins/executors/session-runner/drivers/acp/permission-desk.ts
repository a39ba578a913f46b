// Where an agent's requests for permission are answered: at once by policy, or, where the operator decides, by the turn
// that brings the decision. A request stays open across the end of its turn for as long as the process lives.
import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { AcpSettings } from '../../../../../src/workspace/driver-settings.js';
import { CANCELLED, decide, questionOf, touchesOwnFiles } from './permissions.js';

interface Open {
  question: string;
  options: readonly PermissionOption[];
  answer(response: RequestPermissionResponse): void;
}

/** Requests that are open at the same time; each wants a decision of its own. */
const MAX_OPEN = 50;

export class PermissionDesk {
  /** In the order in which they came; each is asked of the operator by itself. */
  private readonly open: Open[] = [];
  /** What the operator has approved and a resumed agent has not yet asked for again. */
  private granted: string | undefined;

  constructor(
    private readonly policy: AcpSettings['permissions'],
    /** The operator's own conversation. */
    private readonly owner: boolean,
  ) {}

  /** The question that waits for the operator, if one does. */
  get waiting(): string | undefined {
    return this.open[0]?.question;
  }

  /** The same request is granted once, without asking again. */
  grantOnce(question: string | undefined): void {
    this.granted = question;
  }

  /** Answers the oldest open request. */
  settle(grant: boolean): void {
    const request = this.open.shift();
    request?.answer(decide(request.options, grant));
  }

  cancelAll(): void {
    for (const request of this.open.splice(0)) request.answer(CANCELLED);
  }

  /** `waits` is called when the operator has to decide. `signal` aborts when the agent takes the request back. */
  request(
    request: RequestPermissionRequest,
    signal: AbortSignal,
    waits: (question: string) => void,
  ): Promise<RequestPermissionResponse> {
    const { options } = request;
    if (this.policy === 'deny') return Promise.resolve(decide(options, false));
    if (this.policy === 'allow') return Promise.resolve(decide(options, this.owner || !touchesOwnFiles(request)));
    const question = questionOf(request);
    if (this.granted === question) {
      this.granted = undefined;
      return Promise.resolve(decide(options, true));
    }
    if (this.open.length >= MAX_OPEN) return Promise.resolve(CANCELLED);
    return new Promise((resolve) => {
      const entry: Open = { question, options, answer: resolve };
      this.open.push(entry);
      const withdrawn = (): void => {
        const at = this.open.indexOf(entry);
        if (at >= 0) this.open.splice(at, 1);
        resolve(CANCELLED);
      };
      signal.addEventListener('abort', withdrawn, { once: true });
      waits(question);
    });
  }
}
