// A prompt that the agent works on. It may outlast the turn that sent it: while the operator decides, it waits, and what
// the agent says meanwhile is kept for the next turn.

/** The prompt's answer, or whatever broke it. */
export type PromptResult = { answer: Record<string, unknown> } | { error: unknown };

/** Updates kept between two turns, and characters of them; an agent that waits says little. */
const MAX_KEPT = 1_000;
const MAX_KEPT_CHARACTERS = 1_000_000;

export class RunningPrompt {
  /** Set once it is settled. */
  result: PromptResult | undefined;
  readonly settled: Promise<PromptResult>;
  private kept: unknown[] = [];
  private characters = 0;

  constructor(
    /** The task whose turn sent it. */
    readonly cid: string,
    sent: Promise<Record<string, unknown>>,
  ) {
    this.settled = sent
      .then(
        (answer) => ({ answer }),
        (error: unknown) => ({ error }),
      )
      .then((result: PromptResult) => (this.result = result));
  }

  keep(update: unknown): void {
    if (this.kept.length >= MAX_KEPT) return;
    this.characters += JSON.stringify(update)?.length ?? 0;
    if (this.characters <= MAX_KEPT_CHARACTERS) this.kept.push(update);
  }

  takeKept(): unknown[] {
    this.characters = 0;
    return this.kept.splice(0);
  }
}
